// Compiled at -Og: nothing in this file is timed.
#include "devices/cuda.hpp"

namespace assay::devices {
FoundDevices find_cuda() { return {{}, "no CUDA driver: libcuda.so.1"}; }
}  // namespace assay::devices
