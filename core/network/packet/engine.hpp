// The packet engine: virtual cut-through and store-and-forward with whole-packet buffers, virtual channels that share a
// wire packet by packet; what InfiniBand- and Ethernet-like networks are.
//
// A packet of L flits (its header among them) that is granted a wire at g starts with its head at g and with its tail
// at T (passage.hpp; where no head is faster than its body, max(g + f (L-1), T + w of the link before)); the wire is
// free at T + f, and the packet's slot in the lane's buffer that it comes from at T + r. All that is known at the
// grant, so there is one event per hop: the request at the next router, h after the head's start (cut-through) or the
// tail's (store-and-forward); and a wake-up where somebody waits for a wire or a slot. Requests of a tick queue in
// order of message; then the wires are gone through until nothing is granted any more. A wire serves its lanes
// in turn, each first come first served. A packet takes the free wire of its link with the lowest number. What a grant
// frees in the same tick (the slot of a packet of one flit, where credits take no time; its place in an output queue)
// is there for the next round, when all wires have been gone through; so no order of links matters. Routers are
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
#include "network/credits.hpp"
#include "network/lane_engine.hpp"
#include "network/marks.hpp"
#include "network/passage.hpp"

namespace assay::network {

struct Packet : LaneMessage {
  std::uint32_t behind = events::no_index;  // fifo: who stands behind it in its buffer
  std::uint64_t ready = 0;
  Passage passage;                                               // over that link
  std::uint32_t link = none, wire = 0, lane = events::no_index;  // whose far end it stands at
  bool inside = false;                                           // an output queue
};
/// A wire with what of its link every packet needs: a line of memory.
struct alignas(64) PacketWire : LaneWire {
  std::uint32_t flit = 0, body = 0, head = 0, credit = 0;
  std::uint32_t queue = 0;  // of the link's first lane class
  std::uint8_t classes = 1, lanes = 1;
  bool out = false;      // an ejection link
  bool changed = false;  // to be looked at in this tick
  [[nodiscard]] std::uint32_t queue_of(unsigned of_lane) const {
    return queue + (of_lane < classes ? of_lane : of_lane % classes);
  }
};
static_assert(sizeof(PacketWire) == 64);
/// Those that wait for the wires of a lane class.
struct PacketQueue {
  Line wire;
};

template <class Source, class Observer>
class PacketEngine
    : public LaneEngine<PacketEngine<Source, Observer>, Packet, PacketQueue, Source, Observer, PacketWire> {
  using Base = LaneEngine<PacketEngine, Packet, PacketQueue, Source, Observer, PacketWire>;
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
        lanes_(Base::lane_count_) {
    if (fifo_) behind_.resize(lanes_.size());
    if (output_) outputs_.resize(queues_.size());
    several_ = wires_.size() != fabric.links.size();
    if (several_) marks_ = Marks(wires_.size());
    for (auto& wire : wires_) {
      const Link& link = fabric.links[wire.link];
      wire.flit = link.flit, wire.body = link.body, wire.head = link.head, wire.credit = link.credit;
      wire.queue = first_[wire.link].queue;
      wire.classes = static_cast<std::uint8_t>(first_[wire.link].classes);
      wire.lanes = link.lanes;
      wire.out = link.kind == LinkKind::ejection;
    }
  }

  /// Flits are counted by link from here on.
  void watch_links() { watched_ = true; }

  [[nodiscard]] std::size_t memory() const {
    std::size_t sum = Base::common_memory() + changed_.capacity() * 4 + marks_.memory() +
                      lanes_.capacity() * sizeof(Lane) + behind_.capacity() * sizeof(Behind) +
                      outputs_.capacity() * sizeof(Output);
    for (const auto& lane : lanes_) sum += lane.memory();
    return sum;
  }
  void report_standing() {}  // a grant says all: a packet that waits is whole in its buffer
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const;

 private:
  using Base::fabric_, Base::how_, Base::table_, Base::first_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::flits_by_link_, Base::parts_, Base::now_, Base::no_index;
  static constexpr Tick not_woken = 0;
  enum Kind : unsigned { wire_wakes, place_free };
  /// The buffer of a virtual channel at the far end.
  struct alignas(32) Lane : Credits {  // known returns of credits
    std::uint32_t open = 0;            // packets in it whose departure is not known
  };
  static_assert(sizeof(Lane) == 32);  // two to a line of memory
  /// fifo: the last of those packets; from when the one behind the last that left may ask, or go into the sink.
  struct Behind {
    Tick next_request = 0;
    std::uint32_t last = no_index;
  };
  /// The output queue of a lane class: who waits for a place in it, and the places taken.
  struct Output {
    Line place;
    std::uint32_t inside = 0;
  };
  /// Packets that wait for this lane class, or stand at its far end.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First& first = first_[link];
    const PacketQueue& queue = queues_[first.queue + lane];
    std::uint32_t sum = queue.wire.waiting + (output_ ? outputs_[first.queue + lane].place.waiting : 0);
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c) {
      const Wire& wire = wires_[first.wire + c];
      sum += wire.free_at > now_;
      if (how_.buffer_packets != 0)
        for (unsigned l = lane; l < fabric_.links[link].lanes; l += first.classes) {
          const Lane& buffer = lanes_[wire.lane + l];
          sum += buffer.open + buffer.after(now_);
        }
    }
    return sum;
  }

  void happens(unsigned kind, std::uint32_t number) {
    if (kind == wire_wakes)
      change(wires_[number], number);
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
    Base::line_up(outputs_[number].place, index);
    fill_places(number);
  }
  void join(std::uint32_t number, std::uint32_t index) {
    Base::line_up(queues_[number].wire, index);
    const First& first = first_[messages_[index].want];
    for (std::uint32_t wire = first.wire; wire < first.wire + first.channels; ++wire) look_later(wire);
  }
  /// A wire for which something has changed: it is looked at in this tick, or when it is free.
  void look_later(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.free_at <= now_)
      change(wire, number);
    else
      wake(wire, number, wire.free_at);
  }
  void change(Wire& wire, std::uint32_t number) {
    if (several_) return marks_.put(number);
    if (wire.changed) return;
    wire.changed = true;
    changed_.push_back(number);
  }

  /// Rounds: see above.
  void go_through_wires() {
    do {
      if (several_)
        for (auto wire = marks_.take(0); wire != Marks::nothing; wire = marks_.take(wire + 1)) look(wires_[wire], wire);
      for (std::size_t i = 0; i < changed_.size(); ++i) {  // which may get longer
        const std::uint32_t number = changed_[i];
        Wire& wire = wires_[number];
        wire.changed = false;
        look(wire, number);
      }
      changed_.clear();
    } while (next_round());
  }
  /// What the grants of a round freed in their own tick; whether there was anything.
  bool next_round() {
    if (late_.empty()) return false;
    for (std::size_t i = 0; i < late_.size(); ++i) {
      const Late one = late_[i];
      if (one.lane == no_index)
        leave_place(one.number);
      else
        return_credit(wires_[one.number], one.number, one.lane, now_);
    }
    late_.clear();
    return true;
  }

  // --- output queues
  void fill_places(std::uint32_t number) {
    Output& output = outputs_[number];
    while (!output.place.empty() && (how_.output_packets == 0 || output.inside < how_.output_packets)) {
      const std::uint32_t index = Base::step_out(output.place);
      ++output.inside;
      Message& m = messages_[index];
      m.inside = true;
      give_back(m, m.length == 1 ? now_ : std::max(now_, m.tail + fabric_.links[m.link].body));
      join(number, index);
    }
  }
  void leave_place(std::uint32_t number) {
    --outputs_[number].inside;
    fill_places(number);
  }

  // --- wires and slots
  [[gnu::always_inline]] void look(Wire& wire, std::uint32_t number) {
    if (wire.free_at > now_) {
      if (waited_for(wire)) wake(wire, number, wire.free_at);
      return;
    }
    Tick again = ~Tick{0};
    for (unsigned step = 0; step < wire.lanes; ++step) {
      const unsigned lane = wire.turn + step < wire.lanes ? wire.turn + step : wire.turn + step - wire.lanes;
      Line& line = queues_[wire.queue_of(lane)].wire;
      if (line.last == no_index) continue;
      Lane& buffer = lanes_[wire.lane + lane];
      if (how_.buffer_packets != 0) {
        buffer.forget(now_);
        if (buffer.open + buffer.size() >= how_.buffer_packets) {
          if (!buffer.empty()) again = std::min(again, buffer.front());
          continue;
        }
      }
      if (wire.lanes != 1) wire.turn = lane + 1 < wire.lanes ? lane + 1 : 0;
      ++buffer.open;
      cross(Base::step_out(line), wire, number, wire.lane + lane);
      if (waited_for(wire)) wake(wire, number, wire.free_at);
      return;
    }
    if (again != ~Tick{0}) wake(wire, number, again);
  }
  void wake(Wire& wire, std::uint32_t number, Tick again) {
    if (wire.wake == again && again > now_) return;
    wire.wake = again;
    table_.put(now_, again, wire_wakes, number);
  }
  /// Whether anybody waits for a wire of the link, in whatever lane class.
  [[nodiscard]] bool waited_for(const Wire& wire) const {
    for (unsigned klass = 0; klass < wire.classes; ++klass)
      if (!queues_[wire.queue + klass].wire.empty()) return true;
    return false;
  }
  void cross(std::uint32_t index, Wire& wire, std::uint32_t number, std::uint32_t lane) {
    Message& m = messages_[index];
    m.passage = m.link == none ? Passage::begin(now_, wire.flit, m.length)
                               : m.passage.next(wires_[m.wire].body, now_, wire.flit, m.length);
    const Tick tail = m.passage.last;
    wire.free_at = tail + wire.flit;
    if (watched_) flits_by_link_[wire.link] += m.length;
    ++m.hops;
    m.waiting = false;
    if constexpr (requires(const Link& link) { Base::observer_.passes(std::uint64_t{}, link, Tick{}, m.length); })
      if (const Link& link = fabric_.links[wire.link]; link.kind == LinkKind::network && m.hops > 2)
        Base::observer_.passes(m.key >> Parts::packet_bits, link, now_, m.length);
    Base::crossed(m.key, wire.link, lane, now_, tail);
    if (m.link == none) {
      m.entered = now_;
      const std::uint32_t row = m.row;
      const std::uint64_t key = m.key;
      // The injection channel is free again then: the message's next packet asks after it. (It may move this one.)
      if (row != none)
        if (const auto packet = Base::next_packet(row, key); packet != no_index)
          Base::ask_at(packet, wire.free_at + how_.packet_gap);
      if (row == none || parts_[row].left == 0) Base::left_source(key, wire.free_at);
    } else if (m.inside) {
      m.inside = false;
      const std::uint32_t place = first_[wire.link].queue + m.klass;
      if (tail == now_)
        late_.push_back({place, no_index});
      else
        table_.put(now_, tail, place_free, place);
    } else {
      give_back(m, tail, true);
    }
    arrive(index, wire, number, lane, tail);
  }
  void arrive(std::uint32_t index, const Wire& wire, std::uint32_t number, std::uint32_t lane, Tick tail) {
    Message& m = messages_[index];
    m.link = wire.link;
    m.wire = number;
    m.lane = lane;
    m.tail = tail;
    m.ready = (stored_ ? tail : now_) + wire.head;
    if (wire.out) {
      m.head = now_;
      // Where buffers are first-in-first-out the sink takes one packet at a time, as a link does.
      if (fifo_) m.ready = std::max(m.ready, behind_[lane].next_request);
      const Tick sunk = m.passage.next(wire.body, m.ready, how_.sink_ticks, m.length).last;
      if (fifo_) behind_[lane].next_request = sunk + std::max(wire.credit + 1, how_.sink_ticks);
      return_credit(wire, number, lane, sunk + wire.credit);
      return deliver(index);
    }
    if (!fifo_) return Base::ask_at(index, m, m.ready);
    const std::uint32_t before = behind_[lane].last;
    behind_[lane].last = index;
    if (before == no_index)
      Base::ask_at(index, std::max(m.ready, behind_[lane].next_request));
    else
      messages_[before].behind = index;
  }
  /// The packet's tail leaves its buffer at `time`; `granted`: over the wire that it was granted in this round.
  void give_back(Message& m, Tick time, bool granted = false) {
    const Wire& wire = wires_[m.wire];
    const Tick back = time + wire.credit;
    if (fifo_) {
      Behind& behind = behind_[m.lane];
      behind.next_request = back + 1;
      if (m.behind == no_index)
        behind.last = no_index;
      else
        Base::ask_at(m.behind, std::max(messages_[m.behind].ready, behind.next_request));
      m.behind = no_index;
    }
    if (granted && back == now_)
      late_.push_back({m.wire, m.lane});
    else
      return_credit(wire, m.wire, m.lane, back);
  }
  void return_credit(const Wire& wire, std::uint32_t number, std::uint32_t lane, Tick time) {
    Lane& buffer = lanes_[lane];
    --buffer.open;
    if (how_.buffer_packets == 0) return;
    buffer.put(time);
    if (!queues_[wire.queue_of(lane - wire.lane)].wire.empty()) look_later(number);
  }

  const bool stored_, fifo_, output_;
  std::vector<Lane> lanes_;      // by wire and lane
  std::vector<Behind> behind_;   // by wire and lane, with fifo buffers
  std::vector<Output> outputs_;  // by link and lane class, with output queues
  struct Late {
    std::uint32_t number, lane;  // a wire and its lane whose slot is free; without a lane, a queue that has a place
  };
  std::vector<Late> late_;
  // Wires to be looked at in this tick: upwards where a link has several, of which a packet takes the lowest; where no
  // link has, the order is all the same.
  Marks marks_{0};
  std::vector<std::uint32_t> changed_;
  bool several_ = false, watched_ = false;
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
        if (outputs_[first.queue + m.klass].inside != inside[first.queue + m.klass].size()) call(no_index);
        for (const auto holder : inside[first.queue + m.klass]) call(holder);
        return;
      }
      for (unsigned c = 0; c < fabric_.links[m.want].channels; ++c)
        for (unsigned l = m.klass; l < fabric_.links[m.want].lanes; l += first.classes) {
          const std::uint32_t lane = wires_[first.wire + c].lane + l;
          if (how_.buffer_packets == 0 || stands[lane].size() < how_.buffer_packets) call(no_index);
          for (const auto holder : stands[lane]) call(holder);
        }
    });
  }
  circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
}

}  // namespace assay::network
