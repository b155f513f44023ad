// The measured loops, compiled once for each variant with the flags that the record gives its unit, ASSAY_VARIANT among
// them; ASSAY_VECTOR asks for libmvec's forms. The functions are declared here, not taken from <cmath>: that declares
// vector forms only under -ffast-math, and has inline functions that would leave this unit (functions.hpp).
#include <features.h>

#include "kernels/intrinsics/functions.hpp"

#if defined(ASSAY_VECTOR) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define ASSAY_VECTOR_FORM __attribute__((simd("notinbranch")))
#if __GLIBC_PREREQ(2, 35)
#define ASSAY_LIBMVEC 235
#elif __GLIBC_PREREQ(2, 22)
#define ASSAY_LIBMVEC 222
#endif
#endif

#if defined(ASSAY_LIBMVEC)
#define ASSAY_DECLARED_since_2_22 ASSAY_VECTOR_FORM
#endif
#if defined(ASSAY_LIBMVEC) && ASSAY_LIBMVEC >= 235
#define ASSAY_DECLARED_since_2_35 ASSAY_VECTOR_FORM
#endif
#ifndef ASSAY_DECLARED_since_2_22
#define ASSAY_DECLARED_since_2_22
#endif
#ifndef ASSAY_DECLARED_since_2_35
#define ASSAY_DECLARED_since_2_35
#endif
#define ASSAY_DECLARED_compiler
#define ASSAY_DECLARED_never

#define ASSAY_DECLARE(name, since)                              \
  ASSAY_DECLARED_##since double name(double argument) noexcept; \
  ASSAY_DECLARED_##since float name##f(float argument) noexcept;
#define ASSAY_DECLARE_TWO(name, since)                                      \
  ASSAY_DECLARED_##since double name(double first, double second) noexcept; \
  ASSAY_DECLARED_##since float name##f(float first, float second) noexcept;
extern "C" {
ASSAY_ONE_ARGUMENT(ASSAY_DECLARE)
ASSAY_TWO_ARGUMENTS(ASSAY_DECLARE_TWO)
}

namespace assay::kernels::ASSAY_VARIANT {
namespace {

#ifdef ASSAY_VECTOR
#define ASSAY_LOOP _Pragma("omp simd")
#else
#define ASSAY_LOOP
#endif

#ifdef ASSAY_PLANT_NULL  // for tests: nothing is computed
#define ASSAY_TIMES(count) 0 * (count)
#else
#define ASSAY_TIMES(count) (count)
#endif

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type, which no parentheses may enclose
#define ASSAY_ONE_LOOP(name, call, T)                                                                 \
  [[gnu::noinline]] void name##_of(const T* __restrict x, const T*, T* __restrict made, long count) { \
    ASSAY_LOOP for (long i = 0; i < ASSAY_TIMES(count); ++i) made[i] = call(x[i]);                    \
  }
#define ASSAY_TWO_LOOP(name, call, T)                                                                              \
  [[gnu::noinline]] void name##_of(const T* __restrict x, const T* __restrict y, T* __restrict made, long count) { \
    ASSAY_LOOP for (long i = 0; i < ASSAY_TIMES(count); ++i) made[i] = call(x[i], y[i]);                           \
  }
// NOLINTEND(bugprone-macro-parentheses)

#ifdef ASSAY_PLANT_EXP  // for tests: exp with three decimal digits lost
#define exp(x) (::exp(x) * (1 + 1000 * 0x1p-53))
#define expf(x) (::expf(x) * (1 + 1000 * 0x1p-24F))
#endif
#define ASSAY_LOOPS(name, since) ASSAY_ONE_LOOP(name, name, double) ASSAY_ONE_LOOP(name, name##f, float)
#define ASSAY_LOOPS_TWO(name, since) ASSAY_TWO_LOOP(name, name, double) ASSAY_TWO_LOOP(name, name##f, float)
ASSAY_ONE_ARGUMENT(ASSAY_LOOPS)
ASSAY_TWO_ARGUMENTS(ASSAY_LOOPS_TWO)

enum Since { compiler = 0, since_2_22 = 222, since_2_35 = 235, never = 1000 };

#if defined(ASSAY_LIBMVEC)
constexpr int available = ASSAY_LIBMVEC;
constexpr const char* missing = "libmvec of this C library has no vector form of it";
#elif defined(ASSAY_VECTOR)
constexpr int available = 0;
constexpr const char* missing = "vector forms are used from libmvec only, with g++ and the GNU C library on x86-64";
#else
constexpr int available = 1000;
constexpr const char* missing = nullptr;
#endif

#define ASSAY_ENTRY(name, since) {#name, name##_of, name##_of, Since::since <= available ? nullptr : missing},
constexpr Entry table[] = {ASSAY_ONE_ARGUMENT(ASSAY_ENTRY)
                               ASSAY_TWO_ARGUMENTS(ASSAY_ENTRY){nullptr, nullptr, nullptr, nullptr}};

}  // namespace

const Entry* entries() { return table; }

}  // namespace assay::kernels::ASSAY_VARIANT
