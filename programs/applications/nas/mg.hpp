// MG, multigrid: Poisson's equation on a periodic cube by V-cycles. Each rank has a block of the finer grids. A grid of
// which a rank would have less than two points along an edge is worked on as a whole by every rank, after an exchange
// of all its points. Source: RNR-94-007, section 2.2.2.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "applications/nas/kernel.hpp"
#include "applications/nas/mg_blocks.hpp"
#include "applications/nas/mg_charges.hpp"

namespace assay::applications::nas {

struct MgClass {
  std::size_t edge;  // points along each edge of the finest grid
  int iterations;
  Stencil smoother;
  double norm;  // official
};
inline constexpr Stencil small_smoother{-3.0 / 8, 1.0 / 32, -1.0 / 64, 0},
    large_smoother{-3.0 / 17, 1.0 / 33, -1.0 / 61, 0};
inline constexpr std::array<MgClass, classes> mg_classes{{
    {32, 4, small_smoother, 0.5307707005734e-4},
    {128, 4, small_smoother, 0.6467329375339e-5},
    {256, 4, small_smoother, 0.2433365309069e-5},
    {256, 20, large_smoother, 0.1800564401355e-5},
    {512, 20, large_smoother, 0.5706732285740e-6},
}};

template <ranks::Communicator C>
class Mg final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work;

 public:
  static constexpr int gather_tag = 15;

  Mg(C& comm, Class size, bool carries)
      : Charged<C>(comm, "mg", carries), size_(mg_classes[place(size)]), blocks_(comm.rank(), comm.size()) {
    ranks::needs(is_power_of_two(comm.size()) && 2 * static_cast<std::size_t>(blocks_.greatest()) <= size_.edge,
                 "a power of two of ranks, with two points or more of the finest grid along each edge", comm.size());
    top_ = static_cast<std::size_t>(std::bit_width(size_.edge)) - 1;
    while (whole_ + 1 < top_ && (std::size_t{2} << whole_) < 2 * static_cast<std::size_t>(blocks_.greatest())) ++whole_;
    if (comm.size() == 1) whole_ = 0;
    levels_.resize(top_ + 1);
    for (std::size_t level = 1; level <= top_; ++level) {
      const std::size_t edge = std::size_t{1} << level;
      const Extents own = level > whole_ ? blocks_.own(edge) : Extents{edge, edge, edge};
      Level& at = levels_[level];
      at.u.inner = at.r.inner = own;
      if (carries) at.u = at.r = Grid(own);
    }
    v_.inner = part_.inner = levels_[top_].u.inner;
    if (carries) v_ = Grid(v_.inner);
    if (whole_ > 0) {
      part_.inner = blocks_.own(std::size_t{1} << whole_);
      if (carries) part_ = Grid(part_.inner), gathered_.resize(part_.points() * static_cast<std::size_t>(comm.size()));
    }
  }

  static double operations(Class size) {
    const MgClass& at = mg_classes[place(size)];
    return 58.0 * at.iterations * std::pow(static_cast<double>(at.edge), 3);
  }

  ranks::Task prepare() override {
    if (!carries_) co_return;
    std::fill(levels_[top_].u.values.begin(), levels_[top_].u.values.end(), 0);
    MgCharges mine(blocks_.own(size_.edge), blocks_.first(size_.edge), size_.edge);
    std::vector<MgCharges> all(comm_.rank() == 0 ? static_cast<std::size_t>(comm_.size()) : 0);
    co_await ranks::gather(comm_, &mine, sizeof mine, all.data());
    for (const MgCharges& each : all) mine.join(each);
    co_await ranks::broadcast(comm_, &mine, sizeof mine);
    std::fill(v_.values.begin(), v_.values.end(), 0);
    const Extents first = blocks_.first(size_.edge);
    mine.each([&](const Extents& point, double charge) {
      Extents at;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (point[axis] < first[axis] || point[axis] >= first[axis] + v_.inner[axis]) return;
        at[axis] = point[axis] - first[axis] + 1;
      }
      v_.values[v_.place(at[0], at[1], at[2])] = charge;
    });
    co_await exchange(comm_, blocks_, v_);
  }

  ranks::Task run() override {
    co_await residual(top_, v_);
    for (int iteration = 0; iteration < size_.iterations; ++iteration) {
      co_await cycle();
      co_await residual(top_, v_);
    }
    double sum = 0, room = 0;
    co_await work(on(top_, 2 * points(top_)), [&] { sum = mg_squares(levels_[top_].r); });
    co_await sum_of_all(comm_, &sum, &room, 1);
    norm_ = std::sqrt(sum / std::pow(static_cast<double>(size_.edge), 3));
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    std::string detail;
    const bool right = agrees(detail, "norm", norm_, size_.norm, 1e-8);
    verdict = {right, detail};
    co_return;
  }

 private:
  static constexpr Stencil laplace{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
  struct Level {
    Grid u, r;
  };

  // Down to the coarsest grid, and up again with one smoothing on each.
  ranks::Task cycle() {
    for (std::size_t level = top_; level > 1; --level) co_await coarsen(level);
    co_await smooth(1, true);
    for (std::size_t level = 2; level <= top_; ++level) {
      co_await refine(level);
      co_await residual(level, level == top_ ? v_ : levels_[level].r);
      co_await smooth(level, false);
    }
  }

  ranks::Task residual(std::size_t level, const Grid& right) {
    Level& at = levels_[level];
    co_await work(on(level, 21 * points(level)), [&] { mg_residual(laplace, at.u, right, at.r); });
    co_await around(level, at.r);
  }
  ranks::Task smooth(std::size_t level, bool anew) {
    Level& at = levels_[level];
    co_await work(on(level, 23 * points(level)), [&] {
      if (anew) std::fill(at.u.values.begin(), at.u.values.end(), 0);
      mg_smooth(size_.smoother, at.r, at.u);
    });
    co_await around(level, at.u);
  }
  // The residual on the next coarser grid; where that is the finest which all ranks have as a whole, put together.
  ranks::Task coarsen(std::size_t level) {
    Level &fine = levels_[level], &coarse = levels_[level - 1];
    const bool meets = level == whole_ + 1 && whole_ > 0;
    Grid& to = meets ? part_ : coarse.r;
    co_await work(on(level, 30 * points(level) / 8), [&] { mg_restrict(fine.r, to); });
    if (meets) co_await put_together(coarse.r);
    co_await around(level - 1, coarse.r);
  }
  ranks::Task refine(std::size_t level) {
    Level &fine = levels_[level], &coarse = levels_[level - 1];
    const bool parts = level == whole_ + 1 && whole_ > 0;
    co_await work(on(level, 4 * points(level)), [&] {
      if (level < top_) std::fill(fine.u.values.begin(), fine.u.values.end(), 0);
      if (parts) take_part(coarse.u);
      mg_interpolate(parts ? part_ : coarse.u, fine.u);
    });
  }

  // Every rank's block of the coarse grid, to all, in rounds of twice as much.
  ranks::Task put_together(Grid& whole) {
    const std::size_t block = part_.points(), me = static_cast<std::size_t>(comm_.rank());
    if (carries_) {
      std::size_t i = me * block;
      inner(part_, [&](std::size_t at) { gathered_[i++] = part_.values[at]; });
    }
    for (std::size_t bit = 1; bit < static_cast<std::size_t>(comm_.size()); bit *= 2) {
      const std::size_t other = me ^ bit, mine = (me & ~(bit - 1)) * block, theirs = (other & ~(bit - 1)) * block;
      co_await comm_.sendrecv(carries_ ? gathered_.data() + mine : nullptr, bit * block * sizeof(double),
                              static_cast<int>(other), carries_ ? gathered_.data() + theirs : nullptr,
                              bit * block * sizeof(double), static_cast<int>(other), gather_tag);
    }
    if (!carries_) co_return;
    std::size_t i = 0;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const Extents first = blocks_.first_of(rank, whole.inner[0]);
      for (std::size_t z = 1; z <= part_.inner[2]; ++z)
        for (std::size_t y = 1; y <= part_.inner[1]; ++y)
          for (std::size_t x = 1; x <= part_.inner[0]; ++x)
            whole.values[whole.place(first[0] + x, first[1] + y, first[2] + z)] = gathered_[i++];
    }
  }
  // This rank's block of a grid that it has as a whole, with the layers around it.
  void take_part(const Grid& whole) {
    const Extents first = blocks_.first(whole.inner[0]);
    for (std::size_t z = 0; z < part_.inner[2] + 2; ++z)
      for (std::size_t y = 0; y < part_.inner[1] + 2; ++y)
        std::copy_n(whole.values.data() + whole.place(first[0], first[1] + y, first[2] + z), part_.inner[0] + 2,
                    part_.values.data() + part_.place(0, y, z));
  }

  template <class Each>
  static void inner(const Grid& grid, Each each) {
    for (std::size_t z = 1; z <= grid.inner[2]; ++z)
      for (std::size_t y = 1; y <= grid.inner[1]; ++y)
        for (std::size_t x = 1; x <= grid.inner[0]; ++x) each(grid.place(x, y, z));
  }

  ranks::Task around(std::size_t level, Grid& grid) {
    if (level > whole_ && comm_.size() > 1)
      co_await exchange(comm_, blocks_, grid);
    else if (carries_)
      wrap(grid);
  }
  // Work on a grid, whose loops pass over nine rows, two of sums and two of other grids again and again.
  ranks::Work on(std::size_t level, double flops) const {
    return {this->kernel_, flops, static_cast<double>(13 * (levels_[level].u.inner[0] + 2) * sizeof(double))};
  }
  double points(std::size_t level) const { return static_cast<double>(levels_[level].u.points()); }

  MgClass size_;
  Blocks blocks_;
  std::size_t top_ = 0, whole_ = 1;  // the finest grid, 2^top; the finest that all ranks have as a whole, 0: none
  std::vector<Level> levels_;
  Grid v_, part_;  // the right side; this rank's block of the grid `whole_`
  std::vector<double> gathered_;
  double norm_ = 0;
};

}  // namespace assay::applications::nas
