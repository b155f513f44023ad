// The event queue of engines whose events mostly lie a few ticks ahead: a wheel of buckets, one a tick, with a bitmap
// over them, so that the next busy tick is found in two bit scans; and a heap for the few beyond the wheel's horizon.
// Buckets are lists threaded through the events' own records: pushing allocates nothing.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace assay::events {

inline constexpr std::uint32_t no_index = 0xffffffffu;  // names no event, message or stop

class Wheel {
 public:
  /// `span`: ticks ahead that should stay out of the heap; 64..4096 buckets come of it.
  explicit Wheel(std::uint32_t span) {
    const std::uint32_t size = std::clamp(std::bit_ceil(span), 64u, 4096u);
    heads_.assign(size, no_index);
    bits_.assign(size / 64, 0);
    mask_ = size - 1;
  }

  [[nodiscard]] std::uint32_t size() const { return mask_ + 1; }
  [[nodiscard]] std::uint32_t head(std::uint32_t tick) const { return heads_[tick & mask_]; }
  [[nodiscard]] bool near(std::uint32_t now, std::uint32_t tick) const { return tick - now <= mask_; }
  /// Puts event `index`, whose link to the next one is `next`, into the bucket of a tick near now.
  void put(std::uint32_t tick, std::uint32_t index, std::uint32_t& next) {
    const std::uint32_t slot = tick & mask_;
    next = heads_[slot];
    heads_[slot] = index;
    bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    summary_ |= std::uint64_t{1} << (slot / 64);
  }
  /// Takes the whole bucket of a tick: its first event, the rest by their links.
  std::uint32_t take(std::uint32_t tick) {
    const std::uint32_t slot = tick & mask_;
    const std::uint32_t first = heads_[slot];
    heads_[slot] = no_index;
    bits_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    if (bits_[slot / 64] == 0) summary_ &= ~(std::uint64_t{1} << (slot / 64));
    return first;
  }
  /// The same of a bucket that is mostly empty.
  std::uint32_t take_if_any(std::uint32_t tick) { return head(tick) == no_index ? no_index : take(tick); }
  /// The first busy tick after `now`, or no_index.
  [[nodiscard]] std::uint32_t after(std::uint32_t now) const {
    if (summary_ == 0) return no_index;
    const std::uint32_t slot = (now + 1) & mask_, word = slot / 64, bit = slot % 64;
    if (const std::uint64_t here = bits_[word] >> bit)
      return now + 1 + static_cast<std::uint32_t>(std::countr_zero(here));
    const std::uint64_t later = word == 63 ? 0 : summary_ >> (word + 1) << (word + 1);
    const auto found = static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : summary_));
    const std::uint32_t target = found * 64 + static_cast<std::uint32_t>(std::countr_zero(bits_[found]));
    return now + 1 + ((target - slot) & mask_);
  }
  /// How far after `now` the first busy tick lies, or 0: for clocks of more than 32 bits.
  [[nodiscard]] std::uint32_t ahead(std::uint64_t now) const {
    const auto low = static_cast<std::uint32_t>(now);
    return summary_ == 0 ? 0 : after(low) - low;
  }
  [[nodiscard]] std::size_t memory() const { return heads_.size() * 4 + bits_.size() * 8; }

 private:
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint64_t> bits_;
  std::uint64_t summary_ = 0;
  std::uint32_t mask_;
};

/// Events too far ahead for a wheel: earliest first, absolute ticks.
struct Distant {
  struct Event {
    std::uint64_t tick;
    std::uint32_t index;
    bool operator<(const Event& other) const { return tick > other.tick; }
  };
  std::vector<Event> heap;
  void push(std::uint64_t tick, std::uint32_t index) {
    heap.push_back({tick, index});
    std::push_heap(heap.begin(), heap.end());
  }
  Event pop() {
    std::pop_heap(heap.begin(), heap.end());
    const Event first = heap.back();
    heap.pop_back();
    return first;
  }
  [[nodiscard]] std::uint64_t first() const { return heap.empty() ? ~std::uint64_t{0} : heap.front().tick; }
};

}  // namespace assay::events
