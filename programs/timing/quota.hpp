// What cgroups allow of CPU time: the least quota of those that hold this process (v2 cpu.max, v1
// cpu.cfs_quota_us, of every ancestor), and how often the kernel stopped a group that had used its quota up.
#pragma once

#include <cstdint>
#include <string>

namespace assay::timing {

struct Quota {
  double share = 0;  // hardware threads' worth of time, 0 without a limit
  std::string file;  // that says so
};

Quota read_quota(const std::string& system = "/");  // `system` is "/" but in tests

// How often groups that hold this process were stopped for their quota since they were made.
std::int64_t times_stopped(const std::string& system = "/");

// The note for work that a quota stopped so many times: a reason to doubt what was measured.
std::string stopped_note(const std::string& file, std::int64_t times, const std::string& where = "");

namespace reading {

std::string word_of(const std::string& path);  // the first word of a file, "" where there is none

}  // namespace reading

}  // namespace assay::timing
