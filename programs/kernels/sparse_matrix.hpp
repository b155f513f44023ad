// A sparse matrix by rows (CSR).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sparse_kernel.hpp"

namespace assay::kernels {

struct SparseMatrix {
  std::vector<std::int32_t> starts, places;  // of row i: entries starts[i] to starts[i + 1], each with its column
  std::vector<double> values;
  std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  void multiply(const double* x, double* y) const {
    multiply_sparse(rows(), starts.data(), places.data(), values.data(), x, y);
  }
};

}  // namespace assay::kernels
