// What is measured of EuroBen's module 3, compiled apart (historical/module3/kernels/), so that flags given to a kernel
// touch neither clock nor check. Plain arrays only: no inline function of a library may leave these units.
#pragma once

#include <cstdint>

namespace assay::solvers {

// Two-dimensional grids have `n` intervals on a side and (n + 1)^2 points, a row after the other; the border is given.
struct GridLevel {
  std::int64_t n;
  double *u, *f, *r;  // solution, right side, residual
};

// Solves -(u_xx + u_yy) = f on the unit square by V(2, 1) cycles: red-black Gauss-Seidel, full weighting, bilinear
// interpolation (Briggs, Henson and McCormick 2000). levels[0] is the finest, each next one has half the intervals, the
// last one 2. Cycles until the residual's norm is at most `share` of the first one's, at most `most`; norms[k] is that
// after k cycles (most + 1 places). Returns the cycles.
std::int64_t multigrid(const GridLevel* levels, std::int64_t count, double share, std::int64_t most, double* norms);

// Sweeps for the same equation by block Gauss-Seidel: a block is a row of the grid, solved by elimination with the
// factors that line_factors gives (n places), the rows before and after it as they are. `line` has n places.
void line_factors(std::int64_t n, double* factors);
void block_gauss_seidel(std::int64_t n, double* u, const double* f, const double* factors, double* line,
                        std::int64_t sweeps);

// Solves y'' = 3/2 y^2 on n intervals of [0, 1], y[0] and y[n] given, by Numerov's method and Newton's iteration from
// the y that is there (n + 1 places); `room` has 4 (n + 1) places. Until a correction is at most `least`, at most
// `most` times; returns the iterations.
std::int64_t numerov_newton(std::int64_t n, double* y, double* room, double least, std::int64_t most);

// Solves -(a u_x)_x - (b u_y)_y + c u = f by conjugate gradients with the diagonal as preconditioner, from zero; the
// border of u is zero. `a` holds at i * (n + 1) + j the coefficient between points (i, j) and (i + 1, j), b that
// between (i, j) and (i, j + 1); `room` has 4 (n + 1)^2 places. Until the residual's norm, weighted by the inverse
// diagonal, is at most `share` of the first, at most `most` iterations; returns these.
struct EllipticProblem {
  std::int64_t n;
  const double *a, *b, *c, *f;
};
std::int64_t conjugate_gradients(const EllipticProblem& of, double* u, double* room, double share, std::int64_t most);

// Maximises c x subject to A x <= b, x >= 0, with b >= 0, by the simplex method on a condensed tableau, (rows + 1) x
// (columns + 1): A beside b, and below them -c and 0. The column that enters has the most negative entry of the last
// row (Dantzig's rule), the row that leaves the least quotient. names[0 .. columns) says which variable a column is,
// names[columns ..) which a row is: variables are 0 .. columns - 1, slacks follow. Returns the pivots; -1 where the
// problem is unbounded or `most` pivots do not end.
std::int64_t simplex(std::int64_t rows, std::int64_t columns, double* tableau, std::int64_t* names, std::int64_t most);

// Minimises the extended Rosenbrock function, sum of 100 (x[2k+1] - x[2k]^2)^2 + (1 - x[2k])^2, n even, by BFGS from
// the x that is there: the inverse Hessian is updated, steps are halved until they satisfy Armijo's condition. `room`
// has n^2 + 4 n places; norms[k] is the gradient's after k iterations (most + 1 places). Until it is at most `least`;
// returns the iterations.
std::int64_t bfgs(std::int64_t n, double* x, double* room, double least, std::int64_t most, double* norms);

}  // namespace assay::solvers
