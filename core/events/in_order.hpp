// Events that are known in the order of their times: a ring, first in, first out.
//
// What always lies the same time ahead (a head's next link, a processor's start-up) is pushed in order of time as long
// as the clock only goes forward, and needs no heap. The odd one that would come before the last goes elsewhere.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "events/large_pages.hpp"

namespace assay::events {

/// `Item` has a member `at`: a time of 0 to 2^64 - 2.
template <class Item>
class InOrder {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t first() const { return size_ == 0 ? never : static_cast<std::uint64_t>(ring_[head_].at); }
  /// Whether an event at this time may be pushed.
  [[nodiscard]] bool takes(std::uint64_t at) const { return size_ == 0 || last_ <= at; }
  void push(Item item) {
    if (size_ == ring_.size()) [[unlikely]]
      grow();
    ring_[(head_ + size_++) & mask_] = item;
    last_ = static_cast<std::uint64_t>(item.at);
  }
  /// Takes all of one time, which come behind `to`.
  void pop_all(std::uint64_t at, LargeVector<Item>& to) {
    std::size_t count = 0;
    while (count < size_ && static_cast<std::uint64_t>(ring_[(head_ + count) & mask_].at) == at) ++count;
    const std::size_t straight = std::min(count, ring_.size() - head_);
    const auto from = ring_.begin() + static_cast<std::ptrdiff_t>(head_);
    to.insert(to.end(), from, from + static_cast<std::ptrdiff_t>(straight));
    to.insert(to.end(), ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(count - straight));
    head_ = (head_ + count) & mask_;
    size_ -= count;
  }
  [[nodiscard]] std::size_t memory() const { return ring_.capacity() * sizeof(Item); }

 private:
  void grow() {
    LargeVector<Item> larger(ring_.empty() ? 64 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = ring_[(head_ + i) & mask_];
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
    head_ = 0;
  }
  LargeVector<Item> ring_;
  std::size_t head_ = 0, size_ = 0, mask_ = 0;
  std::uint64_t last_ = 0;  // the time of the last one, while there is any
};

}  // namespace assay::events
