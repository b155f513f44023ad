// How fast a node computes, in a second: a chain of dependent additions (the clock) and multiply-adds in the widest
// vectors (the peak), in pieces of fixed work that take two periods of a CPU quota (100 ms) and more. `assay doctor
// --via` starts it on every node and compares. Prints a line of JSON: the best piece by elapsed time, and that piece's
// processor time, so that a slow clock can be told from a share of the processor.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "processor/dependent_additions.hpp"
#include "processor/native_vectors.hpp"

namespace {

constexpr int usual_pieces = 2, chains = 12;
constexpr std::int64_t additions = 600'000'000 / 64 * 64, turns = 100'000'000;

double seconds(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Time {
  double elapsed = 1e300, used = 0;
};

template <class Work>
void piece(Time& best, const Work& work) {
  const double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
  work();
  const Time time{seconds(CLOCK_MONOTONIC) - began, seconds(CLOCK_PROCESS_CPUTIME_ID) - used};
  if (time.elapsed < best.elapsed) best = time;
}

[[gnu::noinline]] double multiply_adds(double one, double step) {
  using Wide = assay::Vector<double>;
  Wide held[chains] = {};
  for (Wide& each : held) assay::timing::opaque(each);  // chains that begin alike would be compiled as one
  const Wide factor = one - Wide{}, term = step - Wide{};
  for (std::int64_t i = 0; i < turns; ++i)
#pragma GCC unroll 12
    for (int k = 0; k < chains; ++k) held[k] = held[k] * factor + term;
  double sum = 0;
  for (int k = 0; k < chains; ++k) sum += held[k][0];
  return sum;
}

}  // namespace

int main(int argc, char**) {
  const int pieces = argc > 1 ? 1 : usual_pieces;  // any argument: a repetition, in half the time
  std::uint64_t sum = 0, step = 0x9e3779b97f4a7c15;
  double one = 1, term = 2, total = 0;
  assay::timing::opaque(step);
  assay::timing::opaque(one);
  assay::timing::opaque(term);
  Time clock, peak;
  for (int i = 0; i < pieces; ++i) {
    piece(clock, [&] { sum = assay::processor::add_up(sum, step, additions); });
    piece(peak, [&] { total += multiply_adds(one, term); });
  }
  const bool right = sum == static_cast<std::uint64_t>(additions) * static_cast<std::uint64_t>(pieces) * step &&
                     total == 2.0 * chains * static_cast<double>(turns) * pieces;
  const double flops = 2.0 * chains * static_cast<double>(assay::lanes<double> * turns);
  std::printf("{\"clock\": %.6g, \"peak\": %.6g, \"share\": %.4g, \"right\": %s}\n",
              static_cast<double>(additions) / clock.elapsed, flops / peak.elapsed,
              std::min(1.0, (clock.used + peak.used) / (clock.elapsed + peak.elapsed)), right ? "true" : "false");
  return right ? 0 : 1;
}
