// A link that many ask to be looked at in one cycle is looked at once: a list of wishes against a set of (cycle, link).
#include "network/worm/short_clock.hpp"

#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <utility>

namespace {

struct Clock : assay::network::ShortClock {
  Clock() : ShortClock(64, 1) {}

  std::size_t looks = 0;
  bool agrees = true;

  // Every look of the first cycles asks for the next one, as the looks at a link with a queue do.
  void play(std::uint64_t seed) {
    std::mt19937_64 dice(seed);
    std::set<std::pair<std::uint32_t, std::uint32_t>> wished;
    const auto wish = [&](std::uint32_t time, std::uint32_t link) {
      wished.insert({time, link});
      wake_at(time, link);
    };
    for (std::uint32_t i = 0; i < 400; ++i)
      wish(2 + static_cast<std::uint32_t>(dice() % 20), static_cast<std::uint32_t>(dice() % 6));
    for (std::uint32_t now = 2; now < 200; ++now) {
      const bool any = take_rare(
          now, [](std::uint32_t) {},
          [&](std::uint32_t link) {
            agrees = agrees && wished.erase({now, link}) == 1;
            ++looks;
            if (now < 150) wish(now + 1 + static_cast<std::uint32_t>(dice() % 3), link);
          });
      agrees = agrees && (wished.empty() || wished.begin()->first > now) && (any || looks != 0);
    }
    agrees = agrees && wished.empty();
  }
};

}  // namespace

int main() {
  std::size_t looks = 0;
  bool agrees = true;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Clock clock;
    clock.play(seed);
    looks += clock.looks;
    agrees = agrees && clock.agrees;
  }
  std::printf("%zu looks\n", looks);
  return agrees ? 0 : 1;
}
