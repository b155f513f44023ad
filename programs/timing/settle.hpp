// Before a block: threads that the case before it left behind (OpenMP's, a library's) go on spinning for up to tens of
// milliseconds before they sleep, on hardware threads, caches and clocks that the next case is measured on.
//
// Their states are read, not the CPU time that they use: kernels that count in ticks (TICK_CPU_ACCOUNTING) add a
// running thread's time every 1 to 10 ms, so that between two ticks a spinning thread seems to use none.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace assay::timing {

// Whether a thread runs or waits for a processor: the state in /proc/self/task/<thread>/stat, after the name (proc(5)).
inline bool is_runnable(const char* thread) {
  char path[64], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;  // it has ended
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size > 0 ? size : 0] = '\0';
  const char* const name_ends = std::strrchr(text, ')');
  return name_ends && std::strncmp(name_ends, ") R", 3) == 0;
}

inline bool others_are_runnable() {
  DIR* const threads = opendir("/proc/self/task");
  if (!threads) return false;
  bool found = false;
  while (const dirent* const each = found ? nullptr : readdir(threads))
    found = each->d_name[0] != '.' && std::atoi(each->d_name) != gettid() && is_runnable(each->d_name);
  closedir(threads);
  return found;
}

// Waits, asleep, until this process's other threads are asleep too; after `most` seconds it is as it is.
inline void settle(double most = 0.2) {
  constexpr double look = 1e-3;  // s asleep between two looks
  constexpr timespec asleep{0, 1'000'000};
  for (double waited = 0; waited < most && others_are_runnable(); waited += look) nanosleep(&asleep, nullptr);
}

}  // namespace assay::timing
