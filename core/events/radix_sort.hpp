// Sorts many events by a small number, keeping those that share it in order: least digit first, a pass over memory for
// each digit (Knuth, volume 3, 5.2.5).
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "events/large_pages.hpp"

namespace assay::events {

/// `key(item)` is at most `most`. `room` is working space, kept by the caller between calls.
template <class Item, class Key>
void radix_sort(LargeVector<Item>& items, LargeVector<Item>& room, std::uint32_t most, Key key) {
  static constexpr unsigned digit_bits = 11;
  const std::size_t count = items.size();
  if (room.size() < count) room.resize(count + count / 2);
  Item* from = items.data();
  Item* to = room.data();
  for (unsigned shift = 0; shift < static_cast<unsigned>(std::bit_width(most)); shift += digit_bits) {
    std::array<std::uint32_t, std::size_t{1} << digit_bits> place{};
    const auto digit = [&](const Item& item) { return key(item) >> shift & (place.size() - 1); };
    for (std::size_t i = 0; i < count; ++i) ++place[digit(from[i])];
    std::uint32_t before = 0;
    for (auto& each : place) before += std::exchange(each, before);
    for (std::size_t i = 0; i < count; ++i) to[place[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != items.data())
    for (std::size_t i = 0; i < count; ++i) items[i] = from[i];
}

}  // namespace assay::events
