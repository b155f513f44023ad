// The state of an NVIDIA device by its driver's own accounting (NVML), opened as the program runs.
#pragma once

#include "devices/device_state.hpp"

namespace assay::devices {

// Of the device at this PCI address; nothing where NVML is not here or does not say.
std::optional<DeviceState> nvml_state(const std::string& bus);

}  // namespace assay::devices
