// What the packet engine and the flit engine have in common: links as wires and lane classes with queues before them,
// messages that are created, cut into packets, asked for their next link and delivered, and the run through time.
//
// The engine itself (Self) says what its events do and how wires are given out:
//   happens(kind, number)   an event of the timetable
//   place(message)          the link whose far end the message stands at and its lane class there; none at its source
//   queue_up(message)       it wants link `want` in class `klass` from now on
//   go_through_wires()      all have asked: wires are given out until nothing moves
//   end(link)               where there is one: the router that the link leads to
//   goes_on()               where there is one: something has to be done in the next tick, though no event comes then
// In a tick first what was under way happens, then requests are served in order of message, then wires are gone
// through.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/random.hpp"
#include "network/leads.hpp"
#include "network/line.hpp"
#include "network/outcome.hpp"
#include "network/parts.hpp"
#include "network/requests.hpp"
#include "network/routing.hpp"
#include "network/settings.hpp"
#include "network/timetable.hpp"

namespace assay::network {

/// A packet on its way; a whole message unless messages are cut. Its source and destination are those of its route.
struct LaneMessage {
  std::uint64_t key = 0;
  std::uint64_t born = 0, entered = 0;
  RouteState route;
  std::uint32_t next = events::no_index;  // in the line it stands in
  std::uint32_t want = none;
  std::uint32_t flits = 0, row = none, hops = 0;  // flits of payload
  std::uint8_t klass = 0;
  bool live = false, waiting = false;
};

/// What an engine's messages may leave out of LaneMessage: when they were made and entered the network, which is seldom
/// looked at. It is kept beside them then.
struct LaneTimes {
  std::uint64_t born = 0, entered = 0;
};

/// What the observer is given: a whole message that has arrived.
struct LaneArrival {
  std::uint64_t key, born, entered, tail;
  std::uint32_t source, destination, flits;
};

/// `WireOf`: a channel of a link, of which `lane` is the first lane.
template <class Self, class Message, class Queue, class Source, class Observer, class WireOf>
class LaneEngine : protected RandomSource, protected Load {
 public:
  using Tick = std::uint64_t;

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
  [[nodiscard]] Tick next_time() const {
    if constexpr (requires(const Self& engine) { engine.goes_on(); })
      if (static_cast<const Self&>(*this).goes_on()) return std::min(Tick{source_.next_cycle()}, now_ + 1);
    const auto ahead = heads_.ahead(now_);
    if (ahead == 1) return std::min(Tick{source_.next_cycle()}, now_ + 1);  // only a new message can come sooner
    const Tick time = std::min({Tick{source_.next_cycle()}, table_.next(now_), far_heads_.first()});
    return ahead == 0 ? time : std::min(time, now_ + ahead);
  }
  void serve_cycle(Tick time) { cycle(time); }
  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return live_; }
  [[nodiscard]] std::uint64_t relative(std::uint64_t cycle) const { return cycle; }
  [[nodiscard]] std::uint64_t absolute(Tick time) const { return time; }
  [[nodiscard]] Tick tail(const LaneArrival& m, Tick) const { return m.tail; }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] std::uint64_t unroutable() const { return unroutable_; }
  [[nodiscard]] const std::vector<std::uint64_t>& flits_by_link() const { return flits_by_link_; }
  [[nodiscard]] Tick now() const { return now_; }
  /// Flits are counted by link from here on.
  void watch_links() { flits_by_link_.assign(fabric_.links.size(), 0); }

 protected:
  static constexpr std::uint32_t no_index = events::no_index;
  static constexpr std::uint32_t most_counted = 4;  // packets of a buffer
  using Wire = WireOf;
  /// Of a link: its first wire, the line of its first lane class, how many it has of them.
  struct First {
    std::uint32_t wire, queue;
    unsigned classes, channels;
    /// The class of one of its lanes.
    [[nodiscard]] unsigned of(unsigned lane) const { return lane < classes ? lane : lane % classes; }
  };

  /// `span` and `heads`: how many ticks ahead events mostly lie, and messages that are to ask.
  LaneEngine(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
             events::Random random, std::uint32_t span, std::uint32_t heads)
      : fabric_(fabric),
        links_(fabric.links.data()),
        how_(how),
        table_(span),
        heads_(heads),
        observer_(observer),
        routing_(routing),
        source_(source),
        random_(random),
        classes_(routing.claims().lanes) {
    std::size_t wires = 0;
    for (const Link& link : fabric.links) wires += link.channels;
    // Those that stand in a network link's line are in a router's buffers.
    const bool small = how.switching == "wormhole"
                           ? std::ranges::none_of(fabric.links, [](const Link& link) { return link.buffer == 0; })
                           : how.buffer_packets - 1 < most_counted;
    few_ = small && routing.selection() != Selection::least_loaded;
    wires_.reserve(wires);
    const bool several = wires != fabric.links.size();
    if (several) first_wire_.reserve(fabric.links.size()), links_of_wires_.reserve(wires);
    for (std::uint32_t l = 0; l < fabric.links.size(); ++l) {
      const Link& link = fabric.links[l];
      if (several) first_wire_.push_back(static_cast<std::uint32_t>(wires_.size()));
      for (unsigned c = 0; c < link.channels; ++c, lane_count_ += link.lanes) {
        if (several) links_of_wires_.push_back(l);
        Wire wire;
        wire.lane = lane_count_;
        wires_.push_back(wire);
      }
    }
    if (lane_count_ > Timetable::numbers)
      throw ParameterError("network.lanes", "make " + std::to_string(lane_count_) +
                                                " lanes in all, accepted are at most " +
                                                std::to_string(Timetable::numbers));
    queues_.resize(lane_count_);
  }
  [[nodiscard]] std::size_t common_memory() const {
    return messages_.capacity() * sizeof(Message) + times_.capacity() * sizeof(LaneTimes) +
           wires_.capacity() * sizeof(Wire) + queues_.capacity() * sizeof(Queue) +
           (first_wire_.capacity() + links_of_wires_.capacity()) * 4 + waiting_.capacity() * 4 +
           flits_by_link_.capacity() * 8 + (free_.capacity() + requests_.capacity() + refused_.capacity()) * 4 +
           (order_.capacity() + soon_.capacity()) * sizeof(LinkRequest) + table_.memory() + heads_.memory() +
           parts_.memory();
  }
  /// Lane classes of a link, each with a line: that of the lane with its number, of the link's first wire.
  [[nodiscard]] unsigned classes(const Link& link) const {
    const unsigned several = link.kind == LinkKind::network;  // by arithmetic: a branch would often go wrong
    return 1 + several * (std::min<unsigned>(classes_, link.lanes) - 1);
  }
  [[nodiscard]] std::uint32_t first_wire(std::uint32_t link) const {
    return first_wire_.empty() ? link : first_wire_[link];
  }
  [[nodiscard]] std::uint32_t link_of(std::uint32_t wire) const {
    return first_wire_.empty() ? wire : links_of_wires_[wire];
  }
  /// The first wire of this one's link.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t wire) const {
    return first_wire_.empty() ? wire : first_wire_[links_of_wires_[wire]];
  }
  [[nodiscard]] First first(std::uint32_t link) const {
    const std::uint32_t wire = first_wire(link);
    return {wire, wires_[wire].lane, classes(links_[link]), links_[link].channels};
  }
  static Outcome::Waiting described(const Message& m) {
    return {m.key >> Parts::packet_bits, m.want, none, m.route.source, m.route.destination};
  }

  // --- messages
  std::uint32_t start(std::uint32_t source, std::uint32_t destination, std::uint32_t flits, std::uint64_t key,
                      std::uint32_t row, Tick born) {
    std::uint32_t index = static_cast<std::uint32_t>(messages_.size());
    if (free_.empty()) {
      if (index == messages_.capacity()) messages_.reserve(index + index / 8 + 4);  // room for an eighth more
      messages_.emplace_back();
      if constexpr (times_apart) {
        if (index == times_.capacity()) times_.reserve(messages_.capacity());
        times_.emplace_back();
      }
    } else {
      index = free_.back();
      free_.pop_back();
      messages_[index] = {};
    }
    Message& m = messages_[index];
    m.key = key;
    m.route.source = source;
    m.route.destination = destination;
    m.flits = flits;
    m.row = row;
    m.live = true;
    times(index).born = born;
    return index;
  }
  static constexpr bool times_apart = !requires(Message& m) { m.born; };
  /// What holds `born` and `entered` of a message.
  [[nodiscard]] auto& times(std::uint32_t index) {
    if constexpr (times_apart)
      return times_[index];
    else
      return messages_[index];
  }
  /// Its flits on a wire.
  [[nodiscard]] std::uint32_t length(const Message& m) const { return m.flits + how_.header_flits; }
  /// The message's next packet, if there is one: it may ask a gap after its injection channel is free.
  std::uint32_t next_packet(std::uint32_t row, std::uint64_t key) {
    const auto flits = parts_.take(row, how_.packet_flits);
    if (flits == 0) return no_index;
    const auto whole = parts_[row];
    return start(whole.source, whole.destination, flits, key + 1, row, whole.born);
  }
  /// The packet is at its destination, its head since `head` on the last link, its tail since `tail`; the observer is
  /// given whole messages.
  void arrived(std::uint32_t index, Tick head, Tick tail) {
    Message& m = messages_[index];
    const auto& its = times(index);
    m.live = false;
    head_hops_ += m.hops;
    flit_hops_ += std::uint64_t{m.hops} * length(m);
    if (m.row == none) {
      --live_;
      const LaneArrival whole{m.key >> Parts::packet_bits, its.born, its.entered, tail, m.route.source,
                              m.route.destination,         m.flits};
      observer_.delivered(self(), whole, head, m.hops);
    } else if (parts_.arrived(m.row, its.entered, head, tail, m.hops)) {
      const auto& found = parts_[m.row];
      if (found.lost) return lose();
      --live_;
      const LaneArrival whole{found.key,    found.born,        found.entered, found.tail,
                              found.source, found.destination, found.flits};
      observer_.delivered(self(), whole, found.head, found.hops);
    }
  }

  /// A packet on a link, in lane `lane` of all, for an observer that asks.
  void crossed(std::uint64_t key, std::uint32_t link, std::uint32_t lane, Tick head, Tick tail) {
    if constexpr (requires { observer_.crossed(key, link, lane, head, tail); })
      observer_.crossed(key, link, lane - wires_[first_wire(link)].lane, head, tail);
  }
  /// The tail of a message, by a packet of it, has left its injection channel at `time`.
  void left_source(std::uint64_t key, Tick time) {
    if constexpr (requires { observer_.left(std::uint64_t{}, Tick{}); })
      observer_.left(key >> Parts::packet_bits, time);
  }

  /// A message asks for its next link then: in a tick to come.
  void ask_at(std::uint32_t index, Tick time) { ask_at(index, messages_[index], time); }
  [[gnu::always_inline]] void ask_at(std::uint32_t index, Message& m, Tick time) {
    if (time - now_ < heads_.size()) [[likely]]
      heads_.put(static_cast<std::uint32_t>(time), index, m.next);
    else
      far_heads_.push(time, index);
  }

  /// The same in the next tick, which then has to come: goes_on().
  void ask_next(std::uint32_t index, const Message& m) { append({m.key, index}, soon_); }

  /// As push_back does, of which the compiler makes a call.
  [[gnu::always_inline]] static void append(const LinkRequest& one, std::vector<LinkRequest>& all) {
    if (all.size() == all.capacity()) [[unlikely]]
      all.reserve(std::max<std::size_t>(2 * all.size(), 16));
    all.push_back(one);
  }

  // --- lines
  template <class Any>
  void put(Any& line, std::uint32_t index) {
    line.put(index, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  template <class Any>
  std::uint32_t take(Any& line) {
    return line.take([this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  /// Of the lane class with this number.
  void line_up(std::uint32_t queue, std::uint32_t index) {
    put(queues_[queue], index);
    if (!waiting_.empty()) ++waiting_[queue];
  }
  std::uint32_t step_out(std::uint32_t queue) {
    if (!waiting_.empty()) --waiting_[queue];
    return take(queues_[queue]);
  }
  /// How many stand there. Where that is asked at every hop, or may be any number, they are counted from when it is
  /// first wanted.
  [[nodiscard]] std::uint32_t waiting(std::uint32_t queue) const {
    if (few_) return length(queue);
    if (waiting_.empty()) [[unlikely]] {
      waiting_.assign(queues_.size(), 0);
      for (std::uint32_t i = 0; i < queues_.size(); ++i) waiting_[i] = length(i);
    }
    return waiting_[queue];
  }

  const Fabric& fabric_;
  const Link* const links_;  // of the fabric
  const Switching how_;
  Timetable table_;
  events::Wheel heads_;  // messages under way, which ask for a link then
  events::Distant far_heads_;
  // Where a link has several wires: by link, the first; by wire, its link.
  std::vector<std::uint32_t> first_wire_, links_of_wires_;
  std::vector<Queue> queues_;  // by wire and lane; a link's lines are those of its first wire
  std::vector<Wire> wires_;    // by link and channel
  std::vector<Message> messages_;
  std::vector<LaneTimes> times_;                // by message, where they do not have it themselves
  std::vector<std::uint32_t> free_, requests_;  // requests_: of this tick, by events
  std::vector<std::uint64_t> flits_by_link_;    // where they are counted
  Parts parts_;
  Tick now_ = 0;
  std::uint32_t lane_count_ = 0;  // of all wires
  Observer& observer_;
  std::vector<LinkRequest> order_, soon_;  // who asks in this tick, and in the next one (ask_next)

 private:
  Self& self() { return static_cast<Self&>(*this); }
  std::uint64_t next() override { return random_.next(); }
  [[nodiscard]] std::uint32_t length(std::uint32_t queue) const {
    const std::uint32_t last = queues_[queue].last;
    if (last == no_index) return 0;
    std::uint32_t count = 1;
    for (std::uint32_t index = messages_[last].next; index != last; index = messages_[index].next) ++count;
    return count;
  }

  void cycle(Tick now) {
    if constexpr (requires { self().passes_to(now); }) self().passes_to(now);
    const Tick before = std::exchange(now_, now);
    order_.clear();
    // Nearly all that asks has been put down in the tick before, unless a message came for a tick that has been served.
    constexpr bool by_tick = requires(Self& engine) { engine.goes_on(); };
    if (by_tick && now != before) [[likely]]
      order_.swap(soon_);
    const auto listed = static_cast<std::ptrdiff_t>(order_.size());
    while (far_heads_.first() == now) {
      const std::uint32_t index = far_heads_.pop().index;
      heads_.put(static_cast<std::uint32_t>(now), index, messages_[index].next);
    }
    for (std::uint32_t index = by_tick ? heads_.take_if_any(static_cast<std::uint32_t>(now))
                                       : heads_.take(static_cast<std::uint32_t>(now));
         index != no_index; index = messages_[index].next)
      append({messages_[index].key, index}, order_);
    // A bucket gives back last what was put in first, which is mostly in order.
    if (order_.size() > few_requests) std::reverse(order_.begin() + listed, order_.end());
    table_.each(now, [this](unsigned kind, std::uint32_t number) { self().happens(kind, number); });
    for (const auto index : requests_) order_.push_back({messages_[index].key, index});
    requests_.clear();
    if constexpr (Source::newest_last) {  // new messages are the last to ask
      put_in_order(order_);
      for (const auto& one : order_) ask(one.index);
      while (source_.next_cycle() == now) {
        const std::uint32_t index = create();
        append({messages_[index].key, index}, order_);
        ask_first(index, messages_[index]);
      }
    } else {
      while (source_.next_cycle() == now) {
        const std::uint32_t index = create();
        append({messages_[index].key, index}, order_);
      }
      put_in_order(order_);
      for (const auto& one : order_) ask(one.index);
    }
    if (!refused_.empty()) [[unlikely]] {  // no other message of this tick's gets their numbers
      free_.insert(free_.end(), refused_.begin(), refused_.end());
      refused_.clear();
    }
    self().go_through_wires();
  }
  /// The router that a link leads to.
  [[nodiscard]] std::uint32_t end_of(std::uint32_t link) const {
    if constexpr (requires(const Self& engine) { engine.end(link); })
      return static_cast<const Self&>(*this).end(link);
    else
      return links_[link].to;
  }
  std::uint32_t create() {
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
    return start(arrival.source, arrival.destination, flits, key << Parts::packet_bits, row, now_);
  }
  void ask(std::uint32_t index) {
    Message& m = messages_[index];
    const auto [link, klass] = self().place(m);
    if (link == none) return ask_first(index, m);
    routing_.choices(end_of(link), link, klass, m.route, choices_);
    if (choices_.count > 1 && fabric_.any_failed()) keep_leading(routing_, m.route, choices_);
    want(index, m);
  }
  /// At its source.
  void ask_first(std::uint32_t index, Message& m) {
    const std::uint32_t source = m.route.source, destination = m.route.destination;
    if (fabric_.node_failed(source) || fabric_.node_failed(destination)) return refuse(index);
    routing_.begin(m.route, source, destination, *this, *this);
    choices_.clear();
    routing_.inject(m.route, choices_);
    if (fabric_.any_failed()) keep_leading(routing_, m.route, choices_);
    if (choices_.count == 0) return refuse(index);
    want(index, m);
  }
  void want(std::uint32_t index, Message& m) {
    const Choice chosen = pick();
    m.want = chosen.link;
    m.klass = chosen.lane;
    m.waiting = true;
    self().queue_up(index);
  }
  /// A message from or for a dead node, or without a way, is never sent. A later packet of one (whose routing draws its
  /// way anew) takes the rest of the message with it.
  void refuse(std::uint32_t index) {
    messages_[index].live = false;
    refused_.push_back(index);
    if (const std::uint32_t row = messages_[index].row; row == none || parts_.lose(row)) lose();
  }
  void lose() {
    ++unroutable_;
    --live_;
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

  const Routing& routing_;
  Source& source_;
  events::Random random_;
  const unsigned classes_;                      // that the routing needs
  bool few_ = false;                            // wait for a network link at a time, and few ask how many
  mutable std::vector<std::uint32_t> waiting_;  // by queue, where that is wanted
  Choices choices_;
  std::vector<std::uint32_t> refused_;  // in this tick
  std::uint64_t created_ = 0, live_ = 0, head_hops_ = 0, flit_hops_ = 0, unroutable_ = 0;
};

}  // namespace assay::network
