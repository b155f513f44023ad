// Before a block: threads that the case before it left behind (OpenMP's, a library's) go on spinning for up to tens of
// milliseconds before they sleep, on hardware threads, caches and clocks that the next case is measured on.
#pragma once

#include <chrono>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

namespace assay::timing {

inline double processor_time() {  // s, of all threads of this process
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline bool has_other_threads() {
  std::error_code none;
  std::filesystem::directory_iterator tasks("/proc/self/task", none);
  return !none && std::distance(begin(tasks), end(tasks)) > 1;
}

// Waits, asleep, until this process's other threads are asleep too; after `most` seconds it is as it is.
inline void settle(double most = 0.2) {
  if (!has_other_threads()) return;
  constexpr double look = 1e-3;   // s asleep between two looks
  constexpr double still = 0.15;  // of a look: what waking up costs; one spinning thread uses all of it
  for (double waited = 0; waited < most; waited += look) {
    const double before = processor_time();
    std::this_thread::sleep_for(std::chrono::duration<double>(look));
    if (processor_time() - before < still * look) return;
  }
}

}  // namespace assay::timing
