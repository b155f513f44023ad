#include "applications/dense/blocks.hpp"

#include <cmath>

namespace assay::applications::dense {

namespace {

constexpr Index small = 8;         // what is done element by element
constexpr Index strip_rows = 512;  // of a, so that a strip of four columns of c stays in the first cache
constexpr Index strip_depth = 64;

template <class Real>
Block<const Real> fixed(Block<Real> a) {
  return {a.at, a.step};
}

// Four columns of c at once: each element of a that is loaded is used four times.
template <class Real>
void four_columns(Index rows, Index depth, Block<const Real> a, const Real* b, Index along, Index across,
                  Block<Real> c) {
  Real *c0 = c.at, *c1 = c0 + c.step, *c2 = c1 + c.step, *c3 = c2 + c.step;
  Index k = 0;
  for (; k + 2 <= depth; k += 2) {
    const Real *a0 = a.at + k * a.step, *a1 = a0 + a.step, *u = b + k * along, *v = u + along;
    const Real u0 = u[0], u1 = u[across], u2 = u[2 * across], u3 = u[3 * across];
    const Real v0 = v[0], v1 = v[across], v2 = v[2 * across], v3 = v[3 * across];
#pragma GCC ivdep
    for (Index i = 0; i < rows; ++i) {
      const Real x = a0[i], y = a1[i];
      c0[i] = c0[i] - x * u0 - y * v0;
      c1[i] = c1[i] - x * u1 - y * v1;
      c2[i] = c2[i] - x * u2 - y * v2;
      c3[i] = c3[i] - x * u3 - y * v3;
    }
  }
  for (; k < depth; ++k) {
    const Real *a0 = a.at + k * a.step, *u = b + k * along;
    const Real u0 = u[0], u1 = u[across], u2 = u[2 * across], u3 = u[3 * across];
#pragma GCC ivdep
    for (Index i = 0; i < rows; ++i) {
      const Real x = a0[i];
      c0[i] -= x * u0, c1[i] -= x * u1, c2[i] -= x * u2, c3[i] -= x * u3;
    }
  }
}

template <class Real>
void one_column(Index rows, Index depth, Block<const Real> a, const Real* b, Index along, Real* c) {
  for (Index k = 0; k < depth; ++k) {
    const Real *column = a.at + k * a.step, factor = b[k * along];
#pragma GCC ivdep
    for (Index i = 0; i < rows; ++i) c[i] -= column[i] * factor;
  }
}

// x = L^-1 x of the full small size, unrolled, so that x stays in registers.
template <class Real>
void solve_small(Block<const Real> lower, Real* x) {
  Real y[small];
#pragma GCC unroll 8
  for (Index i = 0; i < small; ++i) y[i] = x[i];
#pragma GCC unroll 8
  for (Index j = 0; j < small; ++j) {
    const Real* const column = lower.at + j * lower.step;
#pragma GCC unroll 8
    for (Index i = j + 1; i < small; ++i) y[i] -= column[i] * y[j];
  }
#pragma GCC unroll 8
  for (Index i = 0; i < small; ++i) x[i] = y[i];
}

}  // namespace

template <class Real>
void own_multiply(Index rows, Index columns, Index depth, Block<const Real> a, Block<const Real> b, bool turned,
                  Block<Real> c) {
  const Index along = turned ? b.step : 1, across = turned ? 1 : b.step;
  for (Index k = 0; k < depth; k += strip_depth) {
    const Index deep = std::min(strip_depth, depth - k);
    for (Index i = 0; i < rows; i += strip_rows) {
      const Index high = std::min(strip_rows, rows - i);
      const Real* factors = b.at + k * along;
      Index j = 0;
      for (; j + 4 <= columns; j += 4)
        four_columns(high, deep, a.from(i, k), factors + j * across, along, across, c.from(i, j));
      for (; j < columns; ++j) one_column(high, deep, a.from(i, k), factors + j * across, along, c.from(i, j).at);
    }
  }
}

template <class Real>
void solve_right(Multiply<Real> multiply, Index size, Index rows, Block<const Real> lower, Block<Real> b) {
  if (size > small) {
    const Index half = size / 2;
    solve_right(multiply, half, rows, lower, b);
    multiply(rows, size - half, half, fixed(b), lower.from(half, 0), true, b.from(0, half));
    return solve_right(multiply, size - half, rows, lower.from(half, half), b.from(0, half));
  }
  for (Index j = 0; j < size; ++j) {
    Real* const column = b.from(0, j).at;
    one_column(rows, j, fixed(b), lower.from(j, 0).at, lower.step, column);
    const Real pivot = *lower.from(j, j).at;
    for (Index i = 0; i < rows; ++i) column[i] /= pivot;
  }
}

template <class Real>
void factor_triangle(Multiply<Real> multiply, Index size, Block<Real> a) {
  if (size > small) {
    const Index half = size / 2;
    factor_columns(multiply, half, size - half, a);
    const Block<Real> below = a.from(half, 0);
    multiply(size - half, size - half, half, fixed(below), fixed(below), true, a.from(half, half));
    return factor_triangle(multiply, size - half, a.from(half, half));
  }
  for (Index j = 0; j < size; ++j) {
    Real* const column = a.from(j, j).at;
    one_column(size - j, j, fixed(a.from(j, 0)), a.from(j, 0).at, a.step, column);
    const Real pivot = std::sqrt(column[0]);
    column[0] = pivot;
    for (Index i = 1; i < size - j; ++i) column[i] /= pivot;
  }
}

template <class Real>
void factor_columns(Multiply<Real> multiply, Index size, Index rows, Block<Real> a) {
  factor_triangle(multiply, size, a);
  if (rows > 0) solve_right(multiply, size, rows, fixed(a), a.from(size, 0));
}

template <class Real>
void solve_lower(Multiply<Real> multiply, Index size, Index columns, Block<const Real> lower, Block<Real> b) {
  if (size > small) {
    const Index half = size / 2;
    solve_lower(multiply, half, columns, lower, b);
    multiply(size - half, columns, half, lower.from(half, 0), fixed(b), false, b.from(half, 0));
    return solve_lower(multiply, size - half, columns, lower.from(half, half), b.from(half, 0));
  }
  for (Index c = 0; c < columns; ++c) {
    Real* const x = b.from(0, c).at;
    if (size == small) {
      solve_small(lower, x);
      continue;
    }
    for (Index j = 0; j < size; ++j) {
      const Real* const column = lower.from(0, j).at;
      for (Index i = j + 1; i < size; ++i) x[i] -= column[i] * x[j];
    }
  }
}

template <class Real>
void solve_upper(Index size, Block<const Real> upper, Real* x) {
  for (Index j = size - 1; j >= 0; --j) {
    const Real* const column = upper.from(0, j).at;
    x[j] /= column[j];
    for (Index i = 0; i < j; ++i) x[i] -= column[i] * x[j];
  }
}

template <class Real>
Index greatest(Index count, const Real* values) {
  Real most = 0;
  for (Index i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
  for (Index i = 0; i < count; ++i) {
    if (std::abs(values[i]) == most) return i;
  }
  return 0;
}

template <class Real>
void eliminate(Index rows, Index columns, Block<Real> a, const Real* pivot_row, Index step) {
  const Real pivot = pivot_row[0];
  for (Index i = 0; i < rows; ++i) a.at[i] /= pivot;
  for (Index j = 1; j <= columns; ++j) one_column(rows, 1, fixed(a), pivot_row + j * step, 1, a.from(0, j).at);
}

// Both types of number.
#define ASSAY_DENSE_BLOCKS(Real)                                                                            \
  template void own_multiply(Index, Index, Index, Block<const Real>, Block<const Real>, bool, Block<Real>); \
  template void factor_triangle(Multiply<Real>, Index, Block<Real>);                                        \
  template void factor_columns(Multiply<Real>, Index, Index, Block<Real>);                                  \
  template void solve_right(Multiply<Real>, Index, Index, Block<const Real>, Block<Real>);                  \
  template void solve_lower(Multiply<Real>, Index, Index, Block<const Real>, Block<Real>);                  \
  template void solve_upper(Index, Block<const Real>, Real*);                                               \
  template Index greatest(Index, const Real*);                                                              \
  template void eliminate(Index, Index, Block<Real>, const Real*, Index);
ASSAY_DENSE_BLOCKS(float)
ASSAY_DENSE_BLOCKS(double)
#undef ASSAY_DENSE_BLOCKS

}  // namespace assay::applications::dense
