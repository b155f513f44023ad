// A grid of ranks, one row after another.
#pragma once

#include <cmath>

#include "applications/dense/trees.hpp"

namespace assay::applications::dense {

struct Grid {
  int rows = 1, columns = 1;
  // The ranks of a rank's column and of its row.
  Line column_of(int rank) const { return {rank % columns, columns, rows, rank / columns}; }
  Line row_of(int rank) const { return {rank / columns * columns, 1, columns, rank % columns}; }
};
// As many rows as columns, or as near as it goes with no more rows than columns.
inline Grid square_grid(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return {rows, ranks / rows};
}

}  // namespace assay::applications::dense
