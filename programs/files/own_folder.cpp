#include "files/own_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

namespace assay::files {
namespace {

using timing::InputFault;
using timing::MeasurementFault;

constexpr int deepest = 8;  // folders below one another that a program makes
// Signals by which others end a process: the folder is removed at once. Those of a fault (SIGSEGV, SIGBUS, SIGABRT,
// SIGFPE, SIGILL) end it as they do without this file, for its memory may be damaged: Assay removes the folder after
// the launch, or at its next start (src/assay/execute/ledger.py).
constexpr std::array ending = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU};

struct Entry {  // a folder that the signal handler removes; `parent` is written last and read first
  std::atomic<int> parent = -1;
  char name[128] = "";
  pid_t maker = 0;
};
static_assert(std::atomic<int>::is_always_lock_free);  // a handler must wait for no lock
std::array<Entry, 8> entries;

int patience_ms = 10'000;  // after so long without any progress a removal is given up

enum class Removal { done, left, hangs };
Removal removed_by_another(int parent, const char* name, int patience_ms);

extern "C" void remove_and_end(int signal) {
  static constexpr char unanswered[] =
      ": cannot be removed: the storage does not answer; it goes when Assay starts next\n";
  const int before = errno;
  for (const Entry& each : entries) {
    const int parent = each.parent.load(std::memory_order_acquire);
    if (parent < 0 || each.maker != getpid()) continue;
    Removal found = Removal::left;  // children may still write into it
    for (int turn = 0; turn < 20 && found == Removal::left; ++turn)
      found = removed_by_another(parent, each.name, patience_ms);
    if (found == Removal::hangs)
      for (const char* text : {each.name, unanswered})
        if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  }
  errno = before;
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void enter(int parent, const std::string& name) {
  if (const char* given = std::getenv("ASSAY_FILES_PATIENCE"))
    patience_ms = std::clamp(static_cast<int>(1000 * std::atof(given)), 100, patience_ms);
  for (Entry& each : entries) {
    if (each.parent >= 0) continue;
    std::strncpy(each.name, name.c_str(), sizeof each.name - 1);
    each.maker = getpid();
    each.parent.store(parent, std::memory_order_release);
    break;
  }
  for (const int each : ending) {
    struct sigaction now{};
    if (sigaction(each, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;  // ignored ones stay so
    now.sa_handler = remove_and_end;
    now.sa_flags = SA_NODEFER;  // the same signal again ends at once
    sigaction(each, &now, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size says so by itself
}

void leave(int parent) {
  for (Entry& each : entries)
    if (each.parent == parent && each.maker == getpid()) each.parent = -1;
}

std::string random_name() {
  unsigned char bytes[8];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw MeasurementFault("no random name for a folder");
  std::string name = "assay-files-";
  for (const unsigned char each : bytes) {
    name += "0123456789abcdef"[each >> 4];
    name += "0123456789abcdef"[each & 15];
  }
  return name;
}

std::pair<std::string, std::string> name_and_token(const std::string& subfolder) {
  const std::size_t colon = subfolder.find(':');
  const std::string name = subfolder.empty() ? random_name() : subfolder.substr(0, colon);
  const std::string token = colon == std::string::npos ? name : subfolder.substr(colon + 1);
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos || name.size() > 100 || token.size() > 100)
    throw InputFault("option --subfolder: '" + subfolder + "'; expected NAME:TOKEN");
  return {name, token};
}

std::string why(const std::string& folder, int error) { return "folder " + folder + ": " + std::strerror(error); }

int open_given(const std::string& folder) {
  const int parent = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) throw InputFault(why(folder, errno) + "; expected a folder that you may write in");
  return parent;
}

using Count = std::atomic<std::uint32_t>;
Count* removed_so_far = nullptr;  // in the process that removes for another, which looks at it

bool emptied(int folder, int depth, bool top);

bool removed_entry(int folder, const char* name, unsigned char type, int depth) {
  struct stat about{};
  if (type == DT_UNKNOWN && fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode))
    type = DT_DIR;
  if (type != DT_DIR) return unlinkat(folder, name, 0) == 0;
  if (depth == deepest) return false;
  const int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool done = below >= 0 && emptied(below, depth + 1, false);
  if (below >= 0) close(below);
  return done && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

// By getdents64(2) itself: opendir(3) takes memory, which a handler must not.
bool emptied(int folder, int depth, bool top) {
  struct Listed {
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
  };
  alignas(8) char buffer[2048];
  bool all = true;
  for (bool again = true; again && all;) {  // from the start until nothing more goes: entries move while others go
    again = false;
    lseek(folder, 0, SEEK_SET);
    for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < bytes;) {
        const auto* entry = reinterpret_cast<const Listed*>(buffer + at);
        at += entry->length;
        const char* name = entry->name;
        const bool dots = name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
        if (dots || (top && std::strcmp(name, mark_name) == 0)) continue;
        const bool gone = removed_entry(folder, name, entry->type, depth);
        if (gone && removed_so_far != nullptr) ++*removed_so_far;
        again = again || gone;
        all = all && (gone || errno == ENOENT);
      }
  }
  return all;
}

}  // namespace

bool remove_folder(int parent, const char* name) {
  const int own = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (own < 0) return errno == ENOENT;
  const bool empty = emptied(own, 0, true);
  if (empty) unlinkat(own, mark_name, 0);
  close(own);
  return empty && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

namespace {

// Another process removes it, and is waited for as long as anything goes within `patience_ms`: a storage that does not
// answer holds that one. A signal's handler may call it, so that the process comes from the system call itself: fork(3)
// would take locks that what was interrupted may hold.
Removal removed_by_another(int parent, const char* name, int patience_ms) {
  constexpr long shortest_ns = 200'000, longest_ns = 10'000'000;
  void* shared = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return remove_folder(parent, name) ? Removal::done : Removal::left;
  Count* const count = new (shared) Count(0);
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    removed_so_far = count;
    // Who reads from this program does not wait for this process.
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (int each = 0; each < 3; ++each)
      if (each != parent) dup2(nowhere, each);
    for (int each = 3; each < 1024; ++each)
      if (each != parent) close(each);
    _exit(remove_folder(parent, name) ? 0 : 1);
  }
  Removal found = Removal::hangs;
  if (child < 0) found = remove_folder(parent, name) ? Removal::done : Removal::left;
  timespec nap{0, shortest_ns};
  std::uint32_t seen = 0;
  for (double waited_ms = 0; child > 0 && waited_ms < patience_ms;
       waited_ms += 1e-6 * static_cast<double>(nap.tv_nsec)) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended != 0) {
      const bool killed = ended > 0 && WIFSIGNALED(status);  // by whom ends all of our processes: then it is done here
      const bool done = ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
      found = done || (killed && remove_folder(parent, name)) ? Removal::done : Removal::left;
      break;
    }
    if (const std::uint32_t now = count->load(); now != seen) {
      seen = now;
      waited_ms = 0;
    }
    nanosleep(&nap, nullptr);
    nap.tv_nsec = std::min(2 * nap.tv_nsec, longest_ns);
  }
  if (found == Removal::hangs) kill(child, SIGKILL);  // which it may not see before the storage answers
  munmap(shared, sizeof(Count));
  return found;
}

}  // namespace

OwnFolder::OwnFolder(const std::string& folder, const std::string& subfolder) {
  const auto [name, token] = name_and_token(subfolder);
  parent_ = open_given(folder);
  name_ = name;
  path_ = folder + (folder.ends_with('/') ? "" : "/") + name;
  if (mkdirat(parent_, name.c_str(), 0700) != 0) {
    const std::string fault = "folder " + folder + ": cannot make " + name + " in it: " + std::strerror(errno);
    close(parent_);
    throw InputFault(fault + "; expected a folder that you may write in");
  }
  maker_ = getpid();
  enter(parent_, name);
  own_ = openat(parent_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int mark = own_ < 0 ? -1 : openat(own_, mark_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool marked = mark >= 0 && write(mark, token.data(), token.size()) == static_cast<ssize_t>(token.size());
  const std::string fault = marked ? "" : why(path_, errno);
  if (mark >= 0) close(mark);
  if (marked) return;
  if (own_ >= 0) close(own_);
  remove_folder(parent_, name.c_str());
  leave(parent_);
  close(parent_);
  throw MeasurementFault(fault);
}

OwnFolder OwnFolder::joined(const std::string& folder, const std::string& subfolder) {
  const auto [name, token] = name_and_token(subfolder);
  OwnFolder found;
  found.parent_ = open_given(folder);
  found.name_ = name;
  found.path_ = folder + (folder.ends_with('/') ? "" : "/") + name;
  found.own_ = openat(found.parent_, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (found.own_ < 0) throw MeasurementFault(why(found.path_, errno));
  char text[128] = "";
  const int mark = openat(found.own_, mark_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const ssize_t length = mark < 0 ? -1 : read(mark, text, sizeof text);
  if (mark >= 0) close(mark);
  if (length < 0 || std::string_view(text, static_cast<std::size_t>(length)) != token)
    throw MeasurementFault("folder " + found.path_ + ": is not this launch's");
  return found;
}

OwnFolder::OwnFolder(OwnFolder&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      parent_(std::exchange(other.parent_, -1)),
      own_(std::exchange(other.own_, -1)),
      maker_(std::exchange(other.maker_, 0)) {}

OwnFolder::~OwnFolder() {
  if (own_ >= 0) close(own_);
  if (maker_ != 0 && maker_ == getpid()) {
    const Removal found = removed_by_another(parent_, name_.c_str(), hangs_ ? patience_ms / 2 : patience_ms);
    if (found == Removal::hangs && !hangs_)
      dprintf(STDERR_FILENO,
              "%s: cannot be removed: the storage has not answered for %g s; it goes when Assay starts next\n",
              path_.c_str(), 1e-3 * patience_ms);
    leave(parent_);
  }
  if (parent_ >= 0) close(parent_);
}

int OwnFolder::open(const std::string& name, int flags) const {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw MeasurementFault("'" + name + "' is no name of a file in " + path_);
  const int file = openat(own_, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) throw MeasurementFault("file " + path_ + "/" + name + ": " + std::strerror(errno));
  return file;
}

void OwnFolder::remove(const std::string& name) const { unlinkat(own_, name.c_str(), 0); }

}  // namespace assay::files
