// LAPACK as a program may call it where the build found a BLAS with it (src/assay/execute/libraries.py): the few
// functions in use, declared here.
#pragma once

#include <algorithm>
#include <vector>

#include "libraries/blas.hpp"

namespace assay::libraries {

inline constexpr const char* no_lapack =
    "no BLAS with LAPACK library was found: apt-get install libopenblas-dev, or pip install scipy-openblas64";

#ifdef ASSAY_LAPACK

extern "C" {
void ASSAY_BLAS_NAME(dgesv_)(const BlasInteger* n, const BlasInteger* columns, double* a, const BlasInteger* lda,
                             BlasInteger* pivots, double* b, const BlasInteger* ldb, BlasInteger* info);
// The last two arguments are the lengths of the texts, which a Fortran compiler's code may expect.
void ASSAY_BLAS_NAME(dsyev_)(const char* vectors, const char* triangle, const BlasInteger* n, double* a,
                             const BlasInteger* lda, double* values, double* work, const BlasInteger* length,
                             BlasInteger* info, std::size_t, std::size_t);
}

// Solves a x = b by LU with partial pivoting; a (columns one after another) and b are overwritten. 0 where it went
// well.
inline BlasInteger gesv(std::int64_t n, double* a, BlasInteger* pivots, double* b) {
  const auto size = static_cast<BlasInteger>(n);
  const BlasInteger one = 1;
  BlasInteger info = 0;
  ASSAY_BLAS_NAME(dgesv_)(&size, &one, a, &size, pivots, b, &size, &info);
  return info;
}

// The eigenvalues of the symmetric matrix a, ascending, in `values`, its eigenvectors in a, one after another. `work`
// grows to what LAPACK asks for. 0 where it went well.
inline BlasInteger syev(std::int64_t n, double* a, double* values, std::vector<double>& work) {
  const auto size = static_cast<BlasInteger>(n);
  const auto call = [&](double* scratch, BlasInteger length) {
    BlasInteger info = 0;
    ASSAY_BLAS_NAME(dsyev_)("V", "L", &size, a, &size, values, scratch, &length, &info, 1, 1);
    return info;
  };
  if (work.empty()) {
    double wished = 0;
    if (const BlasInteger info = call(&wished, -1); info != 0) return info;
    work.resize(static_cast<std::size_t>(std::max(wished, 3.0 * static_cast<double>(n))));
  }
  return call(work.data(), static_cast<BlasInteger>(work.size()));
}

#endif

}  // namespace assay::libraries
