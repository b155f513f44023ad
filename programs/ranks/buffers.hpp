// Message buffers: their place in the caches, their alignment, and a pattern that shows whether the data came through.
//
// The offset from a page's start is a multiple of 8 bytes drawn from seed and rank, so that no single alignment becomes
// part of a result. Rotating buffers step through a span that no common cache holds, one message after the other.
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

class Buffers {
 public:
  enum class Way { same, rotating, flushed };
  static constexpr std::size_t rotation = std::size_t{64} << 20;
  static constexpr std::size_t page = 4096;

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
    std::uint64_t state = session.options().seed * 2654435761U + static_cast<std::uint64_t>(comm.rank());
    const std::size_t slack = comm.is_simulated() ? 0 : page;
    out_ = make(slack, state);
    in_ = make(slack, state);
  }
  // Whether a message so long really carries data.
  bool hold(std::size_t bytes) const { return bytes <= room_; }
  Cursor out(std::size_t bytes) const { return cursor(out_, bytes); }
  Cursor in(std::size_t bytes) const { return cursor(in_, bytes); }

  // Throws both buffers out of this core's caches, where it has an instruction for that.
  void flush([[maybe_unused]] std::size_t bytes) const {
#if defined(__x86_64__)
    for (const Side* side : {&out_, &in_}) {
      for (std::size_t at = 0; at < bytes; at += 64) _mm_clflush(side->start + at);
    }
    _mm_mfence();
#endif
  }

 private:
  struct Side {
    std::vector<std::byte> memory;
    std::byte* start = nullptr;
  };

  // `slack`: 0, or a page: then the buffer starts at a seeded offset from a page's start.
  Side make(std::size_t slack, std::uint64_t& state) const {
    Side side;
    const std::size_t all = room_ + 2 * slack + 1;
    side.memory.resize(all);
    side.start = side.memory.data();
    if (slack > 0) {
      const std::size_t beyond = reinterpret_cast<std::uintptr_t>(side.start) % slack;
      side.start += (beyond > 0 ? slack - beyond : 0) + 8 * (Session::random(state) % (slack / 8));
    }
    return side;
  }
  Cursor cursor(const Side& side, std::size_t bytes) const {
    if (bytes > room_) return {nullptr, 0, 1};
    if (way_ != Way::rotating || bytes == 0) return {side.start, 0, 1};
    const std::size_t stride = (bytes + 63) / 64 * 64 + 64;
    return {side.start, stride, room_ >= stride + bytes ? room_ - bytes : 1};
  }

  Way way_ = Way::same;
  std::size_t room_ = 0;
  Side out_, in_;
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
