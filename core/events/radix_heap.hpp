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
#include <vector>

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
  void push(const Item& item) {
    ++size_;
    put(item);
  }
  Item pop() {
    return pop([](const Item&, bool) {});
  }
  /// `fetch(item, soon)` is called of items whose turn comes soon, some hundred steps before and, with `soon`, some
  /// ten: to fetch what they will need.
  template <class Fetch>
  Item pop(Fetch fetch) {
    if (taken_ == now_.size()) [[unlikely]]
      hand_down(fetch);
    --size_;
    return now_[taken_++];
  }
  /// The item that comes `ahead` after the next one, if it is of the present time: to fetch what it will need.
  [[nodiscard]] const Item* peek(std::size_t ahead) const {
    return taken_ + ahead < now_.size() ? &now_[taken_ + ahead] : nullptr;
  }
  [[nodiscard]] std::size_t memory() const {
    std::size_t items = now_.capacity();
    for (const auto& bucket : buckets_) items += bucket.capacity();
    return items * sizeof(Item);
  }

 private:
  static constexpr std::size_t few = 16, some = 256;
  static constexpr std::size_t much = 65536;  // items; an emptied bucket of more gives its memory back

  void put(const Item& item) {
    const auto at = static_cast<std::uint64_t>(item.at);
    if (at == last_) {
      now_.push_back(item);
      return;
    }
    const auto bucket = static_cast<std::size_t>(std::bit_width(at ^ last_)) - 1;
    const std::uint64_t bit = std::uint64_t{1} << bucket;
    if ((busy_ & bit) == 0 || at < least_[bucket]) least_[bucket] = at;
    busy_ |= bit;
    buckets_[bucket].push_back(item);
  }
  /// The lowest busy bucket's earliest time becomes the present one.
  template <class Fetch>
  void hand_down(Fetch fetch) {
    now_.clear();
    taken_ = 0;
    const auto bucket = static_cast<std::size_t>(std::countr_zero(busy_));
    busy_ &= busy_ - 1;
    last_ = least_[bucket];
    auto& from = buckets_[bucket];
    if (from.size() <= few)
      for (const Item& item : from) fetch(item, true);
    else if (from.size() <= some)
      for (const Item& item : from) fetch(item, false);
    if (bucket == 0) {  // they differ from the last time in the lowest bit alone: all of one time
      std::swap(now_, from);
      return;
    }
    if (now_.capacity() > much && from.size() < much / 4) now_ = {};
    for (const Item& item : from) put(item);
    if (from.capacity() > much)
      from = {};
    else
      from.clear();
  }

  std::vector<Item> now_;
  std::size_t taken_ = 0, size_ = 0;
  std::array<std::vector<Item>, 64> buckets_;
  std::array<std::uint64_t, 64> least_{};
  std::uint64_t busy_ = 0, last_ = 0;
};

}  // namespace assay::events
