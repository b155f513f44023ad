// The flit engine: wormhole switching with virtual channels that share a wire flit by flit.
//
// Tick by tick, but only over what moves: a wire is looked at when something has changed for it (a flit has come, a
// credit, its turn, a lane that is free again). A message holds a lane (virtual channel with a buffer of B flits at the
// far end) of each link on its way, from the grant until its tail has left the buffer and its last credit is back. In
// each tick:
//   1. what was under way arrives: flits in buffers, credits (r after a flit's start), lanes given back;
//   2. heads that are ready (h after their start) and new messages ask for their next link, in order of message; the
//      routing's choice is made once, here; they join the queue of that link's lane class;
//   3. the wires that something has changed for are gone through upwards, again and again until nothing moves: a free
//      lane goes to the first in its queue; a wire that is free (f after the last start) takes one flit of the lane
//      whose turn it is among those with a flit at hand and a place at the far end.
// With r = 0 or w = 0 a start gives way to another in the same tick. A routing that needs n lanes gets n classes; a
// link of more lanes than that has several of each class: lane l is of class l mod n.
// With one lane a link this is the worm engine's rule, tick for tick. (Dally 1992; Dally and Towles 2004, chapter 16.)
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "events/random.hpp"
#include "network/circle.hpp"
#include "network/marks.hpp"
#include "network/outcome.hpp"
#include "network/parts.hpp"
#include "network/routing.hpp"
#include "network/settings.hpp"
#include "network/timetable.hpp"

namespace assay::network {

template <class Source, class Observer>
class FlitEngine : private RandomSource, private Load {
  using Tick = std::uint64_t;
  static constexpr std::uint32_t nobody = events::nobody;

 public:
  static constexpr const char* name = "flit";
  /// A packet on its way; a whole message unless messages are cut.
  struct Message {
    std::uint32_t next = nobody;  // in the queue it stands in
    std::uint64_t key = 0;
    RouteState route;
    std::uint32_t source = 0, destination = 0, flits = 0, length = 0;  // flits of payload; on the wire
    Tick born = 0, entered = 0, head = 0, tail = 0;
    std::uint32_t want = none, lane = 0, at = nobody, hops = 0, row = none, stops = 0;
    bool live = false, waiting = false;
  };

  FlitEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
             events::Random random, std::uint32_t span)
      : fabric_(fabric),
        routing_(routing),
        how_(how),
        source_(source),
        observer_(observer),
        random_(random),
        table_(span),
        marks_(0) {
    const unsigned classes = routing.claims().lanes;
    std::uint32_t all = 0;
    for (std::uint32_t l = 0; l < fabric.links.size(); ++l) {
      const Link& link = fabric.links[l];
      const unsigned own = link.kind == LinkKind::network ? std::min<unsigned>(classes, link.lanes) : 1;
      first_.push_back({static_cast<std::uint32_t>(wires_.size()), static_cast<std::uint32_t>(queues_.size()), own});
      queues_.resize(queues_.size() + own);
      for (unsigned c = 0; c < link.channels; ++c, all += link.lanes) wires_.push_back({0, ~Tick{0}, l, all, 0});
    }
    owner_.assign(all, nobody);
    marks_ = Marks(wires_.size());
    flits_by_link_.assign(fabric.links.size(), 0);
  }

  /// Until `end`; false once nothing will ever happen again.
  bool run(Tick end) {
    for (;;) {
      const Tick time = next_time();
      if (time == ~Tick{0}) return false;
      if (time >= end) return true;
      cycle(time);
    }
  }

  /// On-line use: the next cycle in which anything happens (~0: none), and that cycle's events.
  [[nodiscard]] Tick next_time() const { return std::min<Tick>(source_.next_cycle(), table_.next(now_)); }
  void serve_cycle(Tick time) { cycle(time); }

  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return live_; }
  [[nodiscard]] std::uint64_t relative(std::uint64_t cycle) const { return cycle; }
  [[nodiscard]] std::uint64_t absolute(Tick time) const { return time; }
  [[nodiscard]] Tick tail(const Message& m, Tick) const { return m.tail; }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] std::uint64_t unroutable() const { return unroutable_; }
  [[nodiscard]] const std::vector<std::uint64_t>& flits_by_link() const { return flits_by_link_; }
  [[nodiscard]] std::size_t memory() const {
    return messages_.capacity() * sizeof(Message) + stops_.capacity() * sizeof(Stop) +
           wires_.capacity() * sizeof(Wire) + owner_.capacity() * 4 + queues_.capacity() * sizeof(Queue) +
           flits_by_link_.capacity() * 8 + marks_.memory() + table_.memory() + parts_.memory();
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const auto& first = first_[messages_[i].want];
          for (unsigned c = 0; c < fabric_.links[messages_[i].want].channels; ++c)
            for (unsigned lane = messages_[i].lane; lane < lanes(messages_[i].want); lane += first.classes) {
              const auto owner = owner_[wires_[first.wire + c].lane + lane];
              call(owner == nobody ? nobody : stops_[owner].message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) {
      const Message& m = messages_[i];
      return Outcome::Waiting{m.key >> Parts::packet_bits, m.want, none, m.source, m.destination};
    });
  }

 private:
  enum Kind : unsigned { flit_comes, head_comes, credit_comes, wire_free, lane_free, sink_free, packet_asks };
  /// What a message has of one link: its lane, and the flits in the buffer at the far end.
  struct Stop {
    std::uint32_t message = nobody, flits = 0, row = none;
    std::uint32_t link = 0, wire = 0, lane = 0;                   // lane: among all
    std::uint32_t before = nobody, after = nobody;                // stops of the same message
    std::uint32_t crossed = 0, ready = 0, credits = 0, sunk = 0;  // flits; credits that came back
    Tick last = 0, sinks = 0;                                     // start of the last flit; when the sink takes another
    bool headed = false, drained = false, released = false;
  };
  struct Wire {
    Tick free_at, wake;
    std::uint32_t link, lane;  // its first lane
    std::uint32_t turn;
  };
  struct Queue {
    std::uint32_t last = nobody, waiting = 0;
  };
  struct First {
    std::uint32_t wire, queue;
    unsigned classes;
  };

  std::uint64_t next() override { return random_.next(); }
  [[nodiscard]] unsigned lanes(std::uint32_t link) const { return fabric_.links[link].lanes; }
  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First& first = first_[link];
    const std::uint32_t waiting = queues_[first.queue + lane].waiting;
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c)
      for (unsigned l = lane; l < lanes(link); l += first.classes)
        if (owner_[wires_[first.wire + c].lane + l] == nobody) return waiting;
    return waiting + 1;
  }

  void cycle(Tick now) {
    now_ = now;
    asking_.clear();
    table_.each(now, [this](unsigned kind, std::uint32_t number) { happens(kind, number); });
    while (source_.next_cycle() == now) create();
    std::sort(asking_.begin(), asking_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
    for (const auto index : asking_) ask(index);
    for (std::uint32_t wire = marks_.take(0); wire != Marks::nothing; wire = marks_.take(wire + 1)) look(wire);
  }
  void post(unsigned kind, std::uint32_t number, Tick time) {
    if (time == now_)
      happens(kind, number);
    else
      table_.put(now_, time, kind, number);
  }
  void happens(unsigned kind, std::uint32_t number) {
    switch (kind) {
      case flit_comes: {
        Stop& stop = stops_[number];
        ++stop.ready;
        if (fabric_.links[stop.link].kind == LinkKind::ejection)
          sink(number);
        else if (stop.after != nobody)
          marks_.put(stops_[stop.after].wire);
        return;
      }
      case head_comes: {
        Stop& stop = stops_[number];
        ++stop.ready;
        stop.headed = true;
        if (fabric_.links[stop.link].kind == LinkKind::ejection)
          sink(number);
        else
          asking_.push_back(stop.message);
        return;
      }
      case credit_comes:
        ++stops_[number].credits;
        marks_.put(stops_[number].wire);
        return;
      case wire_free:
        marks_.put(number);
        return;
      case lane_free:
        return release(number);
      case packet_asks:
        return asking_.push_back(number);
      default:
        return sink(number);
    }
  }

  // --- messages
  void create() {
    const auto arrival = source_.take();
    std::uint64_t key = created_;
    if constexpr (!Source::newest_last) key = source_.last_key();
    ++created_;
    ++live_;
    std::uint32_t row = none, flits = arrival.flits;
    if (how_.packet_flits != 0 && flits > how_.packet_flits) {
      Parts::Message whole;
      whole.key = key;
      whole.source = arrival.source;
      whole.destination = arrival.destination;
      whole.flits = flits;
      whole.born = now_;
      row = parts_.add(whole, flits = how_.packet_flits);
    }
    asking_.push_back(start(arrival.source, arrival.destination, flits, key << Parts::packet_bits, row, now_));
  }
  std::uint32_t start(std::uint32_t source, std::uint32_t destination, std::uint32_t flits, std::uint64_t key,
                      std::uint32_t row, Tick born) {
    std::uint32_t index = static_cast<std::uint32_t>(messages_.size());
    if (free_messages_.empty()) {
      messages_.emplace_back();
    } else {
      index = free_messages_.back();
      free_messages_.pop_back();
      messages_[index] = {};
    }
    Message& m = messages_[index];
    m.key = key;
    m.source = source;
    m.destination = destination;
    m.flits = flits;
    m.length = flits + how_.header_flits;
    m.row = row;
    m.born = born;
    m.live = true;
    return index;
  }
  void deliver(std::uint32_t index) {
    Message& m = messages_[index];
    m.live = false;
    m.tail = now_;
    head_hops_ += m.hops;
    flit_hops_ += std::uint64_t{m.hops} * m.length;
    if (m.row == none) {
      --live_;
      m.key >>= Parts::packet_bits;
      observer_.delivered(*this, m, m.head, m.hops);
    } else if (parts_.arrived(m.row, m.entered, m.head, m.tail, m.hops)) {
      const auto& found = parts_[m.row];
      --live_;
      Message whole;
      whole.key = found.key;
      whole.source = found.source;
      whole.destination = found.destination;
      whole.flits = found.flits;
      whole.born = found.born;
      whole.entered = found.entered;
      whole.tail = found.tail;
      observer_.delivered(*this, whole, found.head, found.hops);
    }
  }

  // --- asking for the next link
  void ask(std::uint32_t index) {
    Message& m = messages_[index];
    if (m.at == nobody) {
      routing_.begin(m.route, m.source, m.destination, *this, *this);
      choices_.clear();
      routing_.inject(m.route, choices_);
    } else {
      const std::uint32_t link = stops_[m.at].link;
      routing_.choices(fabric_.links[link].to, link, m.lane, m.route, choices_);
    }
    if (choices_.count == 0) {  // it stays where it is for ever
      ++unroutable_;
      return;
    }
    const Choice chosen = pick();
    m.want = chosen.link;
    m.lane = chosen.lane;
    m.waiting = true;
    const First& first = first_[m.want];
    Queue& queue = queues_[first.queue + m.lane];
    ++queue.waiting;
    if (queue.last == nobody) {
      m.next = index;
    } else {
      m.next = messages_[queue.last].next;
      messages_[queue.last].next = index;
    }
    queue.last = index;
    for (unsigned c = 0; c < fabric_.links[m.want].channels; ++c) marks_.put(first.wire + c);
  }
  Choice pick() {
    if (choices_.count == 1 || routing_.selection() == Selection::first) return choices_[0];
    if (routing_.selection() == Selection::random) return choices_[below(choices_.count)];
    Choice least = choices_[0];
    std::uint32_t fewest = queue(least.link, least.lane);
    for (const auto& choice : choices_)
      if (const auto waiting = queue(choice.link, choice.lane); waiting < fewest) least = choice, fewest = waiting;
    return least;
  }

  // --- wires
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[wire.link];
    const First& first = first_[wire.link];
    for (unsigned lane = 0; lane < link.lanes; ++lane)
      if (owner_[wire.lane + lane] == nobody)
        if (Queue& queue = queues_[first.queue + lane % first.classes]; queue.last != nobody)
          grant(queue, number, wire.lane + lane);
    unsigned lane = whose_turn(wire, link);
    if (lane < link.lanes && wire.free_at <= now_) {
      wire.turn = lane + 1 < link.lanes ? lane + 1 : 0;
      wire.free_at = now_ + link.flit;
      cross(owner_[wire.lane + lane]);
      lane = whose_turn(wire, link);
    }
    if (lane < link.lanes && wire.wake != wire.free_at) {
      wire.wake = wire.free_at;
      post(wire_free, number, wire.free_at);
    }
  }
  /// The first lane from `turn` on with a flit at hand and a place for it; as many as there are lanes if none.
  [[nodiscard]] unsigned whose_turn(const Wire& wire, const Link& link) const {
    for (unsigned step = 0; step < link.lanes; ++step) {
      const unsigned lane = wire.turn + step < link.lanes ? wire.turn + step : wire.turn + step - link.lanes;
      const std::uint32_t stop = owner_[wire.lane + lane];
      if (stop != nobody && may_cross(stops_[stop], link)) return lane;
    }
    return link.lanes;
  }
  [[nodiscard]] bool may_cross(const Stop& stop, const Link& link) const {
    return stop.crossed < stop.flits && (stop.before == nobody || stops_[stop.before].ready > stop.crossed) &&
           (link.buffer == 0 || stop.crossed - stop.credits < link.buffer);
  }
  void grant(Queue& queue, std::uint32_t wire, std::uint32_t lane) {
    const std::uint32_t index = messages_[queue.last].next;
    Message& m = messages_[index];
    if (index == queue.last)
      queue.last = nobody;
    else
      messages_[queue.last].next = m.next;
    --queue.waiting;
    m.waiting = false;
    std::uint32_t number = static_cast<std::uint32_t>(stops_.size());
    if (free_stops_.empty()) {
      stops_.emplace_back();
    } else {
      number = free_stops_.back();
      free_stops_.pop_back();
      stops_[number] = {};
    }
    Stop& stop = stops_[number];
    stop.message = index;
    stop.flits = m.length;
    if (m.row != none && parts_[m.row].left != 0) stop.row = m.row;  // its release starts the next packet
    stop.link = m.want;
    stop.wire = wire;
    stop.lane = lane;
    stop.before = m.at;
    if (m.at != nobody) stops_[m.at].after = number;
    m.at = number;
    ++m.stops;
    owner_[lane] = number;
  }
  void cross(std::uint32_t number) {
    Stop& stop = stops_[number];
    const Link& link = fabric_.links[stop.link];
    const std::uint32_t before = stop.before, flit = stop.crossed++;
    const bool last = flit + 1 == stop.flits, out = link.kind == LinkKind::ejection;
    ++flits_by_link_[stop.link];
    stop.last = now_;
    if (flit == 0) {
      Message& m = messages_[stop.message];
      ++m.hops;
      if (before == nobody) m.entered = now_;
      if (out) m.head = now_;
    }
    if constexpr (requires { observer_.left(std::uint64_t{}, Tick{}); })
      if (last && before == nobody && stop.row == none)
        observer_.left(messages_[stop.message].key >> Parts::packet_bits, now_ + link.flit);
    if (last && out) deliver(stop.message);
    if (last && link.buffer == 0) post(lane_free, number, now_ + link.flit);
    post(flit == 0 ? head_comes : flit_comes, number, now_ + (flit == 0 ? link.head : link.body));
    if (before != nobody) leave(before, flit);
  }
  /// A flit starts to leave the buffer of this stop.
  void leave(std::uint32_t number, std::uint32_t flit) {
    Stop& stop = stops_[number];
    const Link& link = fabric_.links[stop.link];
    if (flit + 1 == stop.flits) {
      stop.drained = true;
      if (link.buffer != 0)
        post(lane_free, number, std::max(now_ + link.credit, stop.last + link.flit));
      else if (stop.released)
        forget(number);
    } else if (link.buffer != 0 && std::uint64_t{flit} + link.buffer < stop.flits) {
      post(credit_comes, number, now_ + link.credit);
    }
  }
  void release(std::uint32_t number) {
    Stop& stop = stops_[number];
    owner_[stop.lane] = nobody;
    stop.released = true;
    marks_.put(stop.wire);
    if (stop.before == nobody && stop.row != none)
      if (const auto flits = parts_.take(stop.row, how_.packet_flits); flits != 0) {
        const auto& whole = parts_[stop.row];
        // The packet after this one; its number follows.
        const std::uint64_t key = messages_[stop.message].key + 1;
        const std::uint32_t row = stop.row;
        const auto packet = start(whole.source, whole.destination, flits, key, row, whole.born);
        post(packet_asks, packet, now_ + how_.packet_gap);
      }
    if (stops_[number].drained) forget(number);
  }
  void forget(std::uint32_t number) {
    const std::uint32_t index = stops_[number].message;
    stops_[number].message = nobody;
    free_stops_.push_back(number);
    if (--messages_[index].stops == 0 && !messages_[index].live) free_messages_.push_back(index);
  }
  void sink(std::uint32_t number) {
    Stop& stop = stops_[number];
    if (stop.message == nobody || !stop.headed || stop.sunk == stop.ready || stop.sinks > now_) return;
    const std::uint32_t flit = stop.sunk++;
    stop.sinks = now_ + how_.sink_ticks;
    if (flit + 1 < stop.flits) post(sink_free, number, stop.sinks);
    leave(number, flit);
  }

  const Fabric& fabric_;
  const Routing& routing_;
  const Switching how_;
  Source& source_;
  Observer& observer_;
  events::Random random_;
  Timetable table_;
  Marks marks_;
  std::vector<First> first_;          // by link
  std::vector<Queue> queues_;         // by link and lane class
  std::vector<Wire> wires_;           // by link and channel
  std::vector<std::uint32_t> owner_;  // by wire and lane: the stop
  std::vector<Message> messages_;
  std::vector<Stop> stops_;
  std::vector<std::uint32_t> free_messages_, free_stops_, asking_;
  std::vector<std::uint64_t> flits_by_link_;
  Parts parts_;
  Choices choices_;
  Tick now_ = 0;
  std::uint64_t created_ = 0, live_ = 0, head_hops_ = 0, flit_hops_ = 0, unroutable_ = 0;
};

}  // namespace assay::network
