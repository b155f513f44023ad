// Before a block: threads that the case before it left behind (OpenMP's, a library's) go on spinning for up to tens of
// milliseconds before they sleep, on hardware threads, caches and clocks that the next case is measured on.
#pragma once

#include <dirent.h>

#include <ctime>

namespace assay::timing {

inline double processor_time() {  // s, of all threads of this process
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline bool has_other_threads() {
  DIR* const tasks = opendir("/proc/self/task");
  if (!tasks) return false;
  int entries = 0;  // two of them the folder itself and the one above
  while (entries < 4 && readdir(tasks)) ++entries;
  closedir(tasks);
  return entries > 3;
}

// Waits, asleep, until this process's other threads are asleep too; after `most` seconds it is as it is.
inline void settle(double most = 0.2) {
  if (!has_other_threads()) return;
  constexpr double look = 1e-3;  // s asleep between two looks
  constexpr timespec asleep{0, 1'000'000};
  constexpr double still = 0.15;  // of a look: what waking up costs; one spinning thread uses all of it
  for (double waited = 0; waited < most; waited += look) {
    const double before = processor_time();
    nanosleep(&asleep, nullptr);
    if (processor_time() - before < still * look) return;
  }
}

}  // namespace assay::timing
