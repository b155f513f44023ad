// Devices through OpenCL, whose library is opened as the program runs.
#pragma once

#include "devices/device.hpp"

namespace assay::devices {

struct FoundDevices {
  std::vector<std::shared_ptr<Device>> devices;
  std::string missing;  // where there are none: why, and what to install
};

FoundDevices find_opencl();

}  // namespace assay::devices
