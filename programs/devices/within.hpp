// A time limit for what a device is waited for: a kernel that never ends ends the program, with one line that says so.
// A driver's own waiting cannot be interrupted, so that a second thread watches the time.
#pragma once

#include <chrono>
#include <string>

namespace assay::devices {

// A library compiles many kernels at its first call: CLBlast on pocl for 13 s of processor time.
inline constexpr double library_times = 10;

// While it lives, what is `doing` may take `times` seconds(), without the time in which another one lives within it.
class Within {
 public:
  explicit Within(const std::string& doing, double times = 1);
  ~Within();
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  static double seconds();  // 20, or what ASSAY_DEVICE_WITHIN says

 private:
  std::string before_;  // what was watched when it began
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), end_before_;
  double times_before_;
};

}  // namespace assay::devices
