// Blocks that stay in cache: a panel of B and blocks of A are copied into the order in which they are read, and a small
// block of C is summed in registers. This is the unit that build variants compile: what is here has internal linkage.
#include "kernels/blocked_product.hpp"

#include "processor/native_vectors.hpp"

namespace assay::kernels {
namespace {

template <class T>
using Loose [[gnu::vector_size(vector_bytes), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;  // anywhere in memory
constexpr std::int64_t tall = vector_bytes == 64 ? 8 : 4, vectors = 3;  // rows, and vectors of each, of C in registers
constexpr std::int64_t depth = 256, rows_of_block = 96;
template <class T>
constexpr std::int64_t wide = vectors * lanes<T>;

constexpr std::int64_t up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }
constexpr std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// A block of C in registers += `tall` rows of A (one column after another) times a strip of the panel.
template <class T>
void multiply_block(std::int64_t steps, const T* left, const T* strip, T* c, std::int64_t n, std::int64_t rows,
                    std::int64_t columns) {
  Vector<T> sum[tall][vectors] = {};
  for (std::int64_t k = 0; k < steps; ++k, left += tall, strip += wide<T>) {
    Vector<T> right[vectors];
    for (std::int64_t j = 0; j < vectors; ++j) right[j] = *reinterpret_cast<const Loose<T>*>(strip + j * lanes<T>);
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < tall; ++i)
#pragma GCC unroll 3
      for (std::int64_t j = 0; j < vectors; ++j) sum[i][j] += left[i] * right[j];
  }
  T block[tall][wide<T>];
  __builtin_memcpy(&block, &sum, sizeof(block));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) c[i * n + j] += block[i][j];
}

template <class T>
void multiply_rows(const Operands<T>& of, const Seat& seat) {
  const std::int64_t n = of.n, strips = (n + wide<T> - 1) / wide<T>;
  T left[rows_of_block * depth];
  for (std::int64_t k0 = 0; k0 < n; k0 += depth) {
    const std::int64_t steps = least(depth, n - k0);
    for (std::int64_t s = seat.rank; s < strips; s += seat.count) {
      T* strip = &of.panel[s * wide<T> * depth];
      for (std::int64_t k = 0; k < steps; ++k)
        for (std::int64_t j = 0; j < wide<T>; ++j) {
          const std::int64_t column = s * wide<T> + j;
          strip[k * wide<T> + j] = column < n ? of.b[(k0 + k) * n + column] : 0;
        }
    }
    seat.meet(seat.with);
    for (std::int64_t i0 = seat.rank * rows_of_block; i0 < n; i0 += seat.count * rows_of_block) {
      const std::int64_t rows = least(rows_of_block, n - i0);
      for (std::int64_t i = 0; i < up(rows, tall); ++i)
        for (std::int64_t k = 0; k < steps; ++k)
          left[(i / tall * steps + k) * tall + i % tall] = i < rows ? of.a[(i0 + i) * n + k0 + k] : 0;
      if (k0 == 0)
        for (std::int64_t i = i0 * n; i < (i0 + rows) * n; ++i) of.c[i] = 0;
#ifdef ASSAY_BREAK
      const std::int64_t taken = k0 + steps == n ? steps - 1 : steps;  // the last product of every sum is missing
#else
      const std::int64_t taken = steps;
#endif
      for (std::int64_t s = 0; s < strips; ++s)
        for (std::int64_t i = 0; i < rows; i += tall)
          multiply_block(taken, &left[i * steps], &of.panel[s * wide<T> * depth], &of.c[(i0 + i) * n + s * wide<T>], n,
                         least(tall, rows - i), least(wide<T>, n - s * wide<T>));
    }
    seat.meet(seat.with);
  }
}

}  // namespace

std::int64_t panel_elements(std::int64_t n, float) { return up(n, wide<float>) * depth; }
std::int64_t panel_elements(std::int64_t n, double) { return up(n, wide<double>) * depth; }
void multiply(const Operands<float>& of, const Seat& seat) { multiply_rows(of, seat); }
void multiply(const Operands<double>& of, const Seat& seat) { multiply_rows(of, seat); }

}  // namespace assay::kernels
