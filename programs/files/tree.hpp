// A tree of empty files for metadata: the operations, each on names below open folders, and what the tree must be after
// each of them, found out by a walk that shares nothing with the operations.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "files/own_folder.hpp"

namespace assay::files {

struct Tree {
  const OwnFolder& own;
  std::string name;  // of the tree's top, in the launch's own folder
  int processes;
  std::int64_t files;  // of each process
  bool shared;         // one folder for all, or one for each process

  int folders() const { return shared ? 1 : processes; }
  std::string folder(int at) const { return std::string(name).append("/d").append(std::to_string(at)); }
  int folder_of(int process) const { return shared ? 0 : process; }
  static std::string file(char kind, int process, std::int64_t at) {
    std::string name(1, kind);
    name.append(1, '.').append(std::to_string(process)).append(1, '.').append(std::to_string(at));
    return name;
  }

  void make() const {
    done(mkdirat(own.descriptor(), name.c_str(), 0700), "mkdir");
    for (int at = 0; at < folders(); ++at) done(mkdirat(own.descriptor(), folder(at).c_str(), 0700), "mkdir");
  }
  void remove() const {
    for (int at = 0; at < folders(); ++at) done(unlinkat(own.descriptor(), folder(at).c_str(), AT_REMOVEDIR), "rmdir");
    done(unlinkat(own.descriptor(), name.c_str(), AT_REMOVEDIR), "rmdir");
  }
  int open_folder(int at) const {
    const int found = openat(own.descriptor(), folder(at).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    done(found, "open of a folder");
    return found;
  }
  static void done(int status, const char* what) {
    if (status < 0) throw timing::MeasurementFault(std::string(what) + ": " + std::strerror(errno));
  }

  // Entries that are not as they must be: missing, unknown, no empty file. `kind` begins the files' names; 0: none.
  std::int64_t wrong(char kind) const {
    std::int64_t bad = 0;
    for (int at = 0; at < folders(); ++at) {
      std::set<std::string> wanted;
      for (int process = 0; kind && process < processes; ++process)
        for (std::int64_t i = 0; folder_of(process) == at && i < files; ++i) wanted.insert(file(kind, process, i));
      for (const auto& entry : std::filesystem::directory_iterator(own.path() + "/" + folder(at)))
        bad += !(entry.symlink_status().type() == std::filesystem::file_type::regular && entry.file_size() == 0 &&
                 wanted.erase(entry.path().filename().string()) == 1);
      bad += static_cast<std::int64_t>(wanted.size());
    }
    return bad;
  }
};

// One member's side of the tree: operation number i of its files, and what it saw wrong.
class TreeMember {
 public:
  TreeMember(const Tree& tree, int process, bool neighbours)
      : tree_(tree), process_(process), other_(neighbours ? (process + 1) % tree.processes : process) {
    here_ = tree.open_folder(tree.folder_of(process));
    there_ = tree.open_folder(tree.folder_of(other_));
    for (std::int64_t i = 0; i < tree.files; ++i) {
      names_.push_back(Tree::file('f', process, i));
      renamed_.push_back(Tree::file('g', process, i));
      others_.push_back(Tree::file('f', other_, i));
    }
  }
  ~TreeMember() {
    close(here_);
    close(there_);
  }
  TreeMember(const TreeMember&) = delete;
  TreeMember& operator=(const TreeMember&) = delete;

  void create(std::size_t i) const {
    const int file = openat(here_, names_[i].c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    Tree::done(file, "create");
    close(file);
  }
  void sync(std::size_t) const { Tree::done(fsync(here_), "fsync of a folder"); }
  void stat(std::size_t i) {
    struct stat about{};
    Tree::done(fstatat(there_, others_[i].c_str(), &about, AT_SYMLINK_NOFOLLOW), "stat");
    wrong += !(S_ISREG(about.st_mode) && about.st_size == 0 && (about.st_mode & 0777) == 0600);
  }
  void open(std::size_t i) const {
    const int file = openat(there_, others_[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    Tree::done(file, "open");
    close(file);
  }
  void list(std::size_t) {  // the whole folder, once
    DIR* folder = fdopendir(openat(there_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) Tree::done(-1, "opendir");
    std::int64_t entries = 0;
    while (const dirent* entry = readdir(folder)) entries += entry->d_name[0] == 'f';
    closedir(folder);
    wrong += entries != tree_.files * (tree_.shared ? tree_.processes : 1);
  }
  void rename(std::size_t i) const {
    Tree::done(renameat(here_, names_[i].c_str(), here_, renamed_[i].c_str()), "rename");
  }
  void unlink(std::size_t i) const { Tree::done(unlinkat(here_, renamed_[i].c_str(), 0), "unlink"); }

  std::int64_t wrong = 0;

 private:
  const Tree& tree_;
  int process_, other_, here_ = -1, there_ = -1;
  std::vector<std::string> names_, renamed_, others_;
};

}  // namespace assay::files
