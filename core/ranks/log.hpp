// What happened on a described machine, written down for a timeline and a matrix: each rank's calls, each message, and
// each crossing of the network that it took (request, reply, data, packets). Only where a person asked.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranks/groups.hpp"
#include "ranks/message_model.hpp"

namespace assay::described {

class Log {
 public:
  enum class Doing : std::uint8_t { send, isend, sendrecv, recv, wait, compute, barrier, put, get, complete };
  enum class Crossing : std::uint8_t { request, reply, data };
  struct Span {
    int rank;
    Doing doing;
    Time from, to;
  };
  struct Sent {
    int source, destination, tag;
    std::uint64_t bytes;
    Time called, delivered;  // delivered: a receive has it, or -1
  };
  struct Passage {
    std::uint64_t message;  // row of `sent`
    Crossing crossing;
    std::uint32_t source, destination, flits;  // nodes
    Time from, left, arrived;
  };
  struct Amount {
    std::uint64_t messages = 0, bytes = 0;
  };

  std::vector<Span> spans;
  std::vector<Sent> sent;
  std::vector<Passage> passages;
  std::map<std::pair<int, int>, Amount> matrix;  // by source and destination

  // A rank enters a call; what it did before ends there at the latest, as programs take no time between calls.
  void begins(int rank, Doing doing, Time now) {
    ends(rank, now);
    open_[rank] = {rank, doing, now, now};
  }
  void ends(int rank, Time now) {
    const auto found = open_.find(rank);
    if (found == open_.end()) return;
    found->second.to = now;
    if (now > found->second.from) spans.push_back(found->second);
    open_.erase(found);
  }
  void sends(MessageId id, const Message& message, Time now) {
    Amount& amount = matrix[{message.source, message.destination}];
    ++amount.messages;
    amount.bytes += message.bytes;
    row_[id] = sent.size();
    sent.push_back({message.source, message.destination, plain_tag(message.tag), message.bytes, now, -1});
  }
  void delivers(MessageId id, Time now) { sent[row_[id]].delivered = now; }
  void crosses(MessageId id, Crossing crossing, std::uint32_t source, std::uint32_t destination, std::uint32_t flits,
               Time from) {
    under_way_[{id, crossing}].push_back(passages.size());
    passages.push_back({row_[id], crossing, source, destination, flits, from, -1, -1});
  }
  void left(MessageId id, Crossing crossing, Time time) {
    for (const auto row : under_way_[{id, crossing}])
      if (passages[row].left < 0) {
        passages[row].left = time;
        return;
      }
  }
  // The packets of a message arrive in their order.
  void arrived(MessageId id, Crossing crossing, Time time) {
    auto& rows = under_way_[{id, crossing}];
    passages[rows.front()].arrived = time;
    rows.pop_front();
  }

 private:
  std::unordered_map<int, Span> open_;
  std::unordered_map<MessageId, std::uint64_t> row_;
  std::map<std::pair<MessageId, Crossing>, std::deque<std::size_t>> under_way_;
};

}  // namespace assay::described
