// Lines of JSON about a job and about the nodes that it runs on, as its record and the files of its other nodes have
// them.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "timing/node_counters.hpp"
#include "timing/seal.hpp"

namespace assay::jobs {

inline double clock_of(clockid_t which) {
  timespec time{};
  clock_gettime(which, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline timespec timespec_of(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {whole, static_cast<long>(1e9 * (seconds - static_cast<double>(whole)))};
}

/// What this node is called: by Slurm where that started this process.
inline std::string host() {
  if (const char* node = std::getenv("SLURMD_NODENAME")) return node;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// The beginning of a line: what happened, when, where, and to whom. The closing brace is the caller's.
inline std::string event(const char* name) {
  char text[512];
  std::snprintf(text, sizeof text, "{\"version\": 3, \"event\": \"%s\", \"time\": %.6f, \"host\": \"%s\", \"pid\": %d",
                name, clock_of(CLOCK_REALTIME), host().c_str(), static_cast<int>(getpid()));
  return text;
}

/// One line, in one write: lines of two writers never mix. On the disk when it returns.
inline void write_line(int file, const std::string& line) {
  const std::string whole = timing::sealed(line) + "\n";
  if (write(file, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()) || fsync(file) != 0)
    std::fprintf(stderr, "job_record: the record cannot be written: %s\n", std::strerror(errno));
}

/// What this node has done so far; not synced, as nothing rests on it.
inline void write_node(int file) {
  const timing::NodeCounters now = timing::node_counters();
  char text[256];
  std::snprintf(
      text, sizeof text,
      ", \"busy\": %llu, \"all\": %llu, \"used\": %llu, \"memory\": %llu, \"received\": %llu, \"sent\": %llu}",
      now.busy, now.all, now.used, now.memory, now.received, now.sent);
  const std::string whole = timing::sealed(event("node") + text) + "\n";
  if (write(file, whole.data(), whole.size()) < 0) std::perror("job_record");
}

}  // namespace assay::jobs
