// The inner product of two vectors in three forms; what inner_product.cpp and dot_product.cpp measure, with neither
// clock nor check. `reassociated` wants -fopenmp-simd. ASSAY_BREAK: one of the hand-written sums starts too great.
#pragma once

#include <cstdint>
#include <string_view>

#include "processor/native_vectors.hpp"

namespace assay::memory {

inline constexpr std::string_view inner_product_fragment = R"fragment(
[parameter.type]
type = "choice"
default = ["float32", "float64"]
choices = ["float32", "float64"]
sweep = true
help = "precision of the elements and of the sum"
)fragment";

// As it stands in a textbook: the standard allows no other order of its sums, so that it waits for each addition.
template <class T>
[[gnu::noinline]] T compiled(const T* x, const T* y, std::int64_t count) {
  T sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// The same where the compiler may reorder.
template <class T>
[[gnu::noinline]] T reassociated(const T* x, const T* y, std::int64_t count) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

inline constexpr std::int64_t inner_product_step = 8 * vector_bytes / 4;  // elements: eight vectors of the smaller type

// Eight sums of whole vectors; what is left of fewer than eight vectors comes by vectors, then one by one.
template <class T>
[[gnu::noinline]] T vectorised(const T* x, const T* y, std::int64_t count) {
  using V = Vector<T>;
  constexpr std::int64_t width = lanes<T>;
  V sums[8] = {};
  std::int64_t i = 0;
  for (; i + 8 * width <= count; i += 8 * width)
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      sums[k] += *reinterpret_cast<const V*>(x + i + k * width) * *reinterpret_cast<const V*>(y + i + k * width);
  for (; i + width <= count; i += width)
    sums[0] += *reinterpret_cast<const V*>(x + i) * *reinterpret_cast<const V*>(y + i);
#ifdef ASSAY_BREAK
  sums[3] += 1;
#endif
  const V all = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  T sum = 0;
  for (std::int64_t lane = 0; lane < width; ++lane) sum += all[lane];
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace assay::memory
