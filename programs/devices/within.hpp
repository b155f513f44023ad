// A time limit for what a device is waited for: a kernel that never ends ends the program, with one line that says so.
// A driver's own waiting cannot be interrupted, so that a second thread watches the time.
#pragma once

#include <string>

namespace assay::devices {

class Within {  // while it lives, what is `doing` may take as long as seconds()
 public:
  explicit Within(const std::string& doing);
  ~Within();
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  static double seconds();  // 20, or what ASSAY_DEVICE_WITHIN says
};

}  // namespace assay::devices
