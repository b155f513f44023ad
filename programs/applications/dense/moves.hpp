// The exchanges of rows of one panel of LU, all at once: which rows come to its top block, and where those go that were
// there. A row from elsewhere comes to the top, and one of the top goes to its place, so that two grid rows send each
// other equal numbers.
#pragma once

#include <vector>

#include "applications/dense/layout.hpp"

namespace assay::applications::dense {

struct Moves {
  struct Away {
    Index row, from;  // a row elsewhere, and which row of the top gets there; both by number in the whole matrix
  };
  std::vector<Index> top;                // what becomes row `first + i`
  std::vector<std::vector<Away>> moved;  // by grid row, in order of the pivots

  // `pivots[i]` was exchanged with row `first + i`, one after another.
  Moves(Index first, const std::vector<Index>& pivots, const Cyclic& rows)
      : top(pivots.size()), moved(static_cast<std::size_t>(rows.parts)) {
    const auto count = static_cast<Index>(pivots.size());
    for (Index i = 0; i < count; ++i) top[static_cast<std::size_t>(i)] = first + i;
    for (Index i = 0; i < count; ++i) {
      const Index pivot = pivots[static_cast<std::size_t>(i)];
      Index& here = top[static_cast<std::size_t>(i)];
      if (pivot < first + count) {
        std::swap(here, top[static_cast<std::size_t>(pivot - first)]);
        continue;
      }
      auto& away = moved[static_cast<std::size_t>(rows.owner(pivot))];
      auto known = std::find_if(away.begin(), away.end(), [&](const Away& each) { return each.row == pivot; });
      if (known == away.end()) known = away.insert(away.end(), {pivot, pivot});
      std::swap(here, known->from);
    }
  }
};

}  // namespace assay::applications::dense
