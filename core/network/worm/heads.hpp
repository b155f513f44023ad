// Messages of the engine of rigid.hpp, and their heads under way, listed cycle by cycle in order of message.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"

namespace assay::network {

using events::no_index;

/// What others have to know of a message. `free`: the cycle from which its injection channel is free, or `unknown`.
struct alignas(16) Train {
  std::uint32_t tag = 0, free = 0, route = 0, followers = no_index;
  static constexpr std::uint32_t unknown = 0x7fffff00u;
};

/// The rest of it.
struct RigidMessage {
  std::uint32_t next = no_index;  // in the bucket, queue or list of followers it stands in
  std::uint32_t key = 0;          // ties: the lower is served first
  std::uint32_t source = 0, flits = 0;
  std::uint32_t born = 0, entered = 0;  // generated; head crossed the injection link
  std::uint64_t want = 0;               // what it asks for while it waits: see Head
  std::uint32_t slot_in = 0, slot_out = 0;
};

inline std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

/// A head and what it asks for, in two words of 64 bits, since the loop over them is the simulator's heart. `who`: the
/// message's tag, its key above. `want`: the node that it asks from, and above the dimensions still to be crossed, of
/// which the highest is next.
struct Head {
  std::uint64_t who, want;
  [[nodiscard]] std::uint32_t tag() const { return static_cast<std::uint32_t>(who); }
  [[nodiscard]] std::uint32_t key() const { return static_cast<std::uint32_t>(who >> 32); }
  static bool earlier(const Head& a, const Head& b) { return a.key() < b.key(); }
};
/// The highest dimension of `want`: 0 ejection, those of the cube from 1.
inline std::uint32_t dimension_of(std::uint64_t want) {
  return static_cast<std::uint32_t>(31 - std::countl_zero(want));
}
/// What is left behind a dimension, and from where.
inline std::uint64_t gone_on(std::uint64_t want, std::uint32_t across) {
  return want ^ (std::uint64_t{0x200000001} << across >> 1);
}

/// Heads of a cycle in order of message, with room for a few before them.
struct HeadList {
  static constexpr std::uint32_t room = 16;
  std::vector<Head> heads = std::vector<Head>(room + 64);
  Head* first = heads.data() + room;
  std::uint32_t count = 0;
  [[nodiscard]] Head* begin() { return first; }
  [[nodiscard]] Head* end() { return first + count; }
  /// Room for so many in all, and one to be written and not kept.
  [[gnu::always_inline]] void reserve(std::size_t all) {
    if (first + all + 1 > heads.data() + heads.size()) [[unlikely]]
      grow(all);
  }
  [[gnu::noinline]] void grow(std::size_t all) {
    const auto before = first - heads.data();
    heads.resize(room + all + all / 4 + 2);
    first = heads.data() + before;
  }
  [[gnu::always_inline]] void push(std::uint64_t who, std::uint64_t want) {
    reserve(count + std::size_t{1});
    first[count].who = who;
    first[count++].want = want;
  }
  void clear() { first = heads.data() + room, count = 0; }
};

}  // namespace assay::network
