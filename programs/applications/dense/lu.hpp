// A system of equations solved by LU with partial pivoting, the matrix and its right side in blocks dealt out over a
// grid of ranks. The next panel is factored and sent along the rows of the grid, from each rank to its neighbour,
// before what is right of it is updated (look-ahead by one). Source: the method of HPL (Petitet, Whaley, Dongarra,
// Cleary).
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "applications/dense/grid.hpp"
#include "applications/dense/moves.hpp"
#include "applications/dense/panel.hpp"
#include "applications/dense/scaled_error.hpp"

namespace assay::applications::dense {

template <ranks::Communicator C, class Real>
class Lu final : public PanelFactoring<C, Real> {
  using Base = PanelFactoring<C, Real>;
  using Base::comm_, Base::carries_, Base::work, Base::data, Base::multiply_, Base::factor;

 public:
  static constexpr int panel_tag = 23, swap_tag = 24, row_tag = 25, back_tag = 26;

  Lu(C& comm, Index size, Index block, Grid grid, std::string_view kernel, std::string_view by_columns,
     Multiply<Real> multiply, bool carries)
      : Base(comm, kernel, by_columns, multiply, carries),
        size_(size),
        rows_{block, grid.rows},
        columns_{block, grid.columns},
        down_(grid.column_of(comm.rank())),
        along_(grid.row_of(comm.rank())) {
    high_ = rows_.before(down_.me, size);
    wide_ = columns_.before(along_.me, size + 1);
    for (Panel<Real>& each : panels_) each.pivots.reserve(static_cast<std::size_t>(block));
    if (!carries) return;
    own_.resize(static_cast<std::size_t>(high_ * wide_));
    for (Panel<Real>& each : panels_)
      each.values.resize(static_cast<std::size_t>(Panel<Real>::in_front(block) + block * (block + high_)));
    upper_.resize(static_cast<std::size_t>(block * wide_));
    for (auto* each : {&out_, &in_}) each->resize(static_cast<std::size_t>(block * std::max(wide_, Index{1})));
    x_.resize(static_cast<std::size_t>(size));
    sums_.resize(static_cast<std::size_t>(high_));
  }

  static double operations(Index size) {
    const auto n = static_cast<double>(size);
    return 2 * n * n * n / 3 + 3 * n * n / 2;
  }

  ranks::Task prepare() override {
    for (Index j = 0; carries_ && j < wide_; ++j) {
      const Index column = columns_.global(along_.me, j);
      for (Index i = 0; i < high_; ++i) *at(i, j).at = static_cast<Real>(element(rows_.global(down_.me, i), column));
    }
    co_return;
  }

  ranks::Task run() override {
    Panel<Real>*panel = &panels_[0], *next = &panels_[1];
    begin(*panel, 0);
    if (has(*panel)) co_await factor(*panel, down_, rows_, size_, columns_of(*panel));
    co_await pass_on(*panel);
    while (panel->first < size_) {
      const Index right = panel->first + panel->wide, from = columns_.before(along_.me, right);
      begin(*next, right);
      const Moves moves(panel->first, panel->pivots, rows_);
      if (next->wide > 0 && has(*next)) {
        co_await update(*panel, moves, from, from + next->wide);
        co_await factor(*next, down_, rows_, size_, columns_of(*next));
        if (along_.count > 1) {
          auto sent = co_await comm_.isend(data(next->values), next->bytes(),
                                           along_.rank((along_.me + 1) % along_.count), panel_tag);
          co_await update(*panel, moves, from + next->wide, wide_);
          co_await comm_.wait(sent);
        } else {
          co_await update(*panel, moves, from + next->wide, wide_);
        }
      } else if (next->wide > 0) {
        auto due = co_await comm_.irecv(data(next->values), next->bytes(),
                                        along_.rank((along_.me + along_.count - 1) % along_.count), panel_tag);
        co_await update(*panel, moves, from, wide_);
        co_await comm_.wait(due);
        arrived(*next);
        co_await to_neighbour(*next);
      } else {
        co_await update(*panel, moves, from, wide_);
      }
      std::swap(panel, next);
    }
    co_await back();
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    const Line all{0, 1, comm_.size(), comm_.rank()};
    for (Index first = 0; first < size_; first += rows_.block) {
      const auto owner = static_cast<int>(rows_.owner(first) * along_.count + columns_.owner(first));
      const auto count = static_cast<std::size_t>(std::min(rows_.block, size_ - first));
      co_await spread(comm_, all, owner, x_.data() + first, count * sizeof(Real), back_tag);
    }
    Norms norms;
    for (Index i = comm_.rank(); i < size_; i += comm_.size()) {
      const double right = element(i, size_);
      double sum = -right, row = 0;
      for (Index j = 0; j < size_; ++j) {
        const double value = element(i, j);
        sum += value * static_cast<double>(x_[static_cast<std::size_t>(j)]);
        row += std::abs(value);
      }
      norms.residual = larger(norms.residual, std::abs(sum));
      norms.matrix = larger(norms.matrix, row);
      norms.right_side = larger(norms.right_side, std::abs(right));
    }
    for (std::size_t i = 0; comm_.rank() == 0 && i < x_.size(); ++i) norms.sum += x_[i];
    for (const Real each : x_) norms.solution = larger(norms.solution, std::abs(static_cast<double>(each)));
    co_await judge<Real>(comm_, all, size_, norms, "A x - b", verdict);
  }

 private:
  Block<Real> at(Index row, Index column) { return Block<Real>{own_.data(), high_}.from(row, column); }
  bool has(const Panel<Real>& panel) const { return columns_.owner(panel.first) == along_.me; }
  Block<Real> columns_of(const Panel<Real>& panel) { return at(0, columns_.before(along_.me, panel.first)); }

  void begin(Panel<Real>& panel, Index first) {
    panel.first = first;
    panel.wide = std::clamp(size_ - first, Index{0}, rows_.block);
    panel.rows = high_ - rows_.before(down_.me, std::min(first + panel.wide, size_));
    panel.pivots.assign(static_cast<std::size_t>(panel.wide), 0);
  }
  void arrived(Panel<Real>& panel) {
    if (carries_) return panel.from_message();
    for (Index j = 0; j < panel.wide; ++j)
      panel.pivots[static_cast<std::size_t>(j)] = presumed_pivot(panel.first + j, size_);
  }
  // The first panel, which nothing is done beside.
  ranks::Task pass_on(Panel<Real>& panel) {
    if (along_.count == 1) co_return;
    if (!has(panel)) {
      co_await comm_.recv(data(panel.values), panel.bytes(), along_.rank((along_.me + along_.count - 1) % along_.count),
                          panel_tag);
      arrived(panel);
    }
    co_await to_neighbour(panel);
  }
  ranks::Task to_neighbour(Panel<Real>& panel) {
    const int neighbour = (along_.me + 1) % along_.count;
    if (neighbour != static_cast<int>(columns_.owner(panel.first)))
      co_await comm_.send(data(panel.values), panel.bytes(), along_.rank(neighbour), panel_tag);
  }

  // The exchanges of a panel, its rows of U and its product, in this rank's columns from `from` to `to`.
  ranks::Task update(Panel<Real>& panel, const Moves& moves, Index from, Index to) {
    const Index columns = to - from, wide = panel.wide;
    if (columns <= 0) co_return;
    const auto top_owner = static_cast<int>(rows_.owner(panel.first));
    const Block<Real> upper{upper_.data(), wide};
    if (top_owner == down_.me) {
      co_await collect_top(panel, moves, from, columns, upper);
      co_await work(static_cast<double>(wide * wide) * static_cast<double>(columns), [&] {
        const Block<Real> top = panel.top();
        solve_lower(multiply_, wide, columns, Block<const Real>{top.at, top.step}, upper);
        const Index row = rows_.before(down_.me, panel.first);
        for (Index j = 0; j < columns; ++j) std::copy_n(upper.from(0, j).at, wide, at(row, from + j).at);
      });
    } else {
      co_await give_rows(moves, from, columns, top_owner);
    }
    co_await spread(comm_, down_, top_owner, data(upper_), static_cast<std::size_t>(wide * columns) * sizeof(Real),
                    row_tag);
    co_await work(2 * static_cast<double>(panel.rows * wide) * static_cast<double>(columns), [&] {
      const Block<Real> below = panel.below();
      multiply_(panel.rows, columns, wide, Block<const Real>{below.at, below.step}, Block<const Real>{upper.at, wide},
                false, at(high_ - panel.rows, from));
    });
  }

  // The owner of the top block: the rows that come to it, and those of its own that go, to each other row of the grid.
  ranks::Task collect_top(Panel<Real>& panel, const Moves& moves, Index from, Index columns, Block<Real> upper) {
    if (carries_) {  // what comes from this rank's own rows
      for (Index i = 0; i < panel.wide; ++i) {
        const Index source = moves.top[static_cast<std::size_t>(i)];
        if (rows_.owner(source) == down_.me)
          copy_row(at(rows_.before(down_.me, source), from), upper.from(i, 0), columns);
      }
    }
    for (int other = 0; other < down_.count; ++other) {
      const auto& away = moves.moved[static_cast<std::size_t>(other)];
      const auto count = static_cast<Index>(away.size());
      if (count == 0 || other == down_.me) continue;
      for (Index i = 0; carries_ && i < count; ++i)
        copy_row(at(rows_.before(down_.me, away[static_cast<std::size_t>(i)].from), from), {out_.data() + i, count},
                 columns);
      const std::size_t bytes = static_cast<std::size_t>(count * columns) * sizeof(Real);
      co_await comm_.sendrecv(data(out_), bytes, down_.rank(other), data(in_), bytes, down_.rank(other), swap_tag);
      for (Index i = 0; carries_ && i < panel.wide; ++i) {
        const Index source = moves.top[static_cast<std::size_t>(i)];
        for (Index k = 0; k < count; ++k) {
          if (away[static_cast<std::size_t>(k)].row == source)
            copy_row({in_.data() + k, count}, upper.from(i, 0), columns);
        }
      }
    }
    if (!carries_) co_return;
    for (const auto& each : moves.moved[static_cast<std::size_t>(down_.me)])
      copy_row(at(rows_.before(down_.me, each.from), from), at(rows_.before(down_.me, each.row), from), columns);
  }
  ranks::Task give_rows(const Moves& moves, Index from, Index columns, int top_owner) {
    const auto& away = moves.moved[static_cast<std::size_t>(down_.me)];
    const auto count = static_cast<Index>(away.size());
    if (count == 0) co_return;
    for (Index i = 0; carries_ && i < count; ++i)
      copy_row(at(rows_.before(down_.me, away[static_cast<std::size_t>(i)].row), from), {out_.data() + i, count},
               columns);
    const std::size_t bytes = static_cast<std::size_t>(count * columns) * sizeof(Real);
    co_await comm_.sendrecv(data(out_), bytes, down_.rank(top_owner), data(in_), bytes, down_.rank(top_owner),
                            swap_tag);
    for (Index i = 0; carries_ && i < count; ++i)
      copy_row({in_.data() + i, count}, at(rows_.before(down_.me, away[static_cast<std::size_t>(i)].row), from),
               columns);
  }
  static void copy_row(Block<Real> from, Block<Real> to, Index columns) {
    for (Index j = 0; j < columns; ++j) to.at[j * to.step] = from.at[j * from.step];
  }

  // U x = y from the last block to the first: each rank takes what it knows of x off its rows, and the owner of a block
  // of the diagonal adds up its row of the grid.
  ranks::Task back() {
    const auto right_side = static_cast<int>(columns_.owner(size_));
    for (Index i = 0; carries_ && i < high_; ++i)
      sums_[static_cast<std::size_t>(i)] = along_.me == right_side ? *at(i, wide_ - 1).at : Real{0};
    for (Index first = (size_ - 1) / rows_.block * rows_.block; first >= 0; first -= rows_.block) {
      const Index count = std::min(rows_.block, size_ - first), row = rows_.before(down_.me, first);
      const auto owner_row = static_cast<int>(rows_.owner(first)),
                 owner_column = static_cast<int>(columns_.owner(first));
      Real* const part = carries_ ? sums_.data() + row : nullptr;
      if (down_.me == owner_row)
        co_await sum_up(comm_, along_, owner_column, part, data(in_), static_cast<std::size_t>(count), back_tag);
      if (along_.me != owner_column) continue;
      const Index column = columns_.before(along_.me, first);
      Real* const x = carries_ ? x_.data() + first : nullptr;
      if (down_.me == owner_row) {
        co_await work(Base::by_columns_, static_cast<double>(count * count), [&] {
          std::copy_n(part, count, x);
          const Block<Real> upper = at(row, column);
          solve_upper(count, Block<const Real>{upper.at, upper.step}, x);
        });
      }
      co_await spread(comm_, down_, owner_row, x, static_cast<std::size_t>(count) * sizeof(Real), back_tag);
      co_await work(Base::by_columns_, 2 * static_cast<double>(row * count), [&] {
        const Block<Real> above = at(0, column);
        own_multiply(row, Index{1}, count, Block<const Real>{above.at, above.step}, Block<const Real>{x, count}, false,
                     Block<Real>{sums_.data(), row});
      });
    }
  }

  Index size_;
  Cyclic rows_, columns_;
  Line down_, along_;  // this rank's column and row of the grid
  Index high_ = 0, wide_ = 0;
  std::vector<Real> own_;  // this rank's part of the matrix, the right side as its last column
  Panel<Real> panels_[2];
  std::vector<Real> upper_, out_, in_, x_, sums_;
};

}  // namespace assay::applications::dense
