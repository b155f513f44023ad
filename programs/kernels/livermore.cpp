// The Livermore loops: each is timed by itself, several executions a reading, so that the clock costs under 1%; the
// arrays have their first values before each reading, and one execution warms the caches.
#include <memory>

#include "kernels/livermore_loops.hpp"
#include "kernels/short_text.hpp"
#include "timing/clock.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "livermore"
title = "Livermore loops"
part = "kernels"
kind = "node"
historical = true
summary = "the 24 Livermore loops at their longest published lengths: rate of each, and the means"
cost = "McMahon's weights: 1 flop for an addition, subtraction, multiplication or comparison, 4 for a division or a root, 8 for an exponential"
check = "a weighted sum of what each loop leaves, against the same in long double"
source = "McMahon 1986 (UCRL-53745); Dunigan 1991, section 3.2"
published = ["livermore"]
statistics = ["median", "best"]
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 3

[unit.loops]
source = "kernels/livermore_loops.cpp"

# On a described machine: one rate for all loops, so that only their harmonic mean is answered.
[described]
kernel = "livermore"
metric = { harmonic = "1 / unit" }

[metric.pass]
unit = "s"
help = "time of a pass over all loops, giving the arrays their first values included"

[metric.flop_time]
unit = "s"
help = "time of a flop of one loop, median of a block's readings"

[metric.harmonic]
unit = "flop/s"
help = "harmonic mean of the loops' rates in a block"

[metric.geometric]
unit = "flop/s"
help = "geometric mean"

[metric.arithmetic]
unit = "flop/s"
help = "arithmetic mean"

[figure.rate]
metric = "flop_time"
formula = "1 / value"
unit = "flop/s"
better = "higher"
help = "rate of one loop"

[figure.rate_harmonic_mean]
metric = "harmonic"
unit = "flop/s"
better = "higher"
headline = true
help = "harmonic mean of the 24 rates, which Dunigan gives"

[figure.rate_geometric_mean]
metric = "geometric"
unit = "flop/s"
better = "higher"
help = "geometric mean of the 24 rates"

[figure.rate_arithmetic_mean]
metric = "arithmetic"
unit = "flop/s"
better = "higher"
help = "arithmetic mean of the 24 rates"
)record";

namespace {

using namespace assay::timing;
using assay::kernels::loops;
using assay::kernels::Loops;

class Session {
 public:
  Session() {
    constexpr std::int64_t long_enough = 10'000;  // ns
    for (int loop = 1; loop <= loops; ++loop)
      for (auto& times = executions_[at(loop)]; times < 256 && reading(loop, times) < long_enough;) times *= 2;
  }
  void pass() {
    for (int loop = 1; loop <= loops; ++loop) {
      const double flops = static_cast<double>(executions_[at(loop)] * flops_of(loop));
      readings_[at(loop)].push_back(1e-9 * static_cast<double>(reading(loop, executions_[at(loop)])) / flops);
    }
  }
  void begin() {
    for (auto& readings : readings_) readings.clear();
  }
  double flop_time(int loop) const {
    std::vector<double> sorted = readings_[at(loop)];
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
  double mean(double (*in)(double), double (*out)(double)) const {
    double sum = 0;
    for (int loop = 1; loop <= loops; ++loop) sum += in(1 / flop_time(loop));
    return out(sum / loops);
  }
  [[gnu::cold]] std::pair<int, std::string> wrong() {
    auto exact = std::make_unique<Loops<long double>>();
    int count = 0;
    std::string text;
    for (int loop = 1; loop <= loops; ++loop) {
      work_->restore();
      exact->restore();
      work_->run(loop);
      exact->run(loop);
      const long double expected = exact->checksum(loop), off = std::abs(work_->checksum(loop) - expected);
      if (off <= 1e-12L * std::abs(expected)) continue;
      ++count;
      text += (text.empty() ? "" : ", ") + std::to_string(loop) + " by " +
              assay::kernels::short_text(static_cast<double>(off / expected));
    }
    return {count, text};
  }
  [[gnu::cold]] std::string checksums() {  // what another evaluation is compared with
    std::string text;
    for (int loop = 1; loop <= loops; ++loop) {
      work_->restore();
      work_->run(loop);
      char one[40];
      std::snprintf(one, sizeof one, "%s%.17Lg", loop == 1 ? "" : " ", work_->checksum(loop));
      text += one;
    }
    return text;
  }

 private:
  static std::size_t at(int loop) { return static_cast<std::size_t>(loop - 1); }
  std::int64_t reading(int loop, std::int64_t times) {
    work_->restore();
    work_->run(loop);
    touched();
    const std::int64_t from = now_ns();
    for (; times > 0; --times) {
      work_->run(loop);
      touched();
    }
    return now_ns() - from;
  }
  std::int64_t flops_of(int loop) {
    if (loop == 16) work_->run(loop);
    return work_->flops(loop);
  }

  std::unique_ptr<Loops<double>> work_ = std::make_unique<Loops<double>>();
  std::array<std::int64_t, loops> executions_ = [] {
    std::array<std::int64_t, loops> ones{};
    ones.fill(1);
    return ones;
  }();
  std::array<std::vector<double>, loops> readings_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) __attribute__((cold)) {
    auto session = std::make_shared<Session>();
    at.measure("pass",
               [session](std::int64_t passes) {
                 for (; passes > 0; --passes) session->pass();
               },
               {.warm = [session] { session->begin(); }});
    for (int loop = 1; loop <= loops; ++loop)
      at.observe("flop_time", "loop", loop, [session, loop] { return session->flop_time(loop); });
    const auto one = [](double rate) { return rate; };
    at.add_metric("arithmetic", [=] { return session->mean(one, one); });
    const auto inverse = [](double rate) { return 1 / rate; };
    at.add_metric("harmonic", [=] { return session->mean(inverse, inverse); });
    at.add_metric("geometric", [=] {
      return session->mean([](double rate) { return std::log(rate); }, [](double sum) { return std::exp(sum); });
    });
    at.check([session] {
      const auto [count, text] = session->wrong();
      return Check{count == 0, count == 0 ? "checksums of the 24 loops as in long double: " + session->checksums()
                                          : "checksums wrong, loop " + text};
    });
  });
}
