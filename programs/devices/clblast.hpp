// Matrix products by CLBlast, the tuned BLAS for OpenCL, where its library can be opened (Debian: libclblast1).
#pragma once

#include "devices/device.hpp"
#include "devices/opencl_functions.hpp"

namespace assay::devices {

bool clblast_product(Element type, std::int64_t n, cl::Handle a, cl::Handle b, cl::Handle c, cl::Handle* queue,
                     std::string& missing);

}  // namespace assay::devices
