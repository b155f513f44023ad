// Devices through CUDA's driver, with kernels compiled by NVRTC: both libraries are opened as the program runs.
#pragma once

#include "devices/opencl.hpp"

namespace assay::devices {

FoundDevices find_cuda();

}  // namespace assay::devices
