// A monotone event queue: nothing is ever put in earlier than what was last taken out (Ahuja, Mehlhorn, Orlin and
// Tarjan 1990, one-level radix heap).
//
// Bucket b holds the items whose time differs from the last one taken in bit b-1 as the highest; bucket 0 those of that
// very time. Items of one time are always in one bucket, and a bucket is handed down in order, so equal times come out
// in the order in which they were put in: no counter beside the time is needed. Each item moves down at most once a bit
// of its distance, mostly far less often; a thousand events at one time move together. `first()` looks without taking,
// so that what is put in afterwards may still come before it.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "events/large_pages.hpp"

namespace assay::events {

/// `Item` has a member `at`: a time of 0 to 2^64 - 2.
template <class Item>
class RadixHeap {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  [[nodiscard]] bool empty() const { return taken_ == now_.size() && busy_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The earliest time, or `never`.
  [[nodiscard]] std::uint64_t first() const {
    if (taken_ < now_.size()) return last_;
    return busy_ == 0 ? never : least_[static_cast<std::size_t>(std::countr_zero(busy_))];
  }
  /// At `item.at`, which is not before the last one taken.
  void push(Item item) {
    ++size_;
    put(item);
  }
  Item pop() {
    if (taken_ == now_.size()) [[unlikely]]
      hand_down();
    --size_;
    return now_[taken_++];
  }
  [[nodiscard]] std::size_t memory() const {
    std::size_t items = now_.capacity() + spare_.capacity();
    for (const auto& bucket : buckets_) items += bucket.capacity();
    return items * sizeof(Item);
  }

 private:
  // Items; of the emptied buckets of more only the largest keeps its memory.
  static constexpr std::size_t much = std::size_t{1} << 20;

  void put(Item item) {
    const auto at = static_cast<std::uint64_t>(item.at);
    if (at == last_) {
      now_.push_back(item);
      return;
    }
    const auto bucket = static_cast<std::size_t>(std::bit_width(at ^ last_)) - 1;
    const std::uint64_t bit = std::uint64_t{1} << bucket;
    if ((busy_ & bit) == 0 || at < least_[bucket]) least_[bucket] = at;
    busy_ |= bit;
    auto& items = buckets_[bucket];
    if (items.size() == items.capacity() && spare_.capacity() > 2 * items.size()) [[unlikely]] {
      spare_.assign(items.begin(), items.end());
      std::swap(spare_, items);
      spare_.clear();
    }
    items.push_back(item);
  }
  /// The lowest busy bucket's earliest time becomes the present one.
  void hand_down() {
    now_.clear();
    taken_ = 0;
    const auto bucket = static_cast<std::size_t>(std::countr_zero(busy_));
    busy_ &= busy_ - 1;
    last_ = least_[bucket];
    auto& from = buckets_[bucket];
    if (bucket == 0) {  // they differ from the last time in the lowest bit alone: all of one time
      std::swap(now_, from);
      return;
    }
    for (const Item item : from) put(item);
    from.clear();
    if (from.capacity() > spare_.capacity()) std::swap(from, spare_);
    if (from.capacity() > much) from = {};
  }

  LargeVector<Item> now_, spare_;
  std::size_t taken_ = 0, size_ = 0;
  std::array<LargeVector<Item>, 64> buckets_;
  std::array<std::uint64_t, 64> least_{};
  std::uint64_t busy_ = 0, last_ = 0;
};

}  // namespace assay::events
