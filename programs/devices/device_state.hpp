// Clock, power and what slows a device down now, by the vendor's own accounting: NVML, or the kernel's files of amdgpu.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::devices {

struct DeviceState {
  double clock = 0;                   // Hz, of the compute units now
  double most = 0;                    // Hz, the highest that is stated; 0: not stated
  std::optional<double> power;        // W
  std::optional<int> others;          // processes on it other than this one
  std::optional<std::string> limits;  // what slows it down, of "power", "temperature", "hardware", separated by commas
};

// Adds a reason to `limits`, once.
void add_reason(std::string& limits, const char* reason);

// How many of the processes on a device are others: all but this one. Not known where this process is in a namespace of
// its own (a container) and not among them: they may have other numbers there, or be left out.
std::optional<int> count_others(const std::vector<long>& processes);

// Of the device at this PCI address (0000:c1:00.0); nothing where neither way knows its clock.
std::optional<DeviceState> device_state(const std::string& bus);

}  // namespace assay::devices
