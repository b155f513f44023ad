// A folder of this launch's own for its files, in the folder that a person gave: made anew with a random name and mode
// 0700, marked by a file with a random token, removed at the end and on the signals by which others end a process. What
// a fault (SIGSEGV) or a kill -9 leaves is removed by Assay, which knows name and token (src/assay/execute/ledger.py).
//
// Files are opened below it by one name, never through a symbolic link, so that nothing outside is read or written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "files/pattern.hpp"
#include "timing/faults.hpp"

namespace assay::files {

class OwnFolder {
 public:
  // Makes the folder; `subfolder` is NAME:TOKEN as --subfolder gives it, "" for a random one. One process makes it, the
  // others of a launch on this host join it, once it is there.
  OwnFolder(const std::string& folder, const std::string& subfolder);
  static OwnFolder joined(const std::string& folder, const std::string& subfolder);
  ~OwnFolder();
  OwnFolder(OwnFolder&& other) noexcept;
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return own_; }
  std::uint64_t launch() const { return of_launch(name_); }  // for the pattern of what is written: the name is random

  // A file of this name in the folder, by openat(2) with `flags`; the caller closes it. MeasurementFault otherwise.
  int open(const std::string& name, int flags) const;
  void remove(const std::string& name) const;

  // Another process removes the folder at the end, and is waited for as long as anything goes within some seconds; what
  // it leaves then is for the next start of Assay. The storage has not answered: it is waited for less long, without a
  // line about it.
  void hangs() const { hangs_ = true; }

 private:
  OwnFolder() = default;
  std::string path_, name_;
  int parent_ = -1, own_ = -1;
  mutable bool hangs_ = false;
  std::int64_t maker_ = 0;  // the process that made it and removes it; 0: joined
};

// Removes a folder and all in it, following no symbolic link; the mark goes last. Only system calls that a signal's
// handler may make. False where something of it is left.
bool remove_folder(int parent, const char* name);

inline constexpr const char* mark_name = ".assay-own";

}  // namespace assay::files
