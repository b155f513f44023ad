// Cholesky factorisation on a grid of ranks, over which blocks of rows and columns are dealt out. The ranks of one
// column of the grid factor a panel: the owner of its triangle, then each the rows below that it has. The panel goes
// along the rows of the grid from neighbour to neighbour; then every rank gets, down its column of the grid, those rows
// of the panel that belong to its own columns. The next panel is factored and sent before the rest is updated
// (look-ahead by one).
#pragma once

#include <algorithm>
#include <vector>

#include "applications/application.hpp"
#include "applications/dense/blocks.hpp"
#include "applications/dense/grid.hpp"
#include "applications/dense/symmetric_check.hpp"

namespace assay::applications::dense {

template <ranks::Communicator C, class Real>
class GridCholesky final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  static constexpr int triangle_tag = 31, panel_tag = 32, turned_tag = 33, check_tag = 34;

  GridCholesky(C& comm, Index size, Index block, Grid grid, std::string_view kernel, Multiply<Real> multiply,
               bool carries)
      : Charged<C>(comm, kernel, carries),
        size_(size),
        rows_{block, grid.rows},
        columns_{block, grid.columns},
        down_(grid.column_of(comm.rank())),
        along_(grid.row_of(comm.rank())),
        multiply_(multiply) {
    high_ = rows_.before(down_.me, size);
    wide_ = columns_.before(along_.me, size);
    if (!carries) return;
    own_.resize(static_cast<std::size_t>(high_ * wide_));
    triangle_.resize(static_cast<std::size_t>(block * block));
    for (Panel& each : panels_) each.values.resize(static_cast<std::size_t>(block * high_));
    for (auto* each : {&turned_, &room_}) each->resize(static_cast<std::size_t>(block * wide_));
  }

  ranks::Task prepare() override {
    for (Index j = 0; carries_ && j < wide_; ++j) {
      const Index column = columns_.global(along_.me, j);
      for (Index i = rows_.before(down_.me, column); i < high_; ++i)
        *at(i, j).at = static_cast<Real>(symmetric_element(size_, rows_.global(down_.me, i), column));
    }
    co_return;
  }

  ranks::Task run() override {
    Panel *panel = &panels_[0], *next = &panels_[1];
    begin(*panel, 0);
    if (has(*panel))
      co_await factor(*panel);
    else
      co_await comm_.recv(data(panel->values), panel->bytes(), before_me(), panel_tag);
    co_await to_neighbour(*panel);
    while (panel->below() < size_) {
      const Index from = columns_.before(along_.me, panel->below());
      co_await turn(*panel, from);
      begin(*next, panel->below());
      if (has(*next)) {
        co_await update(*panel, from, from, from + next->wide);
        co_await factor(*next);
        if (along_.count > 1) {
          auto sent = co_await comm_.isend(data(next->values), next->bytes(), after_me(), panel_tag);
          co_await update(*panel, from, from + next->wide, wide_);
          co_await comm_.wait(sent);
        } else {
          co_await update(*panel, from, from + next->wide, wide_);
        }
      } else {
        auto due = co_await comm_.irecv(data(next->values), next->bytes(), before_me(), panel_tag);
        co_await update(*panel, from, from, wide_);
        co_await comm_.wait(due);
        co_await to_neighbour(*next);
      }
      std::swap(panel, next);
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    const Line all{0, 1, comm_.size(), comm_.rank()};
    std::vector<double> dots(static_cast<std::size_t>(size_)), product(dots.size());
    double sum = 0;
    const auto each_element = [this](auto body) {
      for (Index j = 0; j < wide_; ++j) {
        const Index column = columns_.global(along_.me, j);
        for (Index i = rows_.before(down_.me, column); i < high_; ++i)
          body(rows_.global(down_.me, i), column, static_cast<double>(*at(i, j).at));
      }
    };
    each_element([&](Index i, Index j, double value) { dots[static_cast<std::size_t>(j)] += value * probe(i); });
    co_await total(comm_, all, dots, check_tag);
    each_element([&](Index i, Index j, double value) {
      product[static_cast<std::size_t>(i)] += value * dots[static_cast<std::size_t>(j)];
      sum += value;
    });
    co_await judge_factor<Real>(comm_, all, size_, product, sum, check_tag, verdict);
  }

 private:
  // `wide` columns from `first` on; of this rank's rows below the triangle `rows`.
  struct Panel {
    Index first = 0, wide = 0, rows = 0;
    std::vector<Real> values{};
    Index below() const { return first + wide; }
    std::size_t bytes() const { return static_cast<std::size_t>(rows * wide) * sizeof(Real); }
    Block<Real> block() { return {values.data(), rows}; }
  };

  Block<Real> at(Index row, Index column) { return Block<Real>{own_.data(), high_}.from(row, column); }
  static Block<const Real> fixed(Block<Real> a) { return {a.at, a.step}; }
  bool has(const Panel& panel) const { return columns_.owner(panel.first) == along_.me; }
  int before_me() const { return along_.rank((along_.me + along_.count - 1) % along_.count); }
  int after_me() const { return along_.rank((along_.me + 1) % along_.count); }

  void begin(Panel& panel, Index first) {
    panel.first = first;
    panel.wide = std::min(rows_.block, size_ - first);
    panel.rows = high_ - rows_.before(down_.me, panel.below());
  }
  ranks::Task to_neighbour(Panel& panel) {
    if ((along_.me + 1) % along_.count != static_cast<int>(columns_.owner(panel.first)))
      co_await comm_.send(data(panel.values), panel.bytes(), after_me(), panel_tag);
  }

  ranks::Task factor(Panel& panel) {
    const Index wide = panel.wide, column = columns_.before(along_.me, panel.first);
    const auto owner = static_cast<int>(rows_.owner(panel.first));
    const auto w = static_cast<double>(wide);
    if (down_.me == owner) {
      co_await work(w * w * w - w * (w - 1) / 2 - w * (w - 1) * (2 * w - 1) / 3, [&] {
        const Block<Real> own = at(rows_.before(down_.me, panel.first), column);
        factor_triangle(multiply_, wide, own);
        for (Index j = 0; j < wide; ++j) std::copy_n(own.from(0, j).at, wide, triangle_.data() + j * wide);
      });
    }
    co_await spread(comm_, down_, owner, data(triangle_), static_cast<std::size_t>(wide * wide) * sizeof(Real),
                    triangle_tag);
    co_await work(w * w * static_cast<double>(panel.rows), [&] {
      const Block<Real> own = at(high_ - panel.rows, column);
      solve_right(multiply_, wide, panel.rows, Block<const Real>{triangle_.data(), wide}, own);
      for (Index j = 0; j < wide; ++j) std::copy_n(own.from(0, j).at, panel.rows, panel.block().from(0, j).at);
    });
  }

  // The rows of the panel that belong to this rank's columns from `from` on, each from whoever of its column has it.
  ranks::Task turn(Panel& panel, Index from) {
    const Index columns = wide_ - from;
    for (int owner = 0; owner < down_.count; ++owner) {
      Index count = 0;
      for (Index j = from; j < wide_; j += block_from(j)) count += of_row(j, owner) ? block_from(j) : 0;
      if (count == 0) continue;
      const Block<Real> room{room_.data(), count}, turned{turned_.data(), columns};
      const auto each_block = [&](auto body) {
        for (Index j = from, place = 0; carries_ && j < wide_; j += block_from(j)) {
          if (!of_row(j, owner)) continue;
          for (Index k = 0; k < panel.wide; ++k) body(j, place, k, block_from(j));
          place += block_from(j);
        }
      };
      if (down_.me == owner) {
        each_block([&](Index j, Index place, Index k, Index high) {
          const Index row = rows_.before(down_.me, columns_.global(along_.me, j)) - (high_ - panel.rows);
          std::copy_n(panel.block().from(row, k).at, high, room.from(place, k).at);
        });
      }
      co_await spread(comm_, down_, owner, data(room_), static_cast<std::size_t>(count * panel.wide) * sizeof(Real),
                      turned_tag);
      each_block([&](Index j, Index place, Index k, Index high) {
        std::copy_n(room.from(place, k).at, high, turned.from(j - from, k).at);
      });
    }
  }
  // Of this rank's columns: how many are left of the block of the j-th, and whether such a row of the grid has its
  // rows.
  Index block_from(Index j) const { return std::min(columns_.block - j % columns_.block, wide_ - j); }
  bool of_row(Index j, int row) const { return rows_.owner(columns_.global(along_.me, j)) == row; }

  // The panel's product off this rank's columns from `begin` to `end`; `turned_` begins with column `from`.
  ranks::Task update(Panel& panel, Index from, Index begin, Index end) {
    static constexpr Index strip = 64;  // columns at a time, as what is above the diagonal is for nothing
    double elements = 0;                // on and below the diagonal
    for (Index j = begin; j < end; j += block_from(j)) {
      const Index columns = block_from(j), first = columns_.global(along_.me, j);
      elements += static_cast<double>(columns * (high_ - rows_.before(down_.me, first + columns)));
      if (rows_.owner(first) == down_.me) elements += static_cast<double>(columns * (columns + 1)) / 2;
    }
    co_await work(2 * static_cast<double>(panel.wide) * elements, [&] {
      const Block<const Real> below = fixed(panel.block()), turned{turned_.data(), wide_ - from};
      for (Index j = begin; j < end;) {
        const Index columns = std::min(strip, block_from(j));
        const Index row = rows_.before(down_.me, columns_.global(along_.me, j));
        multiply_(high_ - row, columns, panel.wide, below.from(row - (high_ - panel.rows), 0), turned.from(j - from, 0),
                  true, at(row, j));
        j += columns;
      }
    });
  }

  Index size_;
  Cyclic rows_, columns_;
  Line down_, along_;  // this rank's column and row of the grid
  Multiply<Real> multiply_;
  Index high_ = 0, wide_ = 0;
  std::vector<Real> own_;  // this rank's part of the matrix
  Panel panels_[2];
  std::vector<Real> triangle_, turned_, room_;
};

}  // namespace assay::applications::dense
