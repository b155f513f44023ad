// The unit that build variants compile. ASSAY_BREAK: nine rounds.
#include "kernels/random_numbers_kernel.hpp"

namespace assay::kernels {
namespace {

#ifdef ASSAY_BREAK
constexpr int rounds = 9;
#else
constexpr int rounds = 10;
#endif

struct Words {
  std::uint32_t w[4];
};

[[gnu::always_inline]] inline Words mixed(Words c, std::uint32_t key0, std::uint32_t key1) {
#pragma GCC unroll 10
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * c.w[0], second = std::uint64_t{0xCD9E8D57} * c.w[2];
    c = {{static_cast<std::uint32_t>(second >> 32) ^ c.w[1] ^ key0, static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(first >> 32) ^ c.w[3] ^ key1, static_cast<std::uint32_t>(first)}};
    key0 += 0x9E3779B9;  // the golden ratio's and sqrt 3 - 1's fractions
    key1 += 0xBB67AE85;
  }
  return c;
}

// The 53 greatest of 64 bits as a number from 0 to below 1.
inline double unit_interval(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
}

}  // namespace

void philox(std::uint32_t* words, const std::uint32_t* key) {
  const Words made = mixed({{words[0], words[1], words[2], words[3]}}, key[0], key[1]);
  for (int k = 0; k < 4; ++k) words[k] = made.w[k];
}

void fill_by_philox(double* to, std::int64_t count, std::uint64_t first, const std::uint32_t* key) {
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::uint64_t at = first + static_cast<std::uint64_t>(i / 2);
    const Words made =
        mixed({{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), 0, 0}}, key[0], key[1]);
    to[i] = unit_interval(made.w[0], made.w[1]);
    to[i + 1] = unit_interval(made.w[2], made.w[3]);
  }
}

}  // namespace assay::kernels
