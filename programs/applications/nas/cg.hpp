// CG, conjugate gradient: the smallest eigenvalue of a large sparse matrix of random pattern by inverse power
// iteration, each step of which is 25 steps of conjugate gradients. Ranks form a grid of as many columns as rows, or
// twice as many; each holds one block of the matrix. Vectors are divided by the grid's columns, and each row of the
// grid has them all. Source: RNR-94-007, section 2.2.3.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "applications/nas/cg_matrix.hpp"
#include "applications/nas/kernel.hpp"

namespace assay::applications::nas {

inline constexpr std::array<CgClass, classes> cg_classes{{
    {1400, 7, 15, 10, 8.5971775078648},
    {7000, 8, 15, 12, 10.362595087124},
    {14000, 11, 15, 20, 17.130235054029},
    {75000, 13, 75, 60, 22.712745482631},
    {150000, 15, 75, 110, 28.973605592845},
}};

template <ranks::Communicator C>
class Cg final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  static constexpr int steps_each = 25, sum_tag = 12, turn_tag = 13;

  Cg(C& comm, Class size, bool carries) : Charged<C>(comm, "cg", carries), size_(cg_classes[place(size)]) {
    ranks::needs(is_power_of_two(comm.size()), "a power of two of ranks", comm.size());
    while (columns_ * columns_ < comm.size()) columns_ *= 2;
    rows_ = comm.size() / columns_;
    row_ = comm.rank() / columns_;
    column_ = comm.rank() % columns_;
    own_ = {first(rows_, row_), first(rows_, row_ + 1), first(columns_, column_), first(columns_, column_ + 1)};
    length_ = static_cast<std::size_t>(own_.column_end - own_.column);
    height_ = static_cast<std::size_t>(own_.row_end - own_.row);
    if (!carries) return;
    matrix_ = cg_matrix(size_, own_);
    for (auto* vector : {&x_, &z_, &p_, &q_, &r_}) vector->assign(length_, 0);
    w_.assign(height_, 0);
    room_.assign(height_, 0);
  }

  static double operations(Class size) {
    const CgClass& at = cg_classes[place(size)];
    const double products = at.nonzeros * (at.nonzeros + 1);
    return 2.0 * at.iterations * at.order * (3 + products + steps_each * (5 + products) + 3);
  }

  // One iteration outside of what is timed, as the specification has it.
  ranks::Task prepare() override {
    if (carries_) std::fill(x_.begin(), x_.end(), 1);
    if (carries_) co_await iteration();
    if (carries_) std::fill(x_.begin(), x_.end(), 1);
  }
  ranks::Task run() override {
    for (int i = 0; i < size_.iterations; ++i) co_await iteration();
  }
  ranks::Task check(ranks::Verdict& verdict) override {
    std::string detail;
    const bool right = agrees(detail, "zeta", zeta_, size_.zeta, 1e-10);
    verdict = {right, detail};
    co_return;
  }

 private:
  std::int32_t first(int parts, int part) const {
    return static_cast<std::int32_t>(std::int64_t{size_.order} * part / parts);
  }

  ranks::Task iteration() {
    co_await solve();
    double dots[2] = {};
    co_await work(4 * static_cast<double>(length_), [&] {
      dots[0] = cg_dot(x_.data(), z_.data(), length_);
      dots[1] = cg_dot(z_.data(), z_.data(), length_);
    });
    co_await sum_over_row(dots, 2);
    co_await work(static_cast<double>(length_), [&] {
      zeta_ = size_.shift + 1 / dots[0];
      const double scale = 1 / std::sqrt(dots[1]);
      for (std::size_t i = 0; i < length_; ++i) x_[i] = scale * z_[i];
    });
  }

  // Conjugate gradients for A z = x, and the length of what is left, x - A z.
  ranks::Task solve() {
    double rho = 0;
    co_await work(2 * static_cast<double>(length_), [&] {
      std::fill(z_.begin(), z_.end(), 0);
      r_ = x_;
      p_ = x_;
      rho = cg_dot(r_.data(), r_.data(), length_);
    });
    co_await sum_over_row(&rho, 1);
    for (int step = 0; step < steps_each; ++step) {
      co_await multiply(p_);
      double dot = 0;
      co_await work(2 * static_cast<double>(length_), [&] { dot = cg_dot(p_.data(), q_.data(), length_); });
      co_await sum_over_row(&dot, 1);
      const double before = rho;
      co_await work(6 * static_cast<double>(length_),
                    [&] { rho = cg_step(before / dot, p_.data(), q_.data(), z_.data(), r_.data(), length_); });
      co_await sum_over_row(&rho, 1);
      co_await work(2 * static_cast<double>(length_), [&] {
        const double beta = rho / before;
        for (std::size_t i = 0; i < length_; ++i) p_[i] = r_[i] + beta * p_[i];
      });
    }
    co_await multiply(z_);
    double left = 0;
    co_await work(3 * static_cast<double>(length_), [&] {
      for (std::size_t i = 0; i < length_; ++i) left += (x_[i] - q_[i]) * (x_[i] - q_[i]);
    });
    co_await sum_over_row(&left, 1);
    left_ = std::sqrt(left);
  }

  // q = A vector: of this rank's block, added up over the grid's row, and exchanged with the rank that has what this
  // one's column needs.
  ranks::Task multiply(const std::vector<double>& vector) {
    const double products = static_cast<double>(size_.order) * size_.nonzeros * (size_.nonzeros + 1) / comm_.size();
    co_await work(2 * products, [&] { cg_multiply(matrix_, vector.data(), w_.data()); });
    for (int bit = 1; bit < columns_; bit *= 2) {
      const int other = row_ * columns_ + (column_ ^ bit);
      co_await comm_.sendrecv(data(w_), height_ * sizeof(double), other, data(room_), height_ * sizeof(double), other,
                              sum_tag);
      co_await work(static_cast<double>(height_), [&] {
        for (std::size_t i = 0; i < height_; ++i) w_[i] += room_[i];
      });
    }
    const int twice = columns_ / rows_;  // columns that make a row
    const int other_row = column_ / twice, other_column = row_ * twice + column_ % twice;
    const std::int32_t begin = first(columns_, row_ * twice + column_ % twice), end = first(columns_, other_column + 1);
    const auto from = static_cast<std::size_t>(begin - own_.row), count = static_cast<std::size_t>(end - begin);
    const int other = other_row * columns_ + other_column;
    if (other == comm_.rank()) {
      if (carries_) std::copy_n(w_.data() + from, count, q_.data());
    } else {
      co_await comm_.sendrecv(carries_ ? w_.data() + from : nullptr, count * sizeof(double), other, data(q_),
                              length_ * sizeof(double), other, turn_tag);
    }
  }

  ranks::Task sum_over_row(double* values, std::size_t count) {
    double theirs[2];
    for (int bit = 1; bit < columns_; bit *= 2) {
      const int other = row_ * columns_ + (column_ ^ bit);
      co_await comm_.sendrecv(values, count * sizeof(double), other, theirs, count * sizeof(double), other, sum_tag);
      for (std::size_t i = 0; i < count; ++i) values[i] += theirs[i];
    }
  }

  CgClass size_;
  int rows_ = 1, columns_ = 1, row_ = 0, column_ = 0;  // the grid of ranks, and this one's place
  Extent own_{};
  std::size_t length_ = 0, height_ = 0;  // of vectors by columns and by rows
  SparseMatrix matrix_;
  std::vector<double> x_, z_, p_, q_, r_, w_, room_;
  double zeta_ = 0, left_ = 0;
};

}  // namespace assay::applications::nas
