// BLAS and LAPACK as a program may call them where the build found a library of them (src/assay/execute/libraries.py):
// the few functions in use, declared here, so that no header of the library is needed. ASSAY_BLAS_64: OpenBLAS as the
// Python package scipy-openblas64 brings it, with whole numbers of 64 bits and names of its own.
#pragma once

#include <cstdint>
#include <string>

namespace assay::libraries {

inline constexpr const char* no_blas =
    "no BLAS with LAPACK library was found: apt-get install libopenblas-dev, or pip install scipy-openblas64";

#ifdef ASSAY_BLAS

#ifdef ASSAY_BLAS_64
using BlasInteger = std::int64_t;
#define ASSAY_BLAS_NAME(name) scipy_##name##64_
#else
using BlasInteger = int;
#define ASSAY_BLAS_NAME(name) name
#endif

extern "C" {
void ASSAY_BLAS_NAME(cblas_dgemm)(int order, int left, int right, BlasInteger m, BlasInteger n, BlasInteger k,
                                  double alpha, const double* a, BlasInteger lda, const double* b, BlasInteger ldb,
                                  double beta, double* c, BlasInteger ldc);
void ASSAY_BLAS_NAME(cblas_sgemm)(int order, int left, int right, BlasInteger m, BlasInteger n, BlasInteger k,
                                  float alpha, const float* a, BlasInteger lda, const float* b, BlasInteger ldb,
                                  float beta, float* c, BlasInteger ldc);
void ASSAY_BLAS_NAME(dgesv_)(const BlasInteger* n, const BlasInteger* columns, double* a, const BlasInteger* lda,
                             BlasInteger* pivots, double* b, const BlasInteger* ldb, BlasInteger* info);
// OpenBLAS alone has these; another library leaves them null.
[[gnu::weak]] char* ASSAY_BLAS_NAME(openblas_get_config)();
[[gnu::weak]] char* ASSAY_BLAS_NAME(openblas_get_corename)();
[[gnu::weak]] void ASSAY_BLAS_NAME(openblas_set_num_threads)(int threads);
}

// The version that runs, and the processor that it took this one for.
inline std::string blas_version() {
  const auto config = ASSAY_BLAS_NAME(openblas_get_config);
  const auto core = ASSAY_BLAS_NAME(openblas_get_corename);
  if (config == nullptr) return "a BLAS that does not say its version";
  std::string text = config();
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text + (core == nullptr ? "" : std::string(", kernels for ") + core());
}

// Whether so many threads can be had: a BLAS without a call for it is taken to have one.
inline bool blas_threads(int threads) {
  const auto set = ASSAY_BLAS_NAME(openblas_set_num_threads);
  if (set != nullptr) set(threads);
  return set != nullptr || threads == 1;
}

inline void gemm(std::int64_t n, const double* a, const double* b, double* c) {  // c = a b, rows one after another
  const auto size = static_cast<BlasInteger>(n);
  ASSAY_BLAS_NAME(cblas_dgemm)(101, 111, 111, size, size, size, 1, a, size, b, size, 0, c, size);
}
inline void gemm(std::int64_t n, const float* a, const float* b, float* c) {
  const auto size = static_cast<BlasInteger>(n);
  ASSAY_BLAS_NAME(cblas_sgemm)(101, 111, 111, size, size, size, 1, a, size, b, size, 0, c, size);
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

#endif

}  // namespace assay::libraries
