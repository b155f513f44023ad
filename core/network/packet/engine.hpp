// The packet engine: virtual cut-through and store-and-forward with whole-packet buffers, virtual channels that share a
// wire packet by packet; what InfiniBand- and Ethernet-like networks are.
//
// A packet of L flits (its header among them) that is granted a wire at g starts with its head at g and with its tail
// at
//   T = max(g + f (L-1), T of the link before + w of the link before);
// the wire is free at T + f, and the packet's slot in the lane's buffer that it comes from at T + r. All that is known
// at the grant, so there is one event a hop: the request at the next router, h after the head's start (cut-through) or
// the tail's (store-and-forward); and a wake-up where somebody waits for a wire or a slot. Requests of a tick queue in
// order of message; then the wires are gone through upwards until nothing is granted any more. A wire serves its lanes
// in turn, each first come first served. Routers are
//   shared  input-queued, any packet of a buffer may go on (virtual output queues);
//   fifo    input-queued, only the oldest of a lane's buffer asks, from when the one before it has gone (head-of-line
//           blocking: Karol, Hluchyj and Morgan 1987);
//   output  output-queued: a packet goes at once into the queue of the link that it wants, if there is a place, and
//           frees its slot as its tail comes in; else it waits in its buffer.
// A routing that needs n lanes gets n classes: lane l is of class l mod n. Its choice is made once, at the request, by
// the packets that wait or stand at the far end. With one lane a link, this is the worm engine's cut-through.
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
class PacketEngine : private RandomSource, private Load {
  using Tick = std::uint64_t;
  static constexpr std::uint32_t nobody = events::nobody;

 public:
  static constexpr const char* name = "packet";
  struct Message {
    std::uint32_t next = nobody;    // in the queue it stands in
    std::uint32_t behind = nobody;  // fifo: who stands behind it in its buffer
    std::uint64_t key = 0;
    RouteState route;
    std::uint32_t source = 0, destination = 0, flits = 0, length = 0;  // flits of payload; on the wire
    Tick born = 0, entered = 0, head = 0, tail = 0, ready = 0;
    std::uint32_t want = none, klass = 0, link = none, wire = 0, lane = nobody, hops = 0, row = none;
    bool live = false, waiting = false, inside = false;  // inside: an output queue
  };

  PacketEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
               events::Random random, std::uint32_t span)
      : fabric_(fabric),
        routing_(routing),
        how_(how),
        source_(source),
        observer_(observer),
        random_(random),
        table_(span),
        marks_(0),
        stored_(how.switching == "store-and-forward"),
        fifo_(how.buffers == "fifo"),
        output_(how.buffers == "output") {
    const unsigned classes = routing.claims().lanes;
    std::uint32_t all = 0;
    for (std::uint32_t l = 0; l < fabric.links.size(); ++l) {
      const Link& link = fabric.links[l];
      const unsigned own = link.kind == LinkKind::network ? std::min<unsigned>(classes, link.lanes) : 1;
      first_.push_back({static_cast<std::uint32_t>(wires_.size()), static_cast<std::uint32_t>(queues_.size()), own});
      queues_.resize(queues_.size() + own);
      for (unsigned c = 0; c < link.channels; ++c, all += link.lanes) wires_.push_back({0, 0, l, all, 0});
    }
    lanes_.resize(all);
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
    std::size_t sum = messages_.capacity() * sizeof(Message) + wires_.capacity() * sizeof(Wire) +
                      lanes_.capacity() * sizeof(Lane) + queues_.capacity() * sizeof(Queue) +
                      flits_by_link_.capacity() * 8 + marks_.memory() + table_.memory() + parts_.memory();
    for (const auto& lane : lanes_) sum += lane.back.capacity() * sizeof(Tick);
    return sum;
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const;

 private:
  enum Kind : unsigned { asks, wire_wakes, place_free };
  /// The buffer of a virtual channel at the far end.
  struct Lane {
    std::uint32_t open = 0;       // packets in it whose departure is not known
    std::uint32_t last = nobody;  // fifo: the last of them
    Tick next_asks = 0;           // fifo: from when the one behind the last that left may ask
    std::vector<Tick> back;       // known returns of credits, ascending
  };
  struct Wire {
    Tick free_at, wake;
    std::uint32_t link, lane;  // its first lane
    std::uint32_t turn;
  };
  struct Line {
    std::uint32_t last = nobody, waiting = 0;
  };
  struct Queue {
    Line wire;                 // for the wires of this lane class
    Line place;                // output: for a place in that queue
    std::uint32_t inside = 0;  // output: places taken
  };
  struct First {
    std::uint32_t wire, queue;
    unsigned classes;
  };

  std::uint64_t next() override { return random_.next(); }
  /// Packets that wait for this lane class, or stand at its far end.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First& first = first_[link];
    const Queue& queue = queues_[first.queue + lane];
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

  void cycle(Tick now) {
    now_ = now;
    asking_.clear();
    table_.each(now, [this](unsigned kind, std::uint32_t number) {
      if (kind == asks)
        asking_.push_back(number);
      else if (kind == wire_wakes)
        marks_.put(number);
      else
        leave_place(number);
    });
    while (source_.next_cycle() == now) create();
    std::sort(asking_.begin(), asking_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
    for (const auto index : asking_) ask(index);
    for (std::uint32_t wire = marks_.take(0); wire != Marks::nothing; wire = marks_.take(wire + 1)) look(wire);
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
    if (free_.empty()) {
      messages_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
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
    free_.push_back(index);
  }
  /// The injection channel is free again at `time`: the message's next packet asks after it.
  void injected(std::uint32_t row, std::uint64_t key, Tick time) {
    const auto flits = parts_.take(row, how_.packet_flits);
    if (flits == 0) return;
    const auto whole = parts_[row];
    const auto packet = start(whole.source, whole.destination, flits, key + 1, row, whole.born);
    table_.put(now_, time + how_.packet_gap, asks, packet);
  }

  // --- asking for the next link
  void ask(std::uint32_t index) {
    Message& m = messages_[index];
    if (m.link == none) {
      routing_.begin(m.route, m.source, m.destination, *this, *this);
      choices_.clear();
      routing_.inject(m.route, choices_);
    } else {
      routing_.choices(fabric_.links[m.link].to, m.link, m.klass, m.route, choices_);
    }
    if (choices_.count == 0) {  // it stays where it is for ever
      ++unroutable_;
      return;
    }
    const Choice chosen = pick();
    m.want = chosen.link;
    m.klass = chosen.lane;
    m.waiting = true;
    const std::uint32_t number = first_[m.want].queue + m.klass;
    if (!output_ || m.link == none) return join(number, index);
    line_up(queues_[number].place, index);
    fill_places(number);
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
  void line_up(Line& line, std::uint32_t index) {
    ++line.waiting;
    if (line.last == nobody) {
      messages_[index].next = index;
    } else {
      messages_[index].next = messages_[line.last].next;
      messages_[line.last].next = index;
    }
    line.last = index;
  }
  std::uint32_t step_out(Line& line) {
    const std::uint32_t index = messages_[line.last].next;
    if (index == line.last)
      line.last = nobody;
    else
      messages_[line.last].next = messages_[index].next;
    --line.waiting;
    return index;
  }
  void join(std::uint32_t number, std::uint32_t index) {
    line_up(queues_[number].wire, index);
    const std::uint32_t link = messages_[index].want;
    for (unsigned c = 0; c < fabric_.links[link].channels; ++c) marks_.put(first_[link].wire + c);
  }

  // --- output queues
  void fill_places(std::uint32_t number) {
    while (queues_[number].place.last != nobody &&
           (how_.output_packets == 0 || queues_[number].inside < how_.output_packets)) {
      const std::uint32_t index = step_out(queues_[number].place);
      ++queues_[number].inside;
      Message& m = messages_[index];
      m.inside = true;
      give_back(m, std::max(now_, m.tail + fabric_.links[m.link].body));
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
      Line& line = queues_[first.queue + lane % first.classes].wire;
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
      cross(step_out(line), number, wire.lane + lane);
      marks_.put(number);  // for who is next
      return;
    }
    if (again == ~Tick{0} || (wire.wake == again && again > now_)) return;
    wire.wake = again;
    table_.put(now_, again, wire_wakes, number);
  }
  void cross(std::uint32_t index, std::uint32_t number, std::uint32_t lane) {
    Message& m = messages_[index];
    Wire& wire = wires_[number];
    const Link& link = fabric_.links[wire.link];
    const bool out = link.kind == LinkKind::ejection;
    Tick tail = now_ + Tick{link.flit} * (m.length - 1);
    if (m.link != none) tail = std::max(tail, m.tail + fabric_.links[m.link].body);
    wire.free_at = tail + link.flit;
    flits_by_link_[wire.link] += m.length;
    ++m.hops;
    m.waiting = false;
    if constexpr (requires { observer_.passes(std::uint64_t{}, link, Tick{}, m.length); })
      if (link.kind == LinkKind::network && m.hops > 2)
        observer_.passes(m.key >> Parts::packet_bits, link, now_, m.length);
    ++lanes_[lane].open;
    if (m.link == none) {
      m.entered = now_;
      if (m.row != none) injected(m.row, m.key, wire.free_at);
      if constexpr (requires { observer_.left(std::uint64_t{}, Tick{}); })
        if (m.row == none || parts_[m.row].left == 0) observer_.left(m.key >> Parts::packet_bits, wire.free_at);
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
    if (out) {
      m.head = now_;
      const Tick sunk = std::max(now_ + link.head + Tick{how_.sink_ticks} * (m.length - 1), tail + link.body);
      return_credit(number, lane, sunk + link.credit);
      return deliver(index);
    }
    m.ready = (stored_ ? tail : now_) + link.head;
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
    if (queues_[first.queue + (lane - wire.lane) % first.classes].wire.last != nobody) marks_.put(number);
  }

  const Fabric& fabric_;
  const Routing& routing_;
  const Switching how_;
  Source& source_;
  Observer& observer_;
  events::Random random_;
  Timetable table_;
  Marks marks_;
  const bool stored_, fifo_, output_;
  std::vector<First> first_;   // by link
  std::vector<Queue> queues_;  // by link and lane class
  std::vector<Wire> wires_;    // by link and channel
  std::vector<Lane> lanes_;    // by wire and lane
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_, asking_;
  std::vector<std::uint64_t> flits_by_link_;
  Parts parts_;
  Choices choices_;
  Tick now_ = 0;
  std::uint64_t created_ = 0, live_ = 0, head_hops_ = 0, flit_hops_ = 0, unroutable_ = 0;
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
  circle.report(outcome, [&](std::uint32_t i) {
    const Message& m = messages_[i];
    return Outcome::Waiting{m.key >> Parts::packet_bits, m.want, none, m.source, m.destination};
  });
}

}  // namespace assay::network
