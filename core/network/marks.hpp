// A set of small numbers that is traversed upwards while it changes: a bitmap of two levels. A number put in below the
// one reached is found in the next traversal.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace assay::network {

class Marks {
 public:
  static constexpr std::uint32_t nothing = 0xffffffffu;
  explicit Marks(std::size_t size) : words_(size / 64 + 1, 0), above_(size / 4096 + 1, 0) {}
  void put(std::uint32_t number) {
    words_[number / 64] |= std::uint64_t{1} << (number % 64);
    above_[number / 4096] |= std::uint64_t{1} << (number / 64 % 64);
  }
  /// Takes out the first number from `from` on; after the last, the first of all; `nothing` when the set is empty.
  std::uint32_t take(std::uint32_t from) {
    const std::uint32_t found = first(from);
    const std::uint32_t number = found == nothing && from != 0 ? first(0) : found;
    if (number == nothing) return nothing;
    std::uint64_t& word = words_[number / 64];
    word &= ~(std::uint64_t{1} << (number % 64));
    if (word == 0) above_[number / 4096] &= ~(std::uint64_t{1} << (number / 64 % 64));
    return number;
  }
  [[nodiscard]] std::size_t memory() const { return (words_.size() + above_.size()) * 8; }

 private:
  [[nodiscard]] std::uint32_t first(std::uint32_t from) const {
    std::uint32_t word = from / 64;
    if (word >= words_.size()) return nothing;
    if (const auto here = words_[word] >> (from % 64)) return from + static_cast<std::uint32_t>(std::countr_zero(here));
    ++word;
    for (std::uint32_t i = word / 64; i < above_.size(); ++i) {
      std::uint64_t some = above_[i];
      if (i == word / 64) some = some >> (word % 64) << (word % 64);
      if (some == 0) continue;
      word = i * 64 + static_cast<std::uint32_t>(std::countr_zero(some));
      return word * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[word]));
    }
    return nothing;
  }
  std::vector<std::uint64_t> words_, above_;
};

}  // namespace assay::network
