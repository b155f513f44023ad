// Message buffers: their place in the caches, their alignment, and a pattern that shows whether the data came through.
//
// Rotating buffers step through a span that no common cache holds, one message after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/session.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace assay::ranks {

// Steps through a buffer: the same address each time where the stride is 0.
class Cursor {
 public:
  Cursor(std::byte* base, std::size_t stride, std::size_t span) : base_(base), stride_(stride), span_(span) {}
  std::byte* next() {
    std::byte* here = base_ + offset_;
    offset_ += stride_;
    if (offset_ >= span_) offset_ = 0;
    return here;
  }

 private:
  std::byte* base_;
  std::size_t stride_, span_, offset_ = 0;
};

// Touched memory that starts at a drawn place in a page, so that no single alignment becomes part of a result: at a
// multiple of 8 bytes from the page's start. Without a state to draw from it lies where the allocator put it.
class Placed {
 public:
  static constexpr std::size_t page = 4096;
  // What a rank's draws begin with, one after the other.
  static std::uint64_t drawn_from(std::uint64_t seed, int rank) {
    return seed * 2654435761U + static_cast<std::uint64_t>(rank);
  }

  Placed() = default;
  explicit Placed(std::size_t room) : memory_(room + 1), start_(memory_.data()) {}
  Placed(std::size_t room, std::uint64_t& state) : memory_(room + 2 * page + 1), start_(memory_.data()) {
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(start_) % page;
    start_ += (beyond > 0 ? page - beyond : 0) + 8 * (Session::random(state) % (page / 8));
  }
  Placed(Placed&&) = default;
  Placed& operator=(Placed&&) = default;
  std::byte* start() const { return start_; }

 private:
  std::vector<std::byte> memory_;
  std::byte* start_ = nullptr;
};

class Buffers {
 public:
  enum class Way { same, rotating, flushed };
  static constexpr std::size_t rotation = std::size_t{64} << 20;

  static Way way(std::string_view name) {
    return name == "rotating" ? Way::rotating : name == "flushed" ? Way::flushed : Way::same;
  }
  static std::string_view label(Way way) {
    return way == Way::rotating ? "rotating" : way == Way::flushed ? "flushed" : "same buffer";
  }

  Buffers() = default;
  // Room for the longest of the cases' `bytes` on both sides, touched. On a described machine, whose ranks all live in
  // this process, only for lengths that a rank's share of 128 MiB can hold: longer messages are simulated without their
  // data.
  template <Communicator C>
  Buffers(const C& comm, const Session& session, Way way) : way_(comm.is_simulated() ? Way::same : way) {
    const std::size_t share = (std::size_t{128} << 20) / static_cast<std::size_t>(comm.size());
    for (const auto& each : session.cases()) {
      const auto bytes = static_cast<std::size_t>(each.at("bytes").integer);
      if (!comm.is_simulated() || bytes <= share) room_ = std::max(room_, bytes);
    }
    if (way_ == Way::rotating) room_ = std::max(rotation, room_);
    std::uint64_t state = Placed::drawn_from(session.options().seed, comm.rank());
    const auto make = [&] { return comm.is_simulated() ? Placed(room_) : Placed(room_, state); };
    out_ = make();
    in_ = make();
  }
  // Whether a message so long really carries data.
  bool hold(std::size_t bytes) const { return bytes <= room_; }
  Cursor out(std::size_t bytes) const { return cursor(out_, bytes); }
  Cursor in(std::size_t bytes) const { return cursor(in_, bytes); }

  // Throws both buffers out of this core's caches, where it has an instruction for that.
  void flush([[maybe_unused]] std::size_t bytes) const {
#if defined(__x86_64__)
    for (const Placed* side : {&out_, &in_}) {
      for (std::size_t at = 0; at < bytes; at += 64) _mm_clflush(side->start() + at);
    }
    _mm_mfence();
#endif
  }

 private:
  Cursor cursor(const Placed& side, std::size_t bytes) const {
    if (bytes > room_) return {nullptr, 0, 1};
    std::byte* const at = side.start();
    if (way_ != Way::rotating || bytes == 0) return {at, 0, 1};
    const std::size_t stride = (bytes + 63) / 64 * 64 + 64;
    return {at, stride, room_ >= stride + bytes ? room_ - bytes : 1};
  }

  Way way_ = Way::same;
  std::size_t room_ = 0;
  Placed out_, in_;
};

inline constexpr const char* not_carried = "simulated without data: too long for so many ranks in one process";

// Byte i of the pattern: the low bits of a hash of position and salt, so that a shifted, short or stale message shows.
inline std::byte pattern(std::size_t i, std::uint64_t salt, bool complement) {
  std::uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15 + salt;
  bits ^= bits >> 29;
  return static_cast<std::byte>((bits * 0xbf58476d1ce4e5b9) >> 56) ^ (complement ? std::byte{0xff} : std::byte{0});
}
inline void write_pattern(std::byte* data, std::size_t bytes, std::uint64_t salt, bool complement) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(i, salt, complement);
#ifdef ASSAY_BREAK  // the tests' saboteur: one byte of every longer message is wrong
  if (complement && bytes > 2) data[bytes / 2] ^= std::byte{1};
#endif
}
inline std::int64_t wrong_bytes(const std::byte* data, std::size_t bytes, std::uint64_t salt, bool complement) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) wrong += data[i] != pattern(i, salt, complement);
  return wrong;
}
// Before a receive: what an earlier message left must not pass for this one.
inline void poison(std::byte* data, std::size_t bytes) { std::fill_n(data, bytes, std::byte{0xa5}); }

}  // namespace assay::ranks
