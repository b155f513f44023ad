// Matrix products by CLBlast, the tuned BLAS for OpenCL, where its library can be opened (Debian: libclblast1).
#pragma once

#include "devices/device.hpp"
#include "devices/opencl_functions.hpp"

namespace assay::devices {

// c = a b of square matrices of `n` rows. False where the library is not here or multiplies none of this type, which
// `missing` says; a MeasurementFault that begins with `where` for what fails.
bool clblast_product(Element type, std::int64_t n, cl::Handle a, cl::Handle b, cl::Handle c, cl::Handle* queue,
                     const std::string& where, std::string& missing);

}  // namespace assay::devices
