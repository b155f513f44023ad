// Streams of messages from one rank to another in windows: a number of messages, then a 0-byte credit back once all
// have arrived, so that a sender cannot run ahead of its receiver's memory. Each message of a checked window carries
// its own pattern, by position, sender and place in the window.
#pragma once

#include <vector>

#include "ranks/buffers.hpp"

namespace assay::ranks {

inline constexpr int stream_tag = 11, credit_tag = 12, open_tag = 13;

inline std::uint64_t stream_salt(int from, int place) {
  return static_cast<std::uint64_t>(from) * 1000003 + static_cast<std::uint64_t>(place);
}

// One window with its data checked on arrival, at each sender and at the receiver, which starts it by a message, so
// that none of it mixes with the timed windows, and counts wrong bytes.
template <Communicator C>
Task send_checked(C& comm, std::byte* out, std::size_t bytes, int to, int window) {
  co_await comm.recv(nullptr, 0, to, open_tag);
  for (int place = 0; place < window; ++place) {
    write_pattern(out, bytes, stream_salt(comm.rank(), place), true);
    co_await comm.send(out, bytes, to, stream_tag);
  }
  co_await comm.recv(nullptr, 0, to, credit_tag);
}
template <Communicator C>
Task receive_checked(C& comm, std::byte* in, std::size_t bytes, const std::vector<int>& senders, int window,
                     std::int64_t& wrong) {
  for (const int from : senders) co_await comm.send(nullptr, 0, from, open_tag);
  for (int place = 0; place < window; ++place) {
    for (const int from : senders) {
      poison(in, bytes);
      const auto arrived = co_await comm.recv(in, bytes, from, stream_tag);
      wrong += wrong_bytes(in, bytes, stream_salt(from, place), true) + (arrived.bytes() == bytes ? 0 : 1);
    }
  }
  for (const int from : senders) co_await comm.send(nullptr, 0, from, credit_tag);
}

}  // namespace assay::ranks
