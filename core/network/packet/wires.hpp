// What the packet engine keeps of packets, wires and lanes: small, since networks have millions of them.
#pragma once
#include <compare>
#include <cstdint>

#include "events/wheel.hpp"
#include "network/line.hpp"
#include "network/packet/slots.hpp"
#include "network/routing.hpp"

namespace assay::network {

/// A LaneMessage but for what LaneTimes has, so that it fits one line of the cache. Its small fields are in a word:
/// bytes might be any object's, and after each that is written pointers and counts would be read again.
struct alignas(64) Packet {
  std::uint64_t key = 0;
  std::uint64_t tail = 0;  // its last flit's start on `wire`
  RouteState route;
  std::uint32_t next = events::no_index;  // in the line it stands in
  std::uint32_t want = none;
  std::uint32_t wire = none;                      // whose far end it stands at
  std::uint32_t flits = 0, row = none, hops = 0;  // flits of payload
  std::uint32_t klass : 8 = 0, lane : 8 = 0;      // lane: of the wire
  std::uint32_t live : 1 = false, waiting : 1 = false;
};
static_assert(sizeof(Packet) == 64);
/// What many links have alike.
struct PacketLink {
  std::uint32_t flit, body, head, credit;
  std::uint8_t classes, lanes;
  bool out;  // an ejection link
  auto operator<=>(const PacketLink&) const = default;
  /// The class of one of its lanes.
  [[nodiscard]] unsigned of(unsigned lane) const { return lane < classes ? lane : lane % classes; }
  /// A bit for each of at most 32 lanes.
  [[nodiscard]] std::uint32_t mask() const { return (1u << lanes) - 1; }
};
/// Links of up to four lanes, each a class: the lane that is granted next, as a table, since to compute it takes thrice
/// the instructions.
struct PacketTurns {
  static constexpr unsigned most = 4;
  // By lanes; by the lane whose turn it is, above a bit for each lane that somebody waits for, at least one.
  std::uint8_t next[most + 1][64] = {};
  std::uint8_t after[most + 1][most] = {};  // by lanes, the lane behind one
  constexpr PacketTurns() {
    for (unsigned lanes = 1; lanes <= most; ++lanes)
      for (unsigned turn = 0; turn < lanes; ++turn) {
        after[lanes][turn] = static_cast<std::uint8_t>((turn + 1) % lanes);
        for (unsigned waits = 1; waits < 16; ++waits) {
          unsigned lane = turn;
          for (unsigned step = 0; step < lanes && (waits >> lane & 1) == 0; ++step) lane = (lane + 1) % lanes;
          next[lanes][turn << 4 | waits] = static_cast<std::uint8_t>(lane);
        }
      }
  }
};
inline constexpr PacketTurns packet_turns;
struct PacketWire {
  std::uint32_t free_at = 0;  // the low bits of it; the engine knows what lies too far ahead
  std::uint32_t wake = 0;     // the low bits of when it is looked at next, if `woken`
  std::uint32_t lane = 0;
  std::uint16_t like = 0;  // which PacketLink
  std::uint16_t bits = 0;  // the lane whose turn it is, above those that wait, above flags
  static constexpr std::uint16_t changed = 1, woken = 2;  // to be looked at in this tick; `wake` will come
  [[nodiscard]] bool is(std::uint16_t flag) const { return (bits & flag) != 0; }
  void set(std::uint16_t flag) { bits |= flag; }
  void clear(std::uint16_t flag) { bits &= static_cast<std::uint16_t>(~flag); }
  [[nodiscard]] unsigned turn() const { return bits >> 8; }
  void set_turn(unsigned lane) { bits = static_cast<std::uint16_t>((bits & 0xff) | lane << 8); }
  /// Where all is plain: a bit for each lane that somebody waits for.
  [[nodiscard]] std::uint32_t waits() const { return bits >> 4 & 0xf; }
  void mark_waiting(unsigned lane) { bits |= static_cast<std::uint16_t>(0x10u << lane); }
  /// As PacketTurns::next takes it.
  [[nodiscard]] std::uint32_t waits_and_turn() const { return bits >> 4 & 0x3f; }
};
static_assert(sizeof(PacketWire) == 16);
/// The buffer of a virtual channel at the far end, and those that wait for a lane class.
struct PacketLane : Line, Slots::Lane {};
static_assert(sizeof(PacketLane) == 12);

}  // namespace assay::network
