// When computing ends beside stored noise, against going through every tick; and what a whole period costs.
#include <cstdio>
#include <random>

#include "ranks/replayed_noise.hpp"

namespace {

using assay::described::ReplayedNoise;
using assay::described::Time;

bool agrees(std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const auto draw = [&](Time least, Time most) { return least + static_cast<Time>(dice() % (most - least + 1)); };
  ReplayedNoise noise;
  std::vector<bool> taken;
  for (Time detours = draw(0, 5); detours > 0; --detours) {
    taken.insert(taken.end(), draw(0, 9), false);
    const Time length = draw(1, 9);
    noise.detour(static_cast<Time>(taken.size()), length);
    taken.insert(taken.end(), length, true);
  }
  taken.insert(taken.end(), draw(1, 9), false);
  noise.period = static_cast<Time>(taken.size());
  const Time begin = draw(0, 3 * noise.period), work = draw(0, 4 * noise.period);
  Time now = begin;
  for (Time left = work; left > 0; ++now) left -= !taken[static_cast<std::size_t>(now % noise.period)];
  const Time found = noise.ends(begin, work);
  if (found != now)
    std::printf("seed %llu: ends at %lld, not %lld\n", static_cast<unsigned long long>(seed),
                static_cast<long long>(found), static_cast<long long>(now));
  return found == now;
}

}  // namespace

int main() {
  bool passed = true;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) passed = agrees(seed) && passed;
  return passed ? 0 : 1;
}
