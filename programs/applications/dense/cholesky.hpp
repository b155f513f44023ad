// Cholesky factorisation of a symmetric positive definite matrix, its columns dealt out in turn, one by one or in
// blocks: whoever has the next ones factors them and sends them down a tree to all, and each takes their multiples off
// the columns that it has. Source: Geist and Heath 1986, Matrix factorization on a hypercube multiprocessor, which the
// hypercube report ran.
#pragma once

#include <vector>

#include "applications/application.hpp"
#include "applications/dense/blocks.hpp"
#include "applications/dense/symmetric_check.hpp"

namespace assay::applications::dense {

template <ranks::Communicator C, class Real>
class Cholesky final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  static constexpr int column_tag = 21;

  Cholesky(C& comm, Index size, Index block, std::string_view kernel, Multiply<Real> multiply, bool carries)
      : Charged<C>(comm, kernel, carries),
        size_(size),
        dealt_{block, comm.size()},
        all_{0, 1, comm.size(), comm.rank()},
        multiply_(multiply) {
    mine_ = dealt_.before(comm.rank(), size);
    if (!carries) return;
    own_.resize(static_cast<std::size_t>(mine_ * size));
    for (auto* each : {&sent_, &before_}) each->resize(static_cast<std::size_t>(block * size));
  }

  static double operations(Index size) {
    const auto n = static_cast<double>(size);
    return n * n * n / 3 + n * n / 2 + n / 6;
  }

  ranks::Task prepare() override {
    for (Index j = 0; carries_ && j < mine_; ++j) {
      const Index column = dealt_.global(comm_.rank(), j);
      for (Index i = column; i < size_; ++i)
        own_[static_cast<std::size_t>(j * size_ + i)] = static_cast<Real>(symmetric_element(size_, i, column));
    }
    co_return;
  }

  // Whoever has the next columns updates, factors and sends them before the rest of its own (compute-ahead).
  ranks::Task run() override {
    const Index step = dealt_.block;
    if (dealt_.owner(0) == comm_.rank()) co_await factor(0, std::min(step, size_));
    co_await send_columns(0);
    for (Index at = 0; at + step < size_; at += step) {
      const Index next = at + step, wide = std::min(step, size_ - next);
      std::swap(sent_, before_);
      if (dealt_.owner(next) == comm_.rank()) {
        co_await work(update_flops(next, next + wide, step), [&] { update(at, step, next, next + wide); });
        co_await factor(next, wide);
        co_await send_columns(next);
        co_await work(update_flops(next + wide, size_, step), [&] { update(at, step, next + wide, size_); });
      } else {
        co_await work(update_flops(next, size_, step), [&] { update(at, step, next, size_); });
        co_await send_columns(next);
      }
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    std::vector<double> product(static_cast<std::size_t>(size_));  // L (L' v) by the ranks' columns
    double sum = 0;
    for (Index j = 0; j < mine_; ++j) {
      const Index column = dealt_.global(comm_.rank(), j);
      const Real* const values = own_.data() + j * size_;
      double dot = 0;
      for (Index i = column; i < size_; ++i) dot += static_cast<double>(values[i]) * probe(i);
      for (Index i = column; i < size_; ++i) product[static_cast<std::size_t>(i)] += values[i] * dot;
      for (Index i = column; i < size_; ++i) sum += values[i];
    }
    co_await judge_factor<Real>(comm_, all_, size_, product, sum, column_tag, verdict);
  }

 private:
  ranks::Task send_columns(Index at) {
    const Index wide = std::min(dealt_.block, size_ - at);
    return spread(comm_, all_, static_cast<int>(dealt_.owner(at)), data(sent_),
                  static_cast<std::size_t>((size_ - at) * wide) * sizeof(Real), column_tag);
  }

  ranks::Task factor(Index at, Index wide) {
    const auto w = static_cast<double>(wide), high = static_cast<double>(size_ - at);
    // Each of its columns: a root, divisions, and its multiples off the columns of the block right of it.
    const double flops = w * w * high - w * (w - 1) / 2 - w * (w - 1) * (2 * w - 1) / 3;
    co_await work(flops, [&] {
      const Block<Real> block{own_.data() + dealt_.before(comm_.rank(), at) * size_ + at, size_};
      factor_columns(multiply_, wide, size_ - at - wide, block);
      for (Index j = 0; j < wide; ++j) std::copy_n(block.from(0, j).at, size_ - at, sent_.data() + j * (size_ - at));
    });
  }

  // Two per element on and below the diagonal of the columns from `from` to `to`, for each of the pivot columns.
  double update_flops(Index from, Index to, Index wide) const {
    double elements = 0;
    const Index end = dealt_.before(comm_.rank(), to);
    for (Index j = dealt_.before(comm_.rank(), from); j < end; j += dealt_.block) {
      const Index column = dealt_.global(comm_.rank(), j), columns = std::min(dealt_.block, size_ - column);
      elements += static_cast<double>(columns) * static_cast<double>(size_ - column) -
                  static_cast<double>(columns * (columns - 1)) / 2;
    }
    return 2 * static_cast<double>(wide) * elements;
  }

  // By the pivot columns from `at` on.
  void update(Index at, Index wide, Index from, Index to) {
    static constexpr Index strip = 64;  // columns at a time, as what is above the diagonal is for nothing
    const Block<const Real> sent{before_.data(), size_ - at};
    const Index end = dealt_.before(comm_.rank(), to);
    for (Index j = dealt_.before(comm_.rank(), from); j < end;) {
      const Index column = dealt_.global(comm_.rank(), j), in_block = dealt_.block - j % dealt_.block;
      const Index columns = std::min({strip, in_block, end - j});
      const Block<const Real> below = sent.from(column - at, 0);
      multiply_(size_ - column, columns, wide, below, below, true, {own_.data() + j * size_ + column, size_});
      j += columns;
    }
  }

  Index size_;
  Cyclic dealt_;
  Line all_;
  Multiply<Real> multiply_;
  Index mine_ = 0;
  std::vector<Real> own_, sent_, before_;  // this rank's columns; pivot columns from the diagonal on
};

}  // namespace assay::applications::dense
