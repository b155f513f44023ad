// What a rank does with blocks of a matrix, columns one after another: all of it rests on one function, the product of
// two blocks, which is the site's BLAS where there is one, or own code. Compiled apart, but for the library's.
#pragma once

#include <cstdint>

#include "applications/dense/layout.hpp"
#include "libraries/blas.hpp"

namespace assay::applications::dense {

// A block: its first element, and how far two columns are from each other.
template <class Real>
struct Block {
  Real* at = nullptr;
  Index step = 0;
  Block from(Index row, Index column) const { return {at + row + column * step, step}; }
};

// c -= a b, or a b' with `turned`; c has `rows` and `columns`, a has `depth` columns.
template <class Real>
using Multiply = void (*)(Index rows, Index columns, Index depth, Block<const Real> a, Block<const Real> b, bool turned,
                          Block<Real> c);

template <class Real>
void own_multiply(Index rows, Index columns, Index depth, Block<const Real> a, Block<const Real> b, bool turned,
                  Block<Real> c);

// The lower triangle becomes its Cholesky factor.
template <class Real>
void factor_triangle(Multiply<Real> multiply, Index size, Block<Real> a);
// The columns of a pivot block: its triangle, and `rows` below it.
template <class Real>
void factor_columns(Multiply<Real> multiply, Index size, Index rows, Block<Real> a);
// b = b L^-T, b of `rows`.
template <class Real>
void solve_right(Multiply<Real> multiply, Index size, Index rows, Block<const Real> lower, Block<Real> b);
// b = L^-1 b, L the lower triangle with ones on its diagonal.
template <class Real>
void solve_lower(Multiply<Real> multiply, Index size, Index columns, Block<const Real> lower, Block<Real> b);
// x = U^-1 x, U the upper triangle.
template <class Real>
void solve_upper(Index size, Block<const Real> upper, Real* x);
// The place of the first element of greatest size; 0 of none.
template <class Real>
Index greatest(Index count, const Real* values);
// The first column over the pivot, then that many multiples of it off the columns right of it.
template <class Real>
void eliminate(Index rows, Index columns, Block<Real> a, const Real* pivot_row, Index step);

// multiply_by: of the library, by so many threads, or own code.
#ifdef ASSAY_BLAS
inline constexpr bool has_library = true;
inline void library_multiply(Index rows, Index columns, Index depth, Block<const double> a, Block<const double> b,
                             bool turned, Block<double> c) {
  libraries::subtract_product(rows, columns, depth, a.at, a.step, b.at, b.step, turned, c.at, c.step);
}
inline void library_multiply(Index rows, Index columns, Index depth, Block<const float> a, Block<const float> b,
                             bool turned, Block<float> c) {
  libraries::subtract_product(rows, columns, depth, a.at, a.step, b.at, b.step, turned, c.at, c.step);
}
template <class Real>
Multiply<Real> multiply_by(bool library, int threads) {
  if (library && libraries::blas_threads(threads))
    return [](Index m, Index n, Index k, Block<const Real> a, Block<const Real> b, bool turned, Block<Real> c) {
      library_multiply(m, n, k, a, b, turned, c);
    };
  return own_multiply<Real>;
}
#else
inline constexpr bool has_library = false;
template <class Real>
Multiply<Real> multiply_by(bool, int) {
  return own_multiply<Real>;
}
#endif

}  // namespace assay::applications::dense
