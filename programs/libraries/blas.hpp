// BLAS as a program may call it where the build found a library of it (src/assay/execute/libraries.py): the few
// functions in use, declared here, so that no header of the library is needed. ASSAY_BLAS_64: OpenBLAS as the Python
// package scipy-openblas64 brings it, with whole numbers of 64 bits and names of its own.
#pragma once

#include <cstdint>
#include <string>

namespace assay::libraries {

inline constexpr const char* no_blas =
    "no BLAS library was found: apt-get install libopenblas-dev, or pip install scipy-openblas64";

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
void ASSAY_BLAS_NAME(cblas_dgemv)(int order, int turned, BlasInteger rows, BlasInteger columns, double alpha,
                                  const double* a, BlasInteger lda, const double* x, BlasInteger step_x, double beta,
                                  double* y, BlasInteger step_y);
double ASSAY_BLAS_NAME(cblas_ddot)(BlasInteger n, const double* x, BlasInteger step_x, const double* y,
                                   BlasInteger step_y);
float ASSAY_BLAS_NAME(cblas_sdot)(BlasInteger n, const float* x, BlasInteger step_x, const float* y,
                                  BlasInteger step_y);
void ASSAY_BLAS_NAME(cblas_daxpy)(BlasInteger n, double alpha, const double* x, BlasInteger step_x, double* y,
                                  BlasInteger step_y);
void ASSAY_BLAS_NAME(cblas_zaxpy)(BlasInteger n, const void* alpha, const void* x, BlasInteger step_x, void* y,
                                  BlasInteger step_y);
void ASSAY_BLAS_NAME(cblas_dscal)(BlasInteger n, double alpha, double* x, BlasInteger step_x);
// Each of these belongs to one library; the others leave it null.
[[gnu::weak]] char* ASSAY_BLAS_NAME(openblas_get_config)();
[[gnu::weak]] char* ASSAY_BLAS_NAME(openblas_get_corename)();
[[gnu::weak]] void ASSAY_BLAS_NAME(openblas_set_num_threads)(int threads);
[[gnu::weak]] int ASSAY_BLAS_NAME(openblas_get_num_threads)();
[[gnu::weak]] void MKL_Get_Version_String(char* text, int length);
[[gnu::weak]] void MKL_Set_Num_Threads(int threads);
[[gnu::weak]] int MKL_Get_Max_Threads();
[[gnu::weak]] const char* bli_info_get_version_str();
[[gnu::weak]] void bli_thread_set_num_threads(std::int64_t threads);
[[gnu::weak]] std::int64_t bli_thread_get_num_threads();
}

// The version that runs, and the microarchitecture that it detected.
inline std::string blas_version() {
  std::string text = "a BLAS that does not say its version";
  if (const auto config = ASSAY_BLAS_NAME(openblas_get_config)) {
    text = config();
  } else if (MKL_Get_Version_String != nullptr) {
    char version[256] = {};
    MKL_Get_Version_String(version, sizeof version - 1);
    text = version;
  } else if (bli_info_get_version_str != nullptr) {
    text = std::string("BLIS ") + bli_info_get_version_str();
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const auto core = ASSAY_BLAS_NAME(openblas_get_corename);
  return text + (core == nullptr ? "" : std::string(", kernels for ") + core());
}

// Whether the library has so many threads now, as it says itself: one that was built without threads, or for fewer of
// them, takes the call and stays as it is. A BLAS without a call for it is taken to have one.
inline bool blas_threads(int threads) {
  if (const auto set = ASSAY_BLAS_NAME(openblas_set_num_threads)) {
    const auto has = ASSAY_BLAS_NAME(openblas_get_num_threads);
    return set(threads), has == nullptr || has() == threads;
  }
  if (MKL_Set_Num_Threads != nullptr)
    return MKL_Set_Num_Threads(threads), MKL_Get_Max_Threads == nullptr || MKL_Get_Max_Threads() == threads;
  if (bli_thread_set_num_threads != nullptr)
    return bli_thread_set_num_threads(threads),
           bli_thread_get_num_threads == nullptr || bli_thread_get_num_threads() == threads;
  return threads == 1;
}

// Why a case of so many threads is left out.
inline std::string no_such_threads(int threads) {
  return "the BLAS that was found does not take " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

inline constexpr int by_rows = 101, by_columns = 102, as_it_is = 111, transposed = 112;  // as CBLAS numbers them

inline void gemm(std::int64_t n, const double* a, const double* b, double* c) {  // c = a b, rows one after another
  const auto size = static_cast<BlasInteger>(n);
  ASSAY_BLAS_NAME(cblas_dgemm)(by_rows, as_it_is, as_it_is, size, size, size, 1, a, size, b, size, 0, c, size);
}
inline void gemm(std::int64_t n, const float* a, const float* b, float* c) {
  const auto size = static_cast<BlasInteger>(n);
  ASSAY_BLAS_NAME(cblas_sgemm)(by_rows, as_it_is, as_it_is, size, size, size, 1, a, size, b, size, 0, c, size);
}
// c -= a b, or a b' with `turned`: columns one after another, `step` from one to the next.
inline void subtract_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, const double* a,
                             std::int64_t step_a, const double* b, std::int64_t step_b, bool turned, double* c,
                             std::int64_t step_c) {
  const auto size = [](std::int64_t each) { return static_cast<BlasInteger>(each); };
  ASSAY_BLAS_NAME(cblas_dgemm)(by_columns, as_it_is, turned ? transposed : as_it_is, size(rows), size(columns),
                               size(depth), -1, a, size(step_a), b, size(step_b), 1, c, size(step_c));
}
inline void subtract_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a,
                             std::int64_t step_a, const float* b, std::int64_t step_b, bool turned, float* c,
                             std::int64_t step_c) {
  const auto size = [](std::int64_t each) { return static_cast<BlasInteger>(each); };
  ASSAY_BLAS_NAME(cblas_sgemm)(by_columns, as_it_is, turned ? transposed : as_it_is, size(rows), size(columns),
                               size(depth), -1, a, size(step_a), b, size(step_b), 1, c, size(step_c));
}

// y = beta y + alpha a x, a of `rows` by `columns`, columns one after another; `turned`: a's transpose.
inline void gemv(bool turned, std::int64_t rows, std::int64_t columns, double alpha, const double* a, const double* x,
                 double beta, double* y) {
  const auto m = static_cast<BlasInteger>(rows), n = static_cast<BlasInteger>(columns);
  ASSAY_BLAS_NAME(cblas_dgemv)(by_columns, turned ? transposed : as_it_is, m, n, alpha, a, m, x, 1, beta, y, 1);
}
inline double dot(std::int64_t n, const double* x, std::int64_t step, const double* y) {  // y's elements are neighbours
  return ASSAY_BLAS_NAME(cblas_ddot)(static_cast<BlasInteger>(n), x, static_cast<BlasInteger>(step), y, 1);
}
inline float dot(std::int64_t n, const float* x, std::int64_t step, const float* y) {
  return ASSAY_BLAS_NAME(cblas_sdot)(static_cast<BlasInteger>(n), x, static_cast<BlasInteger>(step), y, 1);
}
inline void axpy(std::int64_t n, double alpha, const double* x, double* y) {  // y += alpha x
  ASSAY_BLAS_NAME(cblas_daxpy)(static_cast<BlasInteger>(n), alpha, x, 1, y, 1);
}
inline void scale(std::int64_t n, double alpha, double* x) {  // x = alpha x
  ASSAY_BLAS_NAME(cblas_dscal)(static_cast<BlasInteger>(n), alpha, x, 1);
}

#endif

}  // namespace assay::libraries
