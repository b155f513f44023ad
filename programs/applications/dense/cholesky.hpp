// Cholesky factorisation of a symmetric positive definite matrix, its columns dealt out in turn, one by one or in
// blocks: whoever has the next ones factors them and sends them down a tree to all, and each takes their multiples off
// the columns that it has. Source: Geist and Heath 1986, Matrix factorization on a hypercube multiprocessor, which the
// hypercube report ran.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "applications/application.hpp"
#include "applications/dense/blocks.hpp"
#include "applications/dense/scaled_error.hpp"
#include "applications/dense/trees.hpp"

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
    sent_.resize(static_cast<std::size_t>(block * size));
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

  ranks::Task run() override {
    for (Index at = 0; at < size_; at += dealt_.block) {
      const Index wide = std::min(dealt_.block, size_ - at), high = size_ - at;
      const auto owner = static_cast<int>(dealt_.owner(at));
      if (owner == comm_.rank()) co_await factor(at, wide);
      co_await spread(comm_, all_, owner, data(sent_), static_cast<std::size_t>(high * wide) * sizeof(Real), column_tag);
      co_await work(update_flops(at + wide, wide), [&] { update(at, wide); });
    }
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    // L (L' v) by the ranks' columns, beside A v by the formula.
    std::vector<double> product(static_cast<std::size_t>(size_)), room(product.size());
    for (Index j = 0; j < mine_; ++j) {
      const Index column = dealt_.global(comm_.rank(), j);
      const Real* const values = own_.data() + j * size_;
      double dot = 0;
      for (Index i = column; i < size_; ++i) dot += static_cast<double>(values[i]) * probe(i);
      for (Index i = column; i < size_; ++i) product[static_cast<std::size_t>(i)] += values[i] * dot;
    }
    co_await sum_up(comm_, all_, 0, product.data(), room.data(), product.size(), column_tag);
    co_await spread(comm_, all_, 0, product.data(), product.size() * sizeof(double), column_tag);
    Norms norms;
    for (Index i = comm_.rank(); i < size_; i += comm_.size()) {
      double sum = 0, row = 0;
      for (Index j = 0; j < size_; ++j) {
        const double value = symmetric_element(size_, i, j);
        sum += value * probe(j);
        row += std::abs(value);
      }
      norms.residual = larger(norms.residual, std::abs(sum - product[static_cast<std::size_t>(i)]));
      norms.matrix = larger(norms.matrix, row);
    }
    norms.solution = 0.5;
    co_await judge<Real>(comm_, all_, size_, norms, "A v - L L' v", verdict);
  }

 private:
  static double probe(Index i) { return element(i, Index{1} << 31); }

  ranks::Task factor(Index at, Index wide) {
    const auto w = static_cast<double>(wide), high = static_cast<double>(size_ - at);
    // Each of its columns: a root, divisions, and its multiples off the columns of the block right of it.
    const double flops = w * w * high - w * (w - 1) / 2 - w * (w - 1) * (2 * w - 1) / 3;
    co_await work(flops, [&] {
      const Block<Real> block{own_.data() + dealt_.before(comm_.rank(), at) * size_ + at, size_};
      factor_columns(multiply_, wide, size_ - at - wide, block);
      for (Index j = 0; j < wide; ++j)
        std::copy_n(block.from(0, j).at, size_ - at, sent_.data() + j * (size_ - at));
    });
  }

  // Two per element on and below the diagonal of the columns from `from` on, of each of the pivot columns.
  double update_flops(Index from, Index wide) const {
    double elements = 0;
    for (Index j = dealt_.before(comm_.rank(), from); j < mine_; j += dealt_.block) {
      const Index column = dealt_.global(comm_.rank(), j), columns = std::min(dealt_.block, size_ - column);
      elements += static_cast<double>(columns) * static_cast<double>(size_ - column) -
                  static_cast<double>(columns * (columns - 1)) / 2;
    }
    return 2 * static_cast<double>(wide) * elements;
  }

  void update(Index at, Index wide) {
    static constexpr Index strip = 64;  // columns at a time, as what is above the diagonal is for nothing
    const Block<const Real> sent{sent_.data(), size_ - at};
    for (Index j = dealt_.before(comm_.rank(), at + wide); j < mine_;) {
      const Index column = dealt_.global(comm_.rank(), j), in_block = dealt_.block - j % dealt_.block;
      const Index columns = std::min({strip, in_block, mine_ - j});
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
  std::vector<Real> own_, sent_;  // this rank's columns; the pivot columns from the diagonal on
};

}  // namespace assay::applications::dense
