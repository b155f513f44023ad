// Matrix products of 8-bit floating-point numbers by cuBLASLt, where its library can be opened.
#pragma once

#include <functional>

#include "devices/cuda_functions.hpp"
#include "devices/device.hpp"

namespace assay::devices {

// c = a b of square matrices of `n` rows: a (E4M3) row after row, b (E4M3) column after column, c (bfloat16) row after
// row. The library multiplies no others of this type. `allocate` gives memory of the device.
// Otherwise as cublas_product.
bool cublas_lt_product(std::int64_t n, cuda::Address a, cuda::Address b, cuda::Address c, cuda::Handle stream,
                       const std::string& where, std::string& missing,
                       const std::function<std::shared_ptr<Memory>(std::int64_t)>& allocate);

}  // namespace assay::devices
