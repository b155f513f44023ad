// Memory of a device that is filled, or compared, piece by piece: the host holds one piece of it at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices/device.hpp"

namespace assay::devices {

inline constexpr std::int64_t most_piece = std::int64_t{16} << 20;  // bytes

// Fills `to`: `write(piece, first, count)` makes the elements of `size` bytes from the `first` on.
template <class Write>
void send(Device& device, const std::shared_ptr<Memory>& to, std::int64_t size, Write write) {
  std::vector<char> piece(static_cast<std::size_t>(std::min(to->bytes, most_piece / size * size)));
  for (std::int64_t at = 0; at < to->bytes; at += static_cast<std::int64_t>(piece.size())) {
    const std::int64_t bytes = std::min(to->bytes - at, static_cast<std::int64_t>(piece.size()));
    write(piece, at / size, bytes / size);
    device.copy_in(*to, piece.data(), bytes, at);
    device.finish();
  }
}

// Reads `from`: `read(piece, first, count)` takes its elements. What does not arrive is a sentinel.
template <class Read>
void fetch(Device& device, const std::shared_ptr<Memory>& from, std::int64_t size, Read read) {
  std::vector<char> piece(static_cast<std::size_t>(std::min(from->bytes, most_piece / size * size)));
  for (std::int64_t at = 0; at < from->bytes; at += static_cast<std::int64_t>(piece.size())) {
    const std::int64_t bytes = std::min(from->bytes - at, static_cast<std::int64_t>(piece.size()));
    std::fill(piece.begin(), piece.end(), char{0x5a});
    device.copy_out(piece.data(), *from, bytes, at);
    device.finish();
    read(piece, at / size, bytes / size);
  }
}

// Fills it with `value(i)`.
template <class Number, class Value>
void fill(Device& device, const std::shared_ptr<Memory>& to, Value value) {
  send(device, to, sizeof(Number), [&](std::vector<char>& piece, std::int64_t first, std::int64_t count) {
    auto* const numbers = reinterpret_cast<Number*>(piece.data());
    for (std::int64_t i = 0; i < count; ++i) numbers[i] = static_cast<Number>(value(first + i));
  });
}

// How many of its elements are not `value(i)`.
template <class Number, class Value>
std::int64_t wrong(Device& device, const std::shared_ptr<Memory>& from, Value value) {
  std::int64_t bad = 0;
  fetch(device, from, sizeof(Number), [&](const std::vector<char>& piece, std::int64_t first, std::int64_t count) {
    const auto* const numbers = reinterpret_cast<const Number*>(piece.data());
    for (std::int64_t i = 0; i < count; ++i) bad += numbers[i] != static_cast<Number>(value(first + i));
  });
  return bad;
}

}  // namespace assay::devices
