// The worm engine for any fabric and routing: wormhole with links of unlike speed and any buffers, virtual cut-through,
// store-and-forward, circuit switching, messages cut into packets, first-in-first-out input buffers, adaptive choices.
//
// One event per head hop, as in alike.hpp; paths and crossings are kept with the message, times have 64 bits, and Train
// says when a link is free again. A head requests a channel of a link; what may not be known of a channel differs:
//  * wormhole, circuit: it is held from the grant until its release R;
//  * cut-through, store-and-forward: the wire is free at T + f, known at the grant. One of the packet slots at the far
//    end is taken until the packet's tail has left it (T of the next link + r), known when the next link is granted.
// The waiters of a link are served in order of (cycle, message). A grant is made ahead of time when no unknown release
// can come before it; else the link is examined again at the earliest known release.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "events/random.hpp"
#include "events/wheel.hpp"
#include "network/leads.hpp"
#include "network/line.hpp"
#include "network/outcome.hpp"
#include "network/parts.hpp"
#include "network/registry.hpp"
#include "network/requests.hpp"
#include "network/settings.hpp"
#include "network/worm/mutant.hpp"
#include "network/worm/train.hpp"
#include "network/worm/worms.hpp"

namespace assay::network {

template <class Source, class Observer>
class GeneralEngine : private RandomSource, private Load {
 public:
  static constexpr const char* name = "worm";
  using Message = Worm;
  GeneralEngine(const Fabric& fabric, const Routing& routing, const Switching& switching, Source& source,
                Observer& observer, events::Random random, std::uint32_t span)
      : fabric_(fabric),
        routing_(routing),
        how_(switching),
        source_(source),
        observer_(observer),
        random_(random),
        wheel_(span),
        train_(fabric.links, switching.sink_ticks),
        lines_(fabric.links.size()) {
    packets_ = how_.switching == "cut-through" || how_.switching == "store-and-forward";
    stored_ = how_.switching == "store-and-forward";
    circuit_ = how_.switching == "circuit";
    fifo_ = packets_ && how_.buffers == "fifo";
    std::uint32_t channels = 0;
    for (const auto& link : fabric.links) channels += link.channels;
    if (channels != lines_.size()) {
      first_.reserve(lines_.size());
      for (std::uint32_t first = 0; const auto& link : fabric.links) {
        first_.push_back(first);
        first += link.channels;
      }
    }
    free_at_.assign(channels, 0);
    if (packets_) far_ends_.resize(channels);
    alone_ = !packets_ && first_.empty();
    if (!alone_) wake_.assign(lines_.size(), unknown);
  }

  bool run(std::uint64_t end) {
    for (;;) {
      const std::uint64_t time = next_time();
      if (time == ~std::uint64_t{0}) return false;
      if (time >= end) return true;
      cycle(time);
    }
  }

  /// On-line use: the next cycle in which anything happens (~0: none), and that cycle's events.
  [[nodiscard]] std::uint64_t next_time() const {
    const std::uint64_t time = std::min(source_.next_cycle(), rare_);
    const auto ahead = wheel_.ahead(now_);
    return ahead == 0 ? time : std::min(time, now_ + ahead);
  }
  void serve_cycle(std::uint64_t time) { cycle(time); }

  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return live_; }
  [[nodiscard]] std::uint64_t relative(std::uint64_t cycle) const { return cycle; }
  [[nodiscard]] std::uint64_t absolute(Tick time) const { return time; }
  [[nodiscard]] Tick tail(const Message& m, Tick) const { return m.packet.ready; }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] std::uint64_t unroutable() const { return unroutable_; }
  /// Flits are counted by link from here on.
  void watch_links() { flits_by_link_.assign(lines_.size(), 0); }
  [[nodiscard]] const std::vector<std::uint64_t>& flits_by_link() const { return flits_by_link_; }
  [[nodiscard]] std::size_t memory() const {
    std::size_t beyond = 0;
    for (const auto& end : far_ends_) beyond += end.slots.memory();
    for (const auto& path : paths_) beyond += path.capacity() * sizeof(Column);
    return beyond + paths_.capacity() * sizeof(std::vector<Column>) + worms_.memory() +
           free_at_.capacity() * sizeof(Tick) + far_ends_.capacity() * sizeof(FarEnd) +
           lines_.capacity() * sizeof(CountedLine) + first_.capacity() * 4 + wake_.capacity() * sizeof(Tick) +
           wheel_.memory() + flits_by_link_.capacity() * 8;
  }
  [[nodiscard]] Tick now() const { return now_; }
  /// Lets the observer know where those stand that never arrive.
  void report_standing() {
    for (std::uint32_t i = 0; i < worms_.size() && !packets_; ++i)
      if (const Worm& w = worms_[i]; w.live) crossed(w, w.train.settled);
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const;

 private:
  struct Offer {
    Tick time;  // unknown: cannot be said yet
    std::uint32_t channel;
    Tick look_again;  // then: the earliest known release, or unknown
  };
  struct Granted {
    std::uint32_t worm, link, channel;
    Tick time;
  };

  std::uint64_t next() override { return random_.next(); }
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned) const override {
    std::uint32_t busy = 0;
    for (std::uint32_t c = 0; c < fabric_.links[link].channels; ++c) busy += free_at_[first_of(link) + c] > now_;
    return lines_[link].waiting + (busy == fabric_.links[link].channels ? 1 : 0);
  }

  void cycle(Tick now) {
    now_ = now;
    if (rare_ <= now) rare(now);
    requests_.clear();
    for (std::uint32_t index = wheel_.take(static_cast<std::uint32_t>(now)); index != events::no_index;
         index = worms_[index].next)
      requests_.push_back({worms_[index].key, index});
    // A bucket gives back last what was put in first, which is mostly in order.
    if (mutant != 2) std::reverse(requests_.begin(), requests_.end());
    while (source_.next_cycle() == now) create();
    if (mutant != 2) put_in_order(requests_);
    for (std::size_t i = 0; i < requests_.size(); ++i) ask(requests_[i].index);
  }
  void push(std::uint32_t index, Tick time) { push(index, worms_[index], time); }
  [[gnu::always_inline]] void push(std::uint32_t index, Worm& w, Tick time) {
    if (time - now_ < wheel_.size()) [[likely]] {
      wheel_.put(static_cast<std::uint32_t>(time), index, w.next);
    } else {
      distant_.push(time, index);
      rare_ = std::min(rare_, time);
    }
  }
  void rare(Tick now) {
    while (distant_.first() == now) {
      const std::uint32_t index = distant_.pop().index;
      wheel_.put(static_cast<std::uint32_t>(now), index, worms_[index].next);
    }
    while (wakes_.first() == now) {
      const std::uint32_t link = wakes_.pop().index;
      if (wake_[link] != now) continue;  // it was examined before, and a later wake-up set
      wake_[link] = unknown;
      serve(link);
    }
    work_off();
    rare_ = std::min(distant_.first(), wakes_.first());
  }

  std::uint32_t slot() {
    if (free_.empty()) return worms_.add();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void create() {
    const auto arrival = source_.take();
    std::uint64_t key = 0;
    if constexpr (Source::newest_last)
      key = created_;
    else
      key = source_.last_key();
    ++created_;
    ++live_;
    std::uint32_t row = none, flits = arrival.flits;
    if (how_.packet_flits != 0 && arrival.flits > how_.packet_flits) {
      Parts::Message whole;
      whole.key = key;
      whole.source = arrival.source;
      whole.destination = arrival.destination;
      whole.flits = flits;
      whole.born = now_;
      row = parts_.add(whole, flits = how_.packet_flits);
    }
    key <<= Parts::packet_bits;
    requests_.push_back({key, start(arrival.source, arrival.destination, flits, key, row, now_)});
  }
  std::uint32_t start(std::uint32_t source, std::uint32_t destination, std::uint32_t flits, std::uint64_t key,
                      std::uint32_t row, Tick born) {
    const std::uint32_t index = slot();
    Worm& w = worms_[index];
    w.key = key;
    w.source = source;
    w.destination = destination;
    w.flits = flits;
    w.born = born;
    w.message = row;
    w.lane = 0;
    w.hops = 0;
    if (packets_)
      w.packet = {};
    else
      w.train = {};
    w.successor = events::no_index;
    w.live = true;
    w.waiting = false;
    w.path.clear();
    w.route = {};
    return index;
  }

  // --- asking for the next link
  void ask(std::uint32_t index) {
    Worm& w = worms_[index];
    if (w.path.empty()) {
      if (fabric_.node_failed(w.source) || fabric_.node_failed(w.destination)) return refuse(index);
      routing_.begin(w.route, w.source, w.destination, *this, *this);
      routing_.inject(w.route, choices_);
      if (fabric_.any_failed()) keep_leading(routing_, w.route, choices_);
      if (choices_.count == 0) return refuse(index);
    } else {
      const std::uint32_t last = w.path.back().link;
      routing_.choices(fabric_.links[last].to, last, w.lane, w.route, choices_);
      if (choices_.count > 1 && fabric_.any_failed()) keep_leading(routing_, w.route, choices_);
    }
    const Choice chosen = pick();
    w.want = chosen.link;
    w.lane = chosen.lane;
    CountedLine& line = lines_[w.want];
    if (line.empty()) {
      const Offer offer = best(w.want);
      if (offer.time != unknown) {
        return work(take(index, w.want, offer.channel, offer.time));
      }
      if (offer.look_again != unknown) wake_at(offer.look_again, w.want);
    }
    w.waiting = true;
    line.put(index, [this](std::uint32_t i) -> std::uint32_t& { return worms_[i].next; });
  }
  /// A message from or for a dead node, or without a way, is never sent. A later packet of one (whose routing draws its
  /// way anew) takes the rest of the message with it.
  void refuse(std::uint32_t index) {
    worms_[index].live = false;
    free_.push_back(index);
    if (const std::uint32_t row = worms_[index].message; row == none || parts_.lose(row)) lose();
  }
  void lose() {
    ++unroutable_;
    --live_;
  }
  Choice pick() {
    if (choices_.count == 1 || routing_.selection() == Selection::first) return choices_[0];
    if (routing_.selection() == Selection::random) return choices_[below(choices_.count)];
    Choice least = choices_[0];
    for (const auto& choice : choices_)
      if (queue(choice.link, choice.lane) < queue(least.link, least.lane)) least = choice;
    return least;
  }

  [[nodiscard]] std::uint32_t first_of(std::uint32_t link) const { return first_.empty() ? link : first_[link]; }
  /// When a channel of the link can be had, by what is known now.
  Offer best(std::uint32_t link) {
    if (alone_) return {free_at_[link] == unknown ? unknown : std::max(free_at_[link], now_), link, unknown};
    if (packets_ && first_.empty()) return best_of_one(link);
    const std::uint32_t count = fabric_.links[link].channels, first = first_of(link);
    Offer offer{unknown, 0, unknown};
    bool uncertain = false;
    for (std::uint32_t c = 0; c < count; ++c) {
      if (free_at_[first + c] == unknown) {
        uncertain = true;
        continue;
      }
      Tick at = std::max(free_at_[first + c], now_);
      if (packets_ && how_.buffer_packets != 0) {
        FarEnd& end = far_ends_[first + c];
        end.slots.forget(at);
        if (end.slots.size() + end.slots_open >= how_.buffer_packets) {
          uncertain |= end.slots_open != 0;
          if (end.slots.empty()) continue;
          at = end.slots.front();
        }
      }
      if (at < offer.time) {
        offer.time = at;
        offer.channel = first + c;
      }
    }
    if (offer.time != unknown && offer.time > now_ && uncertain && mutant != 3) {
      offer.look_again = offer.time;
      offer.time = unknown;
    }
    return offer;
  }
  /// The same of packets where each link has one channel: its wire's release is known.
  Offer best_of_one(std::uint32_t link) {
    const Tick at = std::max(free_at_[link], now_);
    if (how_.buffer_packets == 0) return {at, link, unknown};
    FarEnd& end = far_ends_[link];
    end.slots.forget(at);
    if (end.slots.size() + end.slots_open < how_.buffer_packets) return {at, link, unknown};
    if (end.slots.empty()) return {unknown, link, unknown};
    if (end.slots_open != 0 && mutant != 3) return {unknown, link, end.slots.front()};
    return {end.slots.front(), link, unknown};
  }
  void wake_at(Tick time, std::uint32_t link) {
    if (wake_[link] <= time) return;
    wake_[link] = time;
    wakes_.push(time, link);
    rare_ = std::min(rare_, time);
  }
  void serve(std::uint32_t link) {
    if (!lines_[link].empty()) serve_waiting(link);
  }
  [[gnu::noinline]] void serve_waiting(std::uint32_t link) {
    CountedLine& line = lines_[link];
    while (!line.empty()) {
      const Offer offer = best(link);
      if (offer.time == unknown) {
        if (offer.look_again != unknown) wake_at(offer.look_again, link);
        return;
      }
      const std::uint32_t first = line.take([this](std::uint32_t i) -> std::uint32_t& { return worms_[i].next; });
      worms_[first].waiting = false;
      granted_.push_back(take(first, link, offer.channel, offer.time));
    }
  }
  /// Marks the channel; what follows from the grant is `go_on`'s.
  Granted take(std::uint32_t index, std::uint32_t link, std::uint32_t channel, Tick time) {
    free_at_[channel] = unknown;
    if (packets_) {
      if (how_.buffer_packets != 0) {
        far_ends_[channel].slots.forget(time);
        ++far_ends_[channel].slots_open;
      }
      cross_packet(index, link, channel, time);
    }
    return {index, link, channel, time};
  }
  /// A grant, and then those that follow from it: a work list instead of recursion.
  void work(Granted one) {
    working_ = true;
    for (;;) {
      if (packets_)
        go_on_packet(one);
      else
        cross_worm(one);
      if (granted_.empty()) break;
      one = granted_.back();
      granted_.pop_back();
    }
    working_ = false;
  }
  void work_off() {
    if (working_ || granted_.empty()) return;
    const Granted one = granted_.back();
    granted_.pop_back();
    work(one);
  }

  // --- wormhole and circuit
  void cross_worm(const Granted& grant) {
    Worm& w = worms_[grant.worm];
    const Link& link = fabric_.links[grant.link];
    if (w.path.capacity() == 0) give_path(w);
    w.path.push_back({grant.link, grant.channel, grant.time, 0});
    passes(w, link, grant.time, w.path.size());
    if (w.path.size() == 1) w.entered = grant.time;
    const bool last = link.kind == LinkKind::ejection;
    if (circuit_) {
      if (last) return stream(grant.worm);
    } else {
      const std::uint32_t before = w.train.settled;
      const Tick sink_tail = train_.grant(w.path, w.train, w.flits, last);
      for (std::size_t i = before; i < w.train.settled; ++i) {
        const Tick next_tail = i + 1 < w.path.size() ? w.path[i + 1].tail : sink_tail;
        release(grant.worm, i, train_.release(w.path[i].link, w.path[i].tail, next_tail));
      }
      if (last) return deliver(grant.worm, w.path.back().tail);
    }
    push(grant.worm, w, grant.time + link.head);
  }
  /// The circuit stands when the header is in; the acknowledgement goes back, then the data stream at the slowest pace.
  void stream(std::uint32_t index) {
    Worm& w = worms_[index];
    Tick start = w.path.back().head + fabric_.links[w.path.back().link].head, slowest = how_.sink_ticks;
    for (const auto& column : w.path) {
      start += how_.acknowledgement;
      slowest = std::max<Tick>(slowest, fabric_.links[column.link].flit);
    }
    for (auto& column : w.path) {
      column.tail = start + slowest * (w.flits - 1);
      start += fabric_.links[column.link].body;
    }
    const Tick end = start + slowest * (w.flits - 1) + 1;
    for (std::size_t i = 0; i < w.path.size(); ++i)
      release(index, i, how_.circuit_release == "end" ? end : w.path[i].tail + fabric_.links[w.path[i].link].flit);
    deliver(index, w.path.back().tail);
  }
  void release(std::uint32_t index, std::size_t column, Tick time) {
    if (mutant == 1) ++time;
    const Column& left = worms_[index].path[column];
    free_at_[left.channel] = time;
    if (column == 0) injected(index, time);
    serve(left.link);
  }

  // --- packets
  void cross_packet(std::uint32_t index, std::uint32_t number, std::uint32_t channel, Tick time) {
    Worm& w = worms_[index];
    const Link& link = fabric_.links[number];
    if (w.path.empty()) {
      w.entered = time;
      w.packet.passage = Passage::begin(time, link.flit, w.flits);
    } else {
      w.packet.passage = w.packet.passage.next(fabric_.links[w.path.back().link].body, time, link.flit, w.flits);
      if (fifo_) let_next(index, w.path.back(), w.packet.passage.last);
    }
    const Column column{number, channel, time, w.packet.passage.last};
    if (w.path.size() == 2) {  // nobody asks for more
      w.path[0] = w.path[1];
      w.path[1] = column;
    } else {
      if (w.path.capacity() == 0) w.path.reserve(2);
      w.path.push_back(column);
    }
    ++w.hops;
    if (!flits_by_link_.empty()) flits_by_link_[number] += w.flits;
    crossed(w.key, column, column.tail);
    FarEnd& taken = far_ends_[channel];
    free_at_[channel] = w.packet.passage.last + link.flit + (mutant == 1 ? 1 : 0);
    w.packet.ready = (stored_ ? w.packet.passage.last : time) + link.head;
    if (link.kind == LinkKind::ejection) return sink_packet(w, link, taken);
    if (!fifo_) return push(index, w, w.packet.ready);
    const std::uint32_t before = taken.last;
    taken.last = index;
    if (before == events::no_index)
      push(index, std::max(w.packet.ready, taken.departure));
    else
      worms_[before].successor = index;
  }
  /// The sink takes the packet's flits, then `ready` is when it has taken the last one. Where buffers are
  /// first-in-first-out it takes one packet at a time, as a link does.
  void sink_packet(Worm& w, const Link& link, FarEnd& channel) {
    if (fifo_) w.packet.ready = std::max(w.packet.ready, channel.departure);
    w.packet.ready = w.packet.passage.next(link.body, w.packet.ready, how_.sink_ticks, w.flits).last;
    channel.departure = w.packet.ready + std::max(link.credit + 1, how_.sink_ticks);
  }
  void go_on_packet(const Granted& grant) {
    Worm& w = worms_[grant.worm];
    const Link& link = fabric_.links[grant.link];
    const std::size_t at = w.path.size() - 1;
    const Tick tail = w.path[at].tail;
    if (at > 0 && how_.buffer_packets != 0) {
      const Column left = w.path[at - 1];
      free_slot(left.channel, left.link, tail + fabric_.links[left.link].credit);
    }
    if (at == 0) injected(grant.worm, tail + link.flit);
    passes(w, link, grant.time, w.hops);
    serve(grant.link);
    if (link.kind != LinkKind::ejection) return;
    if (how_.buffer_packets != 0) free_slot(grant.channel, grant.link, w.packet.ready + link.credit);
    deliver(grant.worm, tail);
  }
  /// fifo: the tail of the first packet in a buffer leaves it at `departure`; from here on its successor is who stands
  /// behind it in the next one.
  void let_next(std::uint32_t index, const Column& left, Tick departure) {
    FarEnd& channel = far_ends_[left.channel];
    const std::uint32_t behind = worms_[index].successor;
    channel.departure = departure + fabric_.links[left.link].credit + 1;
    if (channel.last == index) channel.last = events::no_index;
    worms_[index].successor = events::no_index;
    if (behind != events::no_index) push(behind, std::max(worms_[behind].packet.ready, channel.departure));
  }
  void free_slot(std::uint32_t channel, std::uint32_t link, Tick time) {
    FarEnd& c = far_ends_[channel];
    --c.slots_open;
    c.slots.put(time);
    serve(link);
  }

  // --- ends
  /// The head goes on from a router on its way.
  void passes(const Worm& w, const Link& link, Tick time, std::size_t hops) {
    if constexpr (requires { observer_.passes(std::uint64_t{}, link, time, w.flits); })
      if (link.kind == LinkKind::network && hops > 2)
        observer_.passes(w.key >> Parts::packet_bits, link, time, w.flits);
  }
  /// A column of a worm's path, for an observer that asks.
  void crossed(std::uint64_t key, const Column& at, Tick tail) {
    if constexpr (requires { observer_.crossed(key, 0, 0, Tick{}, Tick{}); })
      observer_.crossed(key, at.link, at.channel - first_of(at.link), at.head, tail);
  }
  /// The path of a worm whose tails are known on the first `known` links; packets have told theirs link by link.
  void crossed(const Worm& w, std::size_t known) {
    if constexpr (requires { observer_.crossed(w.key, 0, 0, Tick{}, Tick{}); })
      for (std::size_t i = 0; i < w.path.size(); ++i)
        crossed(w.key, w.path[i], i < known ? w.path[i].tail : Crossing::never);
  }
  /// The injection channel's release is known: the next packet of the message asks after it.
  void injected(std::uint32_t index, Tick time) {
    const std::uint32_t row = worms_[index].message;
    const std::uint64_t key = worms_[index].key;
    const std::uint32_t flits = row == none ? 0 : parts_.take(row, how_.packet_flits);
    if (flits == 0) {
      if constexpr (requires { observer_.left(std::uint64_t{}, time); })
        observer_.left(key >> Parts::packet_bits, time);
      return;
    }
    const auto whole = parts_[row];
    push(start(whole.source, whole.destination, flits, key + 1, row, whole.born), time + how_.packet_gap);
  }
  void deliver(std::uint32_t index, Tick tail) {
    Worm& w = worms_[index];
    const auto hops = packets_ ? w.hops : static_cast<std::uint32_t>(w.path.size());
    const Tick head = w.path.back().head;
    head_hops_ += hops;
    flit_hops_ += std::uint64_t{hops} * w.flits;
    if (!flits_by_link_.empty() && !packets_)
      for (const auto& column : w.path) flits_by_link_[column.link] += w.flits;
    w.live = false;
    if (!packets_) crossed(w, w.path.size());
    if (w.message == none) {
      w.key >>= Parts::packet_bits;
      w.packet.ready = tail;
      --live_;
      observer_.delivered(*this, w, head, hops);
    } else {
      if (parts_.arrived(w.message, w.entered, head, tail, hops)) deliver_whole(parts_[w.message]);
    }
    usual_ = std::max(usual_, w.path.size());
    if (!packets_) keep_path(w);  // of packets it would cost a twentieth of their time
    free_.push_back(index);
  }
  /// Room for a path: that of a worm which has arrived, so that those that wait at their sources have none.
  [[gnu::noinline]] void keep_path(Worm& w) { paths_.push_back(std::move(w.path)); }
  [[gnu::noinline]] void give_path(Worm& w) {
    if (paths_.empty()) {
      w.path.reserve(usual_);
    } else {
      w.path = std::move(paths_.back());
      paths_.pop_back();
      w.path.clear();
    }
  }
  void deliver_whole(const Parts::Message& message) {
    if (message.lost) return lose();
    Worm whole;
    whole.key = message.key;
    whole.source = message.source;
    whole.destination = message.destination;
    whole.flits = message.flits;
    whole.born = message.born;
    whole.entered = message.entered;
    whole.packet.ready = message.tail;
    --live_;
    observer_.delivered(*this, whole, message.head, message.hops);
  }

  const Fabric& fabric_;
  const Routing& routing_;
  const Switching how_;
  Source& source_;
  Observer& observer_;
  events::Random random_;
  events::Wheel wheel_;
  Train train_;
  std::vector<CountedLine> lines_;    // by link: who waits for it
  std::vector<std::uint32_t> first_;  // by link: its first channel; empty where every link has one
  std::vector<Tick> wake_;            // by link: when it is examined again; empty where none ever is
  std::vector<Tick> free_at_;         // by channel
  std::vector<FarEnd> far_ends_;      // by channel, where there are packets
  Pool worms_;
  Parts parts_;
  std::vector<std::uint32_t> free_;
  std::vector<LinkRequest> requests_;
  std::vector<Granted> granted_;
  std::vector<std::uint64_t> flits_by_link_;
  events::Distant distant_, wakes_;
  Choices choices_;
  Tick now_ = 0, rare_ = ~Tick{0};
  std::size_t usual_ = 4;                   // links of a path
  std::vector<std::vector<Column>> paths_;  // of worms that have arrived, for others
  std::uint64_t created_ = 0, live_ = 0, head_hops_ = 0, flit_hops_ = 0, unroutable_ = 0;
  bool alone_ = false;  // every link is one channel that worms hold: numbered as its link
  bool packets_ = false, stored_ = false, circuit_ = false, fifo_ = false, working_ = false;
};

}  // namespace assay::network
