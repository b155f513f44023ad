// Matrix products by cuBLAS, where its library can be opened.
#pragma once

#include "devices/cuda_functions.hpp"
#include "devices/device.hpp"

namespace assay::devices {

// c = a b of square matrices of `n` rows, queued on a stream of the current context. False where the library is not
// here or multiplies none of this type, which `missing` says; a MeasurementFault that begins with `where` for what
// fails.
bool cublas_product(Element type, std::int64_t n, cuda::Address a, cuda::Address b, cuda::Address c,
                    cuda::Handle stream, const std::string& where, std::string& missing);

// "cublasGemmEx: CUBLAS_STATUS_EXECUTION_FAILED (13)".
std::string cublas_error(std::string_view call, int status);

}  // namespace assay::devices
