// A panel of LU, factored with partial pivoting by the ranks of one column of the grid: a few columns at a time one by
// one, then their multiples off the rest of the panel by one product. Every pivot is a message of all with all along the
// column, which carries the whole row of the panel, so that each rank has the panel's top block.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "applications/application.hpp"
#include "applications/dense/blocks.hpp"
#include "applications/dense/pivots.hpp"

namespace assay::applications::dense {

// What is sent along the grid's rows: the top block (L and U in one), the rank's rows below it, and the pivots' rows.
template <class Real>
struct Panel {
  Index first = 0, wide = 0, rows = 0;  // `rows`: of a rank below the top block
  std::vector<Index> pivots{};
  std::vector<Real> values{};  // pivots' rows as bytes in front, top block, rows below
  static Index in_front(Index wide) { return wide * static_cast<Index>(sizeof(Index) / sizeof(Real)); }
  Block<Real> top() { return {values.data() + in_front(wide), wide}; }
  Block<Real> below() { return {values.data() + in_front(wide) + wide * wide, rows}; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(in_front(wide) + wide * (wide + rows)) * sizeof(Real);
  }
  void to_message() { std::memcpy(values.data(), pivots.data(), pivots.size() * sizeof(Index)); }
  void from_message() { std::memcpy(pivots.data(), values.data(), pivots.size() * sizeof(Index)); }
};

// Where there are no data: a row that could be the pivot, any of those left with the same probability.
inline Index presumed_pivot(Index at, Index size) {
  const auto left = static_cast<double>(size - at);
  return at + std::min(static_cast<Index>((element(at, (Index{1} << 31) + 1) + 0.5) * left), size - at - 1);
}

// Factors the panel's columns, which are `columns` of the rank's rows, `mine` of them in all.
template <ranks::Communicator C, class Real>
class PanelFactoring : public Charged<C> {
 protected:
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;
  static constexpr Index narrow = 8;  // columns one by one
  static constexpr int pivot_tag = 22;

  PanelFactoring(C& comm, std::string_view kernel, std::string_view by_columns, Multiply<Real> multiply, bool carries)
      : Charged<C>(comm, kernel, carries), by_columns_(by_columns), multiply_(multiply) {}

  ranks::Task factor(Panel<Real>& panel, Line column, Cyclic rows, Index size, Block<Real> columns) {
    const Index wide = panel.wide;
    Candidate<Real> mine(carries_ ? static_cast<std::size_t>(wide) : 0), room(mine);
    for (Index begin = 0; begin < wide; begin += narrow) {
      const Index end = std::min(begin + narrow, wide);
      for (Index j = begin; j < end; ++j) {
        const Index at = panel.first + j, from = rows.before(column.me, at), here = rows.before(column.me, size) - from;
        const bool has = rows.owner(at) == column.me;
        if (carries_) propose(mine, rows, column.me, columns, j, from, here, has);
        co_await best_of(comm_, column, carries_ ? &mine : nullptr, carries_ ? &room : nullptr,
                         static_cast<std::size_t>(wide), pivot_tag);
        const Index below = here - (has ? 1 : 0);
        co_await work(by_columns_, static_cast<double>(below * (1 + 2 * (end - j - 1))), [&] {
          exchange(panel, mine, rows, column.me, columns, j);
          eliminate(below, end - j - 1, columns.from(from + (has ? 1 : 0), j), panel.top().from(j, j).at, wide);
        });
        if (!carries_) panel.pivots[static_cast<std::size_t>(j)] = presumed_pivot(at, size);
      }
      if (end == wide) break;
      const Index below = rows.before(column.me, panel.first + end), here = rows.before(column.me, size) - below;
      co_await work(static_cast<double>((end - begin) * (wide - end)) * static_cast<double>(2 * here + end - begin), [&] {
        const Block<Real> top = panel.top();
        const Block<const Real> lower{top.from(begin, begin).at, wide}, right{top.from(begin, end).at, wide};
        solve_lower(multiply_, end - begin, wide - end, lower, top.from(begin, end));
        const Block<const Real> left{columns.from(below, begin).at, columns.step};
        multiply_(here, wide - end, end - begin, left, right, false, columns.from(below, end));
      });
    }
    if (!carries_) co_return;
    const Index from = rows.before(column.me, panel.first + wide), top_from = rows.before(column.me, panel.first);
    for (Index j = 0; j < wide; ++j) {
      std::copy_n(columns.from(from, j).at, panel.rows, panel.below().from(0, j).at);
      if (rows.owner(panel.first) == column.me) std::copy_n(panel.top().from(0, j).at, wide, columns.from(top_from, j).at);
    }
    panel.to_message();
  }

  std::string_view by_columns_;
  Multiply<Real> multiply_;

 private:
  static void propose(Candidate<Real>& mine, Cyclic rows, int me, Block<Real> columns, Index j, Index from, Index here,
                      bool has) {
    mine.size() = -1, mine.row() = std::numeric_limits<double>::infinity(), mine.has_replaced() = has;
    if (here > 0) {
      const Index best = from + greatest(here, columns.from(from, j).at);
      mine.size() = std::abs(static_cast<double>(*columns.from(best, j).at));
      mine.row() = static_cast<double>(rows.global(me, best));
      for (Index k = 0; k < columns_of(mine); ++k) mine.values()[k] = *columns.from(best, k).at;
    }
    for (Index k = 0; has && k < columns_of(mine); ++k) mine.replaced()[k] = *columns.from(from, k).at;
  }
  static Index columns_of(const Candidate<Real>& mine) { return static_cast<Index>(mine.wide()); }

  // The pivot's row comes into the top block, the row that was there into the pivot's place.
  static void exchange(Panel<Real>& panel, Candidate<Real>& found, Cyclic rows, int me, Block<Real> columns, Index j) {
    const auto pivot = static_cast<Index>(found.row());
    panel.pivots[static_cast<std::size_t>(j)] = pivot;
    for (Index k = 0; k < panel.wide; ++k) *panel.top().from(j, k).at = found.values()[k];
    if (pivot == panel.first + j) return;
    if (rows.owner(pivot) == me) {
      const Index row = rows.before(me, pivot);
      for (Index k = 0; k < panel.wide; ++k) *columns.from(row, k).at = found.replaced()[k];
    }
    if (rows.owner(panel.first + j) == me) {
      const Index row = rows.before(me, panel.first + j);
      for (Index k = 0; k < panel.wide; ++k) *columns.from(row, k).at = found.values()[k];
    }
  }
};

}  // namespace assay::applications::dense
