#include "timing/reference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "timing/clock.hpp"
#include "timing/opaque.hpp"

namespace assay::timing {

namespace {

constexpr int passes = 31;
constexpr int rounds = 8192;

// Six chains that do not wait for each other fill the issue slots of a core: a second hardware thread at work takes
// half of them, which one chain would not notice.
[[gnu::noinline]] std::uint64_t pass(std::uint64_t seed) {
  const auto step = [seed](std::uint64_t& each) {
    each = std::rotl(each + seed, 13) ^ seed;
    opaque(each);  // stays in its register and out of vectors
  };
  std::uint64_t a = seed, b = seed + 1, c = seed + 2, d = seed + 3, e = seed + 4, f = seed + 5;
  for (int round = 0; round < rounds; ++round) {
    step(a);
    step(b);
    step(c);
    step(d);
    step(e);
    step(f);
  }
  return a ^ b ^ c ^ d ^ e ^ f;
}

}  // namespace

double time_reference() {
  std::uint64_t sum = pass(1);
  std::array<std::int64_t, passes> times{};
  for (std::int64_t& each : times) {
    const std::int64_t from = now_ns();
    sum = pass(sum | 1);
    opaque(sum);
    each = now_ns() - from;
  }
  std::nth_element(times.begin(), times.begin() + passes / 2, times.end());
  return 1e-9 * static_cast<double>(times[passes / 2]);
}

}  // namespace assay::timing
