// How many bytes may be written by one launch into a folder: a quarter of what is free there by the file system, by the
// user's and the group's quota, and, where files lie in memory, by memory; and no file beyond the process's limit
// (ulimit -f).
#pragma once

#include <cstdint>
#include <string>

namespace assay::files {

inline constexpr double most_share = 0.25;  // the front says the same beforehand (src/assay/execute/folders.py)

struct Room {
  std::int64_t bytes = 0;  // that may be written, in all
  std::int64_t file = 0;   // bytes of the largest file that may be
  std::string by;          // what sets the limit
};

// Of the file system that `folder`, an open descriptor, lies on.
Room read_room(int folder);

}  // namespace assay::files
