// The tick from which each link is free, or that it is held, in 32 bits: a million nodes' links are what a circuit
// touches most. Ticks are relative to a base that is moved up now and then; one too far ahead for that stands in a
// table beside.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "network/worm/pages.hpp"

namespace assay::network {

class FreeFrom {
 public:
  /// All are free from tick 0 on.
  explicit FreeFrom(std::size_t links) : words_(links) {}

  /// A link's word: from `held` on it is held, its low bits the caller's; below that `of` says from when it is free.
  std::uint32_t& operator[](std::size_t link) { return words_[link]; }
  const std::uint32_t& operator[](std::size_t link) const { return words_[link]; }
  /// The tick from which a link that is not held is free; for one that has been free since before the base, the base.
  [[nodiscard]] std::uint64_t of(std::size_t link) const {
    const std::uint32_t word = words_[link];
    if (word == far) [[unlikely]]
      return beside_.at(link);
    return base_ + word;
  }
  /// It is held by the one that asked, and nobody waits.
  void hold(std::size_t link) {
    if (words_[link] == far) [[unlikely]]
      beside_.erase(link);
    words_[link] = held_alone;
  }
  /// A link that is held will be free from `tick` on, which is not before the base.
  void set(std::size_t link, std::uint64_t tick) {
    words_[link] = word_of(tick);
    if (words_[link] == far) [[unlikely]]
      beside_[link] = tick;
  }
  /// Nobody asks for a tick before `now` any more.
  void pass(std::uint64_t now) {
    if (now - base_ > often) [[unlikely]]
      move(now);
  }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * sizeof(std::uint32_t) + beside_.size() * sizeof(*beside_.begin());
  }

 private:
  static constexpr std::uint32_t far = held - 1;  // its tick stands beside
  static constexpr std::uint64_t often = std::uint64_t{1} << 30;

  [[nodiscard]] std::uint32_t word_of(std::uint64_t tick) const {
    return tick - base_ < far ? static_cast<std::uint32_t>(tick - base_) : far;
  }
  void move(std::uint64_t now) {
    for (auto& word : words_) word = moved(word, now - base_);
    base_ = now;
    std::erase_if(beside_, [this](const auto& each) {  // whose words were moved as if they said when
      const auto [link, tick] = each;
      return (words_[link] = word_of(std::max(tick, base_))) != far;
    });
  }

  Words words_;
  std::unordered_map<std::size_t, std::uint64_t> beside_;
  std::uint64_t base_ = 0;
};

}  // namespace assay::network
