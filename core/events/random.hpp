// Random streams that give the same bits on every machine: xoshiro256++ (Blackman and Vigna 2021), seeded for each
// stream by SplitMix64 from (seed, stream); samplers of our own over it, made of +, -, *, / and comparisons only, which
// IEEE 754 fixes to the bit (the library's log may differ between machines). Exponential deviates by the ziggurat of
// Marsaglia and Tsang (2000) with 256 layers; integers by multiplication with rejection (Lemire 2019).
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace assay::events {

/// Natural logarithm of a positive, normal number, to within 2 units in the last place.
double natural_log(double x);
/// e^x for x in [-700, 700].
double exponential_of(double x);

constexpr std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct Ziggurat {
  static constexpr int layers = 256;
  std::array<double, layers> width;          // x of a layer's edge over 2^53
  std::array<std::uint64_t, layers> inside;  // below: surely under the curve
  std::array<double, layers> height;         // e^-x at the edge
  Ziggurat();
  static const Ziggurat& table();
};

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t mixed = seed;
    std::uint64_t state = split_mix(mixed) ^ (stream * 0xd1342543de82ef95u);
    for (auto& word : state_) word = split_mix(state);
  }

  /// 64 uniform bits.
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in 0..bound-1.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = -bound % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  /// Two at once from one draw: uniform in 0..first-1 and in 0..second-1.
  void below_two(std::uint32_t first, std::uint32_t second, std::uint32_t& one, std::uint32_t& other) {
    const std::uint64_t bits = next();
    const std::uint64_t a = (bits >> 32) * first, b = (bits & 0xffffffffu) * second;
    one = static_cast<std::uint32_t>(a >> 32);
    other = static_cast<std::uint32_t>(b >> 32);
    // The part of a product that decides on rejection is rarely below the bound; then both are drawn singly, which
    // keeps them uniform: whether it happens says nothing of what comes instead.
    if (static_cast<std::uint32_t>(a) < first || static_cast<std::uint32_t>(b) < second) [[unlikely]] {
      if (static_cast<std::uint32_t>(a) < -first % first || static_cast<std::uint32_t>(b) < -second % second) {
        one = below(first);
        other = below(second);
      }
    }
  }
  /// Exponential of mean 1.
  double exponential() {
    const std::uint64_t bits = next();
    double value;
    return exponential_inside(bits, value) ? value : exponential_edge(bits);
  }
  /// The same from a draw that was made: whether it gives the value at once, as nearly all do. If not, `value` comes of
  /// exponential_edge(), which draws more; so a loop may keep its generator in registers.
  [[nodiscard]] bool exponential_inside(std::uint64_t bits, double& value) const {
    const auto layer = static_cast<unsigned>(bits & 255);
    value = static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * zig_->width[layer];
    return bits >> 11 < zig_->inside[layer];
  }
  double exponential_edge(std::uint64_t bits) {
    return exponential_edge(static_cast<unsigned>(bits & 255), bits >> 11);
  }
  /// Trials up to and with the first success, each of probability p in (0, 1].
  std::uint64_t geometric(double p);

 private:
  double exponential_edge(unsigned layer, std::uint64_t fraction);
  std::array<std::uint64_t, 4> state_;
  const Ziggurat* zig_ = &Ziggurat::table();
};

}  // namespace assay::events
