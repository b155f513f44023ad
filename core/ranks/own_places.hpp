// Messages or receives under way: each rank has a place for one in its own record, next to what is accessed with it,
// and what goes beyond lies in a row of its own. Apart, the three parts of a rank are three pages of memory, and with a
// million ranks nearly every access to a page misses the TLB.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>

#include "events/large_pages.hpp"

namespace assay::described {

/// Item `id` is that of rank `id`, `Rank::*own`, for the first so many as there are ranks.
template <class Rank, class Item, Item Rank::* own>
class OwnPlaces {
 public:
  /// The number of ranks does not change afterwards.
  explicit OwnPlaces(events::LargeVector<Rank>& ranks) : ranks_(ranks.data()), owned_(ranks.size()) {}

  Item& operator[](std::size_t id) { return owned(id) ? ranks_[id].*own : beyond_[id - owned_]; }
  const Item& operator[](std::size_t id) const { return owned(id) ? ranks_[id].*own : beyond_[id - owned_]; }
  [[nodiscard]] bool owned(std::size_t id) const { return id < owned_; }
  [[nodiscard]] std::size_t size() const { return owned_ + beyond_.size(); }
  /// The new item's number. Items beyond the ranks' own move.
  std::uint32_t add() {
    beyond_.emplace_back();
    return static_cast<std::uint32_t>(size() - 1);
  }
  /// Room for so many beyond the ranks' own, which only use fills.
  void reserve(std::size_t count) { beyond_.reserve(count); }

  [[nodiscard]] auto all() {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t id) -> Item& { return (*this)[id]; });
  }
  [[nodiscard]] auto all() const {
    return std::views::iota(std::size_t{0}, size()) |
           std::views::transform([this](std::size_t id) -> const Item& { return (*this)[id]; });
  }

 private:
  Rank* ranks_;
  std::size_t owned_;
  events::LargeVector<Item> beyond_;
};

}  // namespace assay::described
