// A monotone event queue for very many events at few times, served in the order of a small number that each carries.
//
// Most events of one kind lie equally far ahead and come in order: a ring takes each kind, a radix heap what a ring
// will not. All events of one time are served together, by place if they do not lie in long runs already, so that
// memory is walked and not jumped about in; those that are put in for that very time meanwhile are the next to be
// served.
#pragma once
#include <algorithm>
#include <array>

#include "events/in_order.hpp"
#include "events/radix_heap.hpp"
#include "events/radix_sort.hpp"

namespace assay::events {

/// `Item` has a member `at`: a time of 0 to 2^64 - 2. Equal places keep the order of rings, and in a ring that of
/// pushes.
template <class Item, std::size_t rings>
class Agenda {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t first() const {
    if (taken_ < present_.size()) return now_;
    std::uint64_t least = heap_.first();
    for (const auto& ring : rings_) least = std::min(least, ring.first());
    return least;
  }
  void push(Item item, std::size_t ring) {
    const auto at = static_cast<std::uint64_t>(item.at);
    rings_[ring].takes(at) ? rings_[ring].push(item) : heap_.push(item);
  }
  /// `place(item)` is at most `most()`.
  template <class Most, class Place>
  Item pop(Most most, Place place) {
    if (taken_ == present_.size()) [[unlikely]]
      gather(most(), place);
    return present_[taken_++];
  }
  /// The item that comes `ahead` after the next one, if it is of the present time.
  [[nodiscard]] const Item* peek(std::size_t ahead) const {
    return taken_ + ahead < present_.size() ? &present_[taken_ + ahead] : nullptr;
  }

 private:
  static constexpr std::size_t few = 1024;  // not worth a sort: their places lie far apart

  template <class Place>
  void gather(std::uint32_t most, Place place) {
    now_ = first();
    present_.clear();
    taken_ = 0;
    while (heap_.first() == now_) present_.push_back(heap_.pop());
    for (auto& ring : rings_) ring.pop_all(now_, present_);
    if (present_.size() >= few && jumps(place) > present_.size() / 64) radix_sort(present_, room_, most, place);
  }
  template <class Place>
  std::size_t jumps(Place place) const {
    std::size_t backwards = 0;
    for (std::size_t i = 1; i < present_.size(); ++i) backwards += place(present_[i]) < place(present_[i - 1]);
    return backwards;
  }

  RadixHeap<Item> heap_;
  std::array<InOrder<Item>, rings> rings_;
  LargeVector<Item> present_, room_;
  std::size_t taken_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace assay::events
