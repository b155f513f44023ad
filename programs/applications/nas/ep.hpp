// EP, embarrassingly parallel: pairs of Gaussian deviates by Marsaglia's polar method, their sums, and how many lie in
// each square annulus. Ranks exchange nothing but the sums. Source: RNR-94-007, section 2.2.1.
#pragma once

#include <array>
#include <cstddef>

#include "applications/nas/ep_pairs.hpp"
#include "applications/nas/kernel.hpp"

namespace assay::applications::nas {

struct EpClass {
  int log_pairs;  // pairs of uniform numbers: two to this power
  double sum_x, sum_y;
};
inline constexpr std::array<EpClass, classes> ep_classes{{
    {24, -3.247834652034740e+3, -6.958407078382297e+3},
    {25, -2.863319731645753e+3, -6.320053679109499e+3},
    {28, -4.295875165629892e+3, -1.580732573678431e+4},
    {30, 4.033815542441498e+4, -2.660669192809235e+4},
    {32, 4.764367927995374e+4, -8.084072988043731e+4},
}};

template <ranks::Communicator C>
class Ep final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work;

 public:
  Ep(C& comm, Class size, int threads, bool carries)
      : Charged<C>(comm, "ep", carries), size_(ep_classes[place(size)]), threads_(threads) {}

  // As NPB counts: the uniform numbers.
  static double operations(Class size) { return std::ldexp(1, ep_classes[place(size)].log_pairs + 1); }

  ranks::Task prepare() override {
    found_ = {};
    co_return;
  }

  // Blocks of 2^16 pairs, dealt out in turn: a rank that has one more works longer by one.
  ranks::Task run() override {
    const std::int64_t blocks = std::int64_t{1} << (size_.log_pairs - ep_log_block);
    const std::int64_t from = blocks * comm_.rank() / comm_.size(), to = blocks * (comm_.rank() + 1) / comm_.size();
    const double numbers = static_cast<double>(to - from) * 2 * ep_block;
    co_await work(numbers * flops_each, [&] { ep_pairs(from, to, threads_, found_); });
    double* const sums = &found_.sum_x;
    co_await sum_of_all(comm_, sums, room_.data(), ep_sums);
  }

  ranks::Task check(ranks::Verdict& verdict) override {
    std::string detail;
    bool right = agrees(detail, "x", found_.sum_x, size_.sum_x, epsilon);
    right &= agrees(detail, "y", found_.sum_y, size_.sum_y, epsilon);
    verdict = {right, detail};
    co_return;
  }

 private:
  // The specification's table of operation counts: 26.68 Gflop for the 2^29 numbers of class A.
  static constexpr double flops_each = 26.68e9 / 536870912;
  static constexpr double epsilon = 1e-8;  // of the specification
  EpClass size_;
  int threads_;
  EpSums found_;
  std::array<double, ep_sums> room_{};
};

}  // namespace assay::applications::nas
