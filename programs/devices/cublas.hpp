// Matrix products by cuBLAS, where its library can be opened.
#pragma once

#include "devices/cuda_functions.hpp"
#include "devices/device.hpp"

namespace assay::devices {

bool cublas_product(Element type, std::int64_t n, cuda::Address a, cuda::Address b, cuda::Address c,
                    cuda::Handle stream, std::string& missing);

}  // namespace assay::devices
