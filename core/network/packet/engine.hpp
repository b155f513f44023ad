// The packet engine: virtual cut-through and store-and-forward with whole-packet buffers, virtual channels that share a
// wire packet by packet; what InfiniBand- and Ethernet-like networks are.
//
// A packet of L flits (its header among them) that is granted a wire at g starts with its head at g and with its tail
// at T (passage.hpp; where no head is faster than its body, max(g + f (L-1), T + w of the link before)); the wire is
// free at T + f, and the packet's slot in the lane's buffer that it comes from at T + r. All that is known at the
// grant, so there is one event per hop: the request at the next router, h after the head's start (cut-through) or the
// tail's (store-and-forward); and a wake-up where somebody waits for a wire or a slot. Requests of a tick queue in
// order of message; then the wires are gone through upwards until nothing is granted any more. A wire serves its lanes
// in turn, each first come first served. Routers are
//   shared  input-queued, any packet of a buffer may go on (virtual output queues);
//   fifo    input-queued, only the oldest of a lane's buffer asks, from when the one before it has gone (head-of-line
//           blocking: Karol, Hluchyj and Morgan 1987);
//   output  output-queued: a packet goes at once into the queue of the link that it wants, if there is a place, and
//           frees its slot as its tail comes in; else it waits in its buffer.
// A routing that needs n lanes gets n classes: lane l is of class l mod n. Its choice is made once, at the request, by
// the packets that wait or stand at the far end. With one lane per link, this is the worm engine's cut-through.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/circle.hpp"
#include "network/lane_engine.hpp"
#include "network/passage.hpp"

namespace assay::network {

struct Packet : LaneMessage {
  std::uint32_t behind = events::nobody;  // fifo: who stands behind it in its buffer
  std::uint64_t ready = 0;
  Passage passage;                                             // over that link
  std::uint32_t link = none, wire = 0, lane = events::nobody;  // whose far end it stands at
  bool inside = false;                                         // an output queue
};
struct PacketQueue {
  Line wire;                 // for the wires of this lane class
  Line place;                // output: for a place in that queue
  std::uint32_t inside = 0;  // output: places taken
};

template <class Source, class Observer>
class PacketEngine : public LaneEngine<PacketEngine<Source, Observer>, Packet, PacketQueue, Source, Observer> {
  using Base = LaneEngine<PacketEngine, Packet, PacketQueue, Source, Observer>;
  friend Base;
  using typename Base::Tick, typename Base::Wire, typename Base::First;

 public:
  static constexpr const char* name = "packet";
  using Message = Packet;

  PacketEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
               events::Random random, std::uint32_t span)
      : Base(fabric, routing, how, source, observer, random, span),
        stored_(how.switching == "store-and-forward"),
        fifo_(how.buffers == "fifo"),
        output_(how.buffers == "output"),
        lanes_(Base::lane_count_) {}

  [[nodiscard]] std::size_t memory() const {
    std::size_t sum = Base::common_memory() + lanes_.capacity() * sizeof(Lane);
    for (const auto& lane : lanes_) sum += lane.back.capacity() * sizeof(Tick);
    return sum;
  }
  void report_standing() {}  // a grant says all: a packet that waits is whole in its buffer
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const;

 private:
  using Base::fabric_, Base::how_, Base::table_, Base::marks_, Base::first_, Base::queues_, Base::wires_,
      Base::messages_;
  using Base::free_, Base::asking_, Base::flits_by_link_, Base::parts_, Base::now_, Base::nobody;
  static constexpr Tick not_woken = 0;
  enum Kind : unsigned { asks, wire_wakes, place_free };
  /// The buffer of a virtual channel at the far end.
  struct Lane {
    std::uint32_t open = 0;       // packets in it whose departure is not known
    std::uint32_t last = nobody;  // fifo: the last of them
    Tick next_asks = 0;           // fifo: from when the one behind the last that left may ask, or go into the sink
    std::vector<Tick> back;       // known returns of credits, ascending
  };
  /// Packets that wait for this lane class, or stand at its far end.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First& first = first_[link];
    const PacketQueue& queue = queues_[first.queue + lane];
    std::uint32_t sum = queue.wire.waiting + queue.place.waiting;
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c) {
      const Wire& wire = wires_[first.wire + c];
      sum += wire.free_at > now_;
      if (how_.buffer_packets != 0)
        for (unsigned l = lane; l < fabric_.links[link].lanes; l += first.classes) {
          const auto& back = lanes_[wire.lane + l].back;
          sum += lanes_[wire.lane + l].open +
                 static_cast<std::uint32_t>(back.end() - std::upper_bound(back.begin(), back.end(), now_));
        }
    }
    return sum;
  }

  void happens(unsigned kind, std::uint32_t number) {
    if (kind == asks)
      asking_.push_back(number);
    else if (kind == wire_wakes)
      marks_.put(number);
    else
      leave_place(number);
  }
  void deliver(std::uint32_t index) {
    Base::arrived(index);
    free_.push_back(index);
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Packet& m) const { return {m.link, m.klass}; }
  void queue_up(std::uint32_t index) {
    const Packet& m = messages_[index];
    const std::uint32_t number = first_[m.want].queue + m.klass;
    if (!output_ || m.link == none) return join(number, index);
    Base::line_up(queues_[number].place, index);
    fill_places(number);
  }
  void join(std::uint32_t number, std::uint32_t index) {
    Base::line_up(queues_[number].wire, index);
    Base::mark(messages_[index].want);
  }

  // --- output queues
  void fill_places(std::uint32_t number) {
    while (queues_[number].place.last != nobody &&
           (how_.output_packets == 0 || queues_[number].inside < how_.output_packets)) {
      const std::uint32_t index = Base::step_out(queues_[number].place);
      ++queues_[number].inside;
      Message& m = messages_[index];
      m.inside = true;
      give_back(m, m.length == 1 ? now_ : std::max(now_, m.tail + fabric_.links[m.link].body));
      join(number, index);
    }
  }
  void leave_place(std::uint32_t number) {
    --queues_[number].inside;
    fill_places(number);
  }

  // --- wires and slots
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[wire.link];
    const First& first = first_[wire.link];
    Tick again = ~Tick{0};
    for (unsigned step = 0; step < link.lanes; ++step) {
      const unsigned lane = wire.turn + step < link.lanes ? wire.turn + step : wire.turn + step - link.lanes;
      Line& line = queues_[first.queue + first.of(lane)].wire;
      if (line.last == nobody) continue;
      if (wire.free_at > now_) {
        again = wire.free_at;
        break;
      }
      Lane& buffer = lanes_[wire.lane + lane];
      if (how_.buffer_packets != 0) {
        const auto known = std::upper_bound(buffer.back.begin(), buffer.back.end(), now_);
        buffer.back.erase(buffer.back.begin(), known);
        if (buffer.open + buffer.back.size() >= how_.buffer_packets) {
          if (!buffer.back.empty()) again = std::min(again, buffer.back.front());
          continue;
        }
      }
      wire.turn = lane + 1 < link.lanes ? lane + 1 : 0;
      cross(Base::step_out(line), number, wire.lane + lane);
      again = wire.free_at;
      if (!waited_for(first)) return;
      break;
    }
    if (again == ~Tick{0} || (wire.wake == again && again > now_)) return;
    wire.wake = again;
    table_.put(now_, again, wire_wakes, number);
  }
  /// Whether anybody waits for a wire of the link, in whatever lane class.
  [[nodiscard]] bool waited_for(const First& first) const {
    for (unsigned klass = 0; klass < first.classes; ++klass)
      if (!queues_[first.queue + klass].wire.empty()) return true;
    return false;
  }
  void cross(std::uint32_t index, std::uint32_t number, std::uint32_t lane) {
    Message& m = messages_[index];
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[wire.link];
    const bool out = link.kind == LinkKind::ejection;
    m.passage = m.link == none ? Passage::begin(now_, link.flit, m.length)
                               : m.passage.next(fabric_.links[m.link].body, now_, link.flit, m.length);
    const Tick tail = m.passage.last;
    wire.free_at = tail + link.flit;
    flits_by_link_[wire.link] += m.length;
    ++m.hops;
    m.waiting = false;
    if constexpr (requires { Base::observer_.passes(std::uint64_t{}, link, Tick{}, m.length); })
      if (link.kind == LinkKind::network && m.hops > 2)
        Base::observer_.passes(m.key >> Parts::packet_bits, link, now_, m.length);
    Base::crossed(m.key, wire.link, lane, now_, tail);
    ++lanes_[lane].open;
    if (m.link == none) {
      m.entered = now_;
      const std::uint32_t row = m.row;
      const std::uint64_t key = m.key;
      // The injection channel is free again then: the message's next packet asks after it. (It may move this one.)
      if (row != none)
        if (const auto packet = Base::next_packet(row, key); packet != nobody)
          table_.put(now_, wire.free_at + how_.packet_gap, asks, packet);
      if (row == none || parts_[row].left == 0) Base::left_source(key, wire.free_at);
    } else if (m.inside) {
      m.inside = false;
      const std::uint32_t place = first_[wire.link].queue + m.klass;
      tail == now_ ? leave_place(place) : table_.put(now_, tail, place_free, place);
    } else {
      give_back(m, tail);
    }
    arrive(index, number, lane, tail, out);
  }
  void arrive(std::uint32_t index, std::uint32_t number, std::uint32_t lane, Tick tail, bool out) {
    Message& m = messages_[index];
    const Link& link = fabric_.links[wires_[number].link];
    m.link = wires_[number].link;
    m.wire = number;
    m.lane = lane;
    m.tail = tail;
    m.ready = (stored_ ? tail : now_) + link.head;
    if (out) {
      m.head = now_;
      // Where buffers are first-in-first-out the sink takes one packet at a time, as a link does.
      if (fifo_) m.ready = std::max(m.ready, lanes_[lane].next_asks);
      const Tick sunk = m.passage.next(link.body, m.ready, how_.sink_ticks, m.length).last;
      lanes_[lane].next_asks = sunk + std::max(link.credit + 1, how_.sink_ticks);
      return_credit(number, lane, sunk + link.credit);
      return deliver(index);
    }
    if (!fifo_) return table_.put(now_, m.ready, asks, index);
    const std::uint32_t before = lanes_[lane].last;
    lanes_[lane].last = index;
    if (before == nobody)
      table_.put(now_, std::max(m.ready, lanes_[lane].next_asks), asks, index);
    else
      messages_[before].behind = index;
  }
  /// The packet's tail leaves its buffer at `time`.
  void give_back(Message& m, Tick time) {
    Lane& lane = lanes_[m.lane];
    const Tick back = time + fabric_.links[m.link].credit;
    if (fifo_) {
      lane.next_asks = back + 1;
      if (m.behind == nobody)
        lane.last = nobody;
      else
        table_.put(now_, std::max(messages_[m.behind].ready, lane.next_asks), asks, m.behind);
      m.behind = nobody;
    }
    return_credit(m.wire, m.lane, back);
  }
  void return_credit(std::uint32_t number, std::uint32_t lane, Tick time) {
    --lanes_[lane].open;
    if (how_.buffer_packets == 0) return;
    auto& back = lanes_[lane].back;
    back.insert(std::upper_bound(back.begin(), back.end(), time), time);
    const Wire& wire = wires_[number];
    const First& first = first_[wire.link];
    if (queues_[first.queue + first.of(lane - wire.lane)].wire.last != nobody) marks_.put(number);
  }

  const bool stored_, fifo_, output_;
  std::vector<Lane> lanes_;  // by wire and lane
};

template <class Source, class Observer>
void PacketEngine<Source, Observer>::find_deadlock(Outcome& outcome) const {
  std::vector<std::vector<std::uint32_t>> inside(queues_.size()), stands(lanes_.size());
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (!m.live || m.link == none) continue;
    if (m.inside)
      inside[first_[m.want].queue + m.klass].push_back(i);
    else
      stands[m.lane].push_back(i);
  }
  Circle circle(messages_.size());
  for (std::uint32_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (!m.live || !m.waiting) continue;
    const First& first = first_[m.want];
    circle.waits(i, [&](auto call) {
      if (output_ && m.link != none && !m.inside) {
        if (queues_[first.queue + m.klass].inside != inside[first.queue + m.klass].size()) call(nobody);
        for (const auto holder : inside[first.queue + m.klass]) call(holder);
        return;
      }
      for (unsigned c = 0; c < fabric_.links[m.want].channels; ++c)
        for (unsigned l = m.klass; l < fabric_.links[m.want].lanes; l += first.classes) {
          const std::uint32_t lane = wires_[first.wire + c].lane + l;
          if (how_.buffer_packets == 0 || stands[lane].size() < how_.buffer_packets) call(nobody);
          for (const auto holder : stands[lane]) call(holder);
        }
    });
  }
  circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
}

}  // namespace assay::network
