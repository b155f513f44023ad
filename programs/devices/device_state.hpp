// Clock, power and what slows a device down now, by the vendor's own accounting: NVML, or the kernel's files of amdgpu.
#pragma once

#include <optional>
#include <string>

namespace assay::devices {

struct DeviceState {
  double clock = 0;    // Hz, of the compute units now
  double most = 0;     // Hz, the highest that is stated; 0: not stated
  double power = 0;    // W
  int others = 0;      // processes on it besides this one
  std::string limits;  // what slows it down, of "power", "temperature" and "hardware", separated by commas
};

// Adds a reason to `limits`, once.
void add_reason(std::string& limits, const char* reason);

// Of the device at this PCI address (0000:c1:00.0); nothing where neither way knows its clock.
std::optional<DeviceState> device_state(const std::string& bus);

}  // namespace assay::devices
