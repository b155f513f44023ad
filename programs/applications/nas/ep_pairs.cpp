#include "applications/nas/ep_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <thread>
#include <vector>

#include "applications/nas/random.hpp"

namespace assay::applications::nas {
namespace {

constexpr std::uint64_t seed = 271828183;
constexpr std::size_t lanes = 8, piece = 512;  // numbers made at once; pairs whose logarithms follow one another

// Uniform numbers from -1 to 1: `lanes` sequences that lie one step apart, each a whole round of them further per step,
// so that no number waits for the one before it.
void fill(std::uint64_t (&state)[lanes], double* numbers, std::size_t count) {
  constexpr std::uint64_t round = steps(lanes);
  for (std::size_t i = 0; i < count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      numbers[i + lane] = 2 * (static_cast<double>(static_cast<std::int64_t>(state[lane])) * unit) - 1;
      state[lane] = times(round, state[lane]);
    }
}

}  // namespace

void ep_pairs(std::int64_t from, std::int64_t to, EpSums& sums) {
  double numbers[2 * piece], squares[piece];
  std::uint64_t state[lanes];
  for (std::int64_t block = from; block < to; ++block) {
    Random random(seed);
    random.skip(static_cast<std::uint64_t>(2 * ep_block * block));
    for (std::uint64_t& each : state) {
      random.next();
      each = random.state();
    }
    double sum_x = 0, sum_y = 0;
    for (std::int64_t done = 0; done < ep_block; done += static_cast<std::int64_t>(piece)) {
      fill(state, numbers, 2 * piece);
      for (std::size_t i = 0; i < piece; ++i)
        squares[i] = numbers[2 * i] * numbers[2 * i] + numbers[2 * i + 1] * numbers[2 * i + 1];
      for (std::size_t i = 0; i < piece; ++i) {
        if (squares[i] > 1) continue;
        const double scale = std::sqrt(-2 * std::log(squares[i]) / squares[i]);
        const double x = numbers[2 * i] * scale, y = numbers[2 * i + 1] * scale;
        sums.counts[static_cast<int>(std::max(std::abs(x), std::abs(y)))] += 1;
        sum_x += x;
        sum_y += y;
      }
    }
    sums.sum_x += sum_x;
    sums.sum_y += sum_y;
  }
}

void ep_pairs(std::int64_t from, std::int64_t to, int threads, EpSums& sums) {
  if (threads == 1) return ep_pairs(from, to, sums);
  const auto end_of = [&](int thread) { return from + (to - from) * (thread + 1) / threads; };
  std::vector<EpSums> found(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread)
      others.emplace_back([&, thread] { ep_pairs(end_of(thread - 1), end_of(thread), found[thread]); });
    ep_pairs(from, end_of(0), found[0]);
  }
  for (const EpSums& each : found) {
    sums.sum_x += each.sum_x;
    sums.sum_y += each.sum_y;
    for (std::size_t i = 0; i < std::size(sums.counts); ++i) sums.counts[i] += each.counts[i];
  }
}

}  // namespace assay::applications::nas
