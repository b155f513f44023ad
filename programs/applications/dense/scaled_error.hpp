// How far a result is off, as HPL judges: the residual in units of what rounding may make of the problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "applications/dense/layout.hpp"
#include "applications/dense/trees.hpp"
#include "ranks/session.hpp"

namespace assay::applications::dense {

inline constexpr double most_scaled_error = 16;  // HPL's

struct Norms {
  double residual = 0, matrix = 0, solution = 0, right_side = 0;  // each the greatest of its rows' sizes
};

inline double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }  // NaN stays

// The greatest of all ranks' norms, and whether ||residual|| / (eps (||A|| ||x|| + ||b||) n) is small enough; every rank
// has the verdict.
template <class Real, ranks::Communicator C>
ranks::Task judge(C& comm, Line all, Index size, Norms mine, const char* what, ranks::Verdict& verdict) {
  static constexpr int tag = 29;
  Norms theirs;
  if (comm.rank() != 0) co_await comm.send(&mine, sizeof mine, 0, tag);
  for (int rank = 1; comm.rank() == 0 && rank < comm.size(); ++rank) {
    co_await comm.recv(&theirs, sizeof theirs, rank, tag);
    mine.residual = larger(mine.residual, theirs.residual);
    mine.matrix = larger(mine.matrix, theirs.matrix);
    mine.solution = larger(mine.solution, theirs.solution);
    mine.right_side = larger(mine.right_side, theirs.right_side);
  }
  co_await spread(comm, all, 0, &mine, sizeof mine, tag);
  const double epsilon = std::numeric_limits<Real>::epsilon() / 2;
  const double scale = epsilon * (mine.matrix * mine.solution + mine.right_side) * static_cast<double>(size);
  const double error = mine.residual / scale;
  char text[120];
  std::snprintf(text, sizeof text, "scaled backward error %.4g of at most %g; ||%s|| %.13e", error, most_scaled_error,
                what, mine.residual);
  verdict = {error <= most_scaled_error, text};
}

}  // namespace assay::applications::dense
