// Clock, power and what holds an NVIDIA device back, by its driver's own accounting (NVML), opened as the program runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::devices {

struct DeviceState {
  double clock = 0;        // Hz, of the multiprocessors now
  double power = 0;        // W
  int processes = 0;       // that compute on it, this one too; 0: not said
  std::uint64_t held = 0;  // reasons, bits as NVML has them
};

// Words for the reasons that slow a busy device down: power cap, temperature, hardware brake; "" where there is none.
std::string held_by(std::uint64_t reasons);

// Of the device at this PCI address; nothing where NVML is not here or does not say.
std::optional<DeviceState> nvml_state(const std::string& bus);

}  // namespace assay::devices
