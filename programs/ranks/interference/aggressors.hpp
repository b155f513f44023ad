// The congestors: rounds of messages among the aggressors, one after the other until the victims are done.
//
//   incast      all others send to the first
//   broadcast   the first sends to all others
//   alltoall    everybody to everybody: in step k to the one k places on
//   put, get, accumulate  the same steps, one-sided (access.hpp)
// What arrived is counted by what the receives report, so that congestors that move nothing are found.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ranks/buffers.hpp"
#include "ranks/collectives.hpp"

namespace assay::ranks {

enum class Aggressor : std::uint8_t { none, incast, alltoall, broadcast, put, get, accumulate };
inline constexpr std::array<std::string_view, 7> aggressor_names = {"none", "incast", "alltoall",  "broadcast",
                                                                    "put",  "get",    "accumulate"};

inline constexpr int load_tag = 31, round_tag = 32, begin_tag = 33, arrived_tag = 34;

struct AggressorTraffic {
  std::int64_t messages = 0, bytes = 0, wrong = 0, ticks = 0;

  void took(std::size_t length) {
    ++messages;
    bytes += static_cast<std::int64_t>(length);
  }
  static void join(AggressorTraffic& mine, const AggressorTraffic& other) {
    mine.messages += other.messages;
    mine.bytes += other.bytes;
    mine.wrong += other.wrong;
  }
};

// What an aggressor sends from and receives into. Checked: each message carries its sender's pattern and each is
// compared; else all receives of a step share a buffer.
struct AggressorBuffers {
  std::byte *out = nullptr, *in = nullptr;
  std::size_t bytes = 0;
  bool checked = false;

  void write(int from) const {
    if (checked) write_pattern(out, bytes, static_cast<std::uint64_t>(from), true);
  }
  void expect() const {
    if (checked) poison(in, bytes);
  }
  template <Received R>
  void got(const R& arrived, int from, AggressorTraffic& traffic) const {
    traffic.took(arrived.bytes());
    if (!checked) return;
    traffic.wrong += wrong_bytes(in, bytes, static_cast<std::uint64_t>(from), true);
    traffic.wrong += arrived.bytes() != bytes;
  }
};

// The first to all others or all others to the first; the first's messages of a step are under way together.
template <Communicator C>
Task round_at_hub(C& group, bool inward, AggressorBuffers held, AggressorTraffic& traffic) {
  const int ranks = group.size();
  held.write(group.rank());
  if (group.rank() != 0) {
    held.expect();
    if (inward) {
      co_await group.send(held.out, held.bytes, 0, load_tag);
    } else {
      const auto arrived = co_await group.recv(held.in, held.bytes, 0, load_tag);
      held.got(arrived, 0, traffic);
    }
  } else if (!inward) {
    std::vector<typename C::SendRequest> sent(static_cast<std::size_t>(ranks));
    for (int to = 1; to < ranks; ++to)
      sent[static_cast<std::size_t>(to)] = co_await group.isend(held.out, held.bytes, to, load_tag);
    for (int to = 1; to < ranks; ++to) co_await group.wait(sent[static_cast<std::size_t>(to)]);
  } else if (held.checked) {
    for (int from = 1; from < ranks; ++from) {
      held.expect();
      const auto arrived = co_await group.recv(held.in, held.bytes, from, load_tag);
      held.got(arrived, from, traffic);
    }
  } else {
    std::vector<typename C::ReceiveRequest> due(static_cast<std::size_t>(ranks));
    for (int from = 1; from < ranks; ++from)
      due[static_cast<std::size_t>(from)] = co_await group.irecv(held.in, held.bytes, from, load_tag);
    for (int from = 1; from < ranks; ++from) {
      const auto arrived = co_await group.wait(due[static_cast<std::size_t>(from)]);
      held.got(arrived, from, traffic);
    }
  }
}

template <Communicator C>
Task round_of_all(C& group, AggressorBuffers held, AggressorTraffic& traffic) {
  const int me = group.rank(), ranks = group.size();
  held.write(me);
  for (int step = 1; step < ranks; ++step) {
    const int to = (me + step) % ranks, from = (me - step + ranks) % ranks;
    held.expect();
    const auto arrived = co_await group.sendrecv(held.out, held.bytes, to, held.in, held.bytes, from, load_tag);
    held.got(arrived, from, traffic);
  }
}

}  // namespace assay::ranks
