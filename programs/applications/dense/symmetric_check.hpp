// Whether L L' is the symmetric matrix of the formula: both times a vector.
#pragma once

#include <cmath>
#include <vector>

#include "applications/dense/scaled_error.hpp"
#include "applications/dense/trees.hpp"

namespace assay::applications::dense {

inline double probe(Index i) { return element(i, Index{1} << 31); }

// The sum of all ranks' values, on every rank.
template <ranks::Communicator C>
ranks::Task total(C& comm, Line all, std::vector<double>& values, int tag) {
  std::vector<double> room(values.size());
  co_await sum_up(comm, all, 0, values.data(), room.data(), values.size(), tag);
  co_await spread(comm, all, 0, values.data(), values.size() * sizeof(double), tag);
}

// `product`: this rank's part of L (L' v), v the probe; `sum`: of its elements of L.
template <class Real, ranks::Communicator C>
ranks::Task judge_factor(C& comm, Line all, Index size, std::vector<double>& product, double sum, int tag,
                         ranks::Verdict& verdict) {
  co_await total(comm, all, product, tag);
  Norms norms;
  norms.sum = sum, norms.solution = 0.5;
  for (Index i = comm.rank(); i < size; i += comm.size()) {
    double expected = 0, row = 0;
    for (Index j = 0; j < size; ++j) {
      const double value = symmetric_element(size, i, j);
      expected += value * probe(j);
      row += std::abs(value);
    }
    norms.residual = larger(norms.residual, std::abs(expected - product[static_cast<std::size_t>(i)]));
    norms.matrix = larger(norms.matrix, row);
  }
  co_await judge<Real>(comm, all, size, norms, "A v - L L' v", verdict);
}

}  // namespace assay::applications::dense
