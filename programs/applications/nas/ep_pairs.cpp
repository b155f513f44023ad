#include "applications/nas/ep_pairs.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace assay::applications::nas
