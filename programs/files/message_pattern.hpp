// The bytes by which a message that was handed over is judged: each word is a hash of a seed, the message's number and
// the word's place, so that a message late, early, shifted or torn is seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::files {

inline std::byte pattern(std::uint64_t seed, std::uint64_t message, std::size_t at) {
  std::uint64_t word = (seed ^ (message * 0x9e3779b97f4a7c15)) + (at / 8 + 1) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 31)) * 0x94d049bb133111eb;  // the finaliser of splitmix64, shortened
  return static_cast<std::byte>((word ^ (word >> 29)) >> (8 * (at % 8)));
}

inline void fill(std::byte* into, std::size_t bytes, std::uint64_t seed, std::uint64_t message, std::byte mask) {
  for (std::size_t at = 0; at < bytes; ++at) into[at] = pattern(seed, message, at) ^ mask;
}

inline std::int64_t wrong(const std::byte* got, std::size_t bytes, std::uint64_t seed, std::uint64_t message,
                          std::byte mask) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < bytes; ++at) count += got[at] != (pattern(seed, message, at) ^ mask);
  return count;
}

}  // namespace assay::files
