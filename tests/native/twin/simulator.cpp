#include "simulator.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <map>

namespace twin {
namespace {

using Tick = std::int64_t;

struct Flit {
  int number;  // 0 is the head
  Tick ready;  // may leave the buffer from here on
};

/// A message's hold on one link of its path: which channel, and what lies in the buffer at its far end.
struct Stop {
  const Link* link = nullptr;
  int number = 0;  // of the link
  int lane = 0;
  int channel = -1;
  int crossed = 0;      // flits that have started over the wire
  Tick last_start = 0;  // of the last of them
  bool wire = false, slot = false;
  std::deque<Flit> buffer;
  std::deque<Tick> returning;  // credits of flits that left, by the tick of their arrival
  bool placed = false;         // in the queue before the next link, where there are such queues
  int queued = 0;              // flits that have come into it and not gone on
};

struct Worm {
  Message* message = nullptr;
  int packet = 0, flits = 0;  // of a message that goes in one piece: 0, all
  std::vector<Stop> stops;
  std::size_t head_at = 0;  // links that the head has crossed
  bool requested = false;   // for the next one
  int unsent = 0;           // flits at the source
  int sunk = 0;             // flits in the destination
  Tick last_sunk = 0, last_sent = 0;
  bool left = false;      // the first channel
  Tick established = -1;  // circuit switching: the acknowledgement is back at the source
};

struct Birth {
  std::size_t message;
  int packet;
};

struct Worm;
struct Holder {
  Worm* worm = nullptr;
  std::size_t stop = 0;
};

struct Channel {
  std::deque<const Worm*> order;  // who is in the far buffer, the oldest first
  Tick next_from = 0;             // first-in-first-out: the oldest may ask from here on
  Tick sink_from = 0;             // and into the destination go from here on
  bool wire_taken = false;
  std::vector<Holder> lanes;  // of a link with several: who holds each
  std::size_t turn = 0;       // the lane that is asked first
  Tick wire_free = 0;
  int slots_taken = 0;
};

class Clockwork {
 public:
  explicit Clockwork(Plan& plan) : plan_(plan), children_(plan.messages.size()) {
    for (const auto& link : plan.links) {
      channels_.emplace_back(static_cast<std::size_t>(link.channels));
      for (auto& channel : channels_.back()) channel.lanes.resize(static_cast<std::size_t>(link.lanes));
      queues_.emplace_back(static_cast<std::size_t>(link.lanes));
      entrances_.emplace_back();
      places_taken_.push_back(0);
      shared_ |= link.lanes > 1;
      patience_ = std::max<Tick>(patience_, link.flit + link.body + link.head + link.credit + link.acknowledge);
    }
    patience_ = patience_ * 64 + plan.sink_flit;
    for (std::size_t i = 0; i < plan.messages.size(); ++i) {
      auto& message = plan.messages[i];
      message.head = message.tail = -1;
      if (message.after < 0)
        future_.emplace(message.cycle, Birth{i, 0});
      else
        children_[static_cast<std::size_t>(message.after)].push_back(i);
    }
  }

  Outcome run() {
    Outcome outcome;
    Tick quiet = 0;
    while (!worms_.empty() || !future_.empty()) {
      if (worms_.empty() || quiet > patience_) {
        if (future_.empty()) {
          outcome.deadlock = true;
          break;
        }
        now_ = std::max(now_, future_.begin()->first);
      }
      quiet = tick() ? 0 : quiet + 1;
      outcome.ticks = now_++;
    }
    outcome.crossings = crossings_;
    return outcome;
  }

 private:
  bool tick() {
    std::vector<Worm*> requesting;
    for (Worm* worm : moving_)
      if (head_wants_on(*worm)) requesting.push_back(worm);
    generate(requesting);
    std::sort(requesting.begin(), requesting.end(), [](const Worm* a, const Worm* b) {
      if (a->message->id != b->message->id) return a->message->id < b->message->id;
      return a->message->stage != b->message->stage ? a->message->stage < b->message->stage : a->packet < b->packet;
    });
    for (Worm* worm : requesting) {
      worm->requested = true;
      const Stop& wanted = worm->stops[worm->head_at];
      if (plan_.queued && worm->head_at > 0)
        entrances_[static_cast<std::size_t>(wanted.number)].push_back(worm);
      else
        queues_[static_cast<std::size_t>(wanted.number)][static_cast<std::size_t>(wanted.lane)].push_back(worm);
    }
    bool any = !requesting.empty();
    for (bool changed = true; changed; any |= changed) {
      changed = shared_ ? false : settle();
      if (shared_)
        for (Worm* worm : moving_) changed |= release_lanes(*worm);
      changed |= shared_ ? grant_lanes() : grant();
      if (shared_) {
        changed |= take_turns();
        for (Worm* worm : moving_) changed |= sink(*worm);
      }
    }
    const auto over = [](const Worm& worm) {
      return worm.sunk == worm.flits &&
             std::none_of(worm.stops.begin(), worm.stops.end(), [](const Stop& s) { return s.wire || s.slot; });
    };
    std::erase_if(moving_, [&](const Worm* worm) { return over(*worm); });
    worms_.remove_if(over);
    return any;
  }

  /// Everything that moves without a grant, until nothing does: so a grant finds every channel free that gets free in
  /// this tick, whatever the order here, unless another grant of this tick frees it.
  bool settle() {
    bool any = false;
    for (bool changed = true; changed; any |= changed) {
      changed = false;
      for (Worm* worm : moving_) changed |= release(*worm);
      changed |= enter_queues();
      for (Worm* worm : moving_) changed |= plan_.switching == Switching::circuit ? stream(*worm) : advance(*worm);
    }
    return any;
  }

  void generate(std::vector<Worm*>& requesting) {
    for (; !future_.empty() && future_.begin()->first <= now_; future_.erase(future_.begin())) {
      Worm& worm = worms_.emplace_back();
      const Birth birth = future_.begin()->second;
      worm.message = &plan_.messages[birth.message];
      worm.packet = birth.packet;
      if (worm.packet == 0) worm.message->cycle = now_;
      const int whole = worm.message->flits, sent = worm.packet * plan_.packet_flits;
      worm.flits = plan_.packet_flits == 0 ? whole : std::min(whole - sent, plan_.packet_flits);
      worm.unsent = worm.flits;
      for (const int number : worm.message->path) {
        Stop& stop = worm.stops.emplace_back();
        stop.number = number;
        stop.lane = worm.message->lanes.empty() ? 0 : worm.message->lanes[worm.stops.size() - 1];
        stop.link = &plan_.links[static_cast<std::size_t>(number)];
      }
      requesting.push_back(&worm);
    }
  }

  /// Whether the head, somewhere on its path, wants its next link from this tick on.
  bool head_wants_on(const Worm& worm) const {
    if (worm.requested || worm.head_at == worm.stops.size()) return false;
    return head_may_leave(worm, worm.stops[worm.head_at - 1]);
  }

  /// Whether the head, in the buffer of its last stop, may leave it: for the next link, or into the destination.
  bool head_may_leave(const Worm& worm, const Stop& at) const {
    if (plan_.switching == Switching::store_and_forward &&
        (at.crossed < worm.flits || at.last_start + at.link->head > now_))
      return false;
    if (plan_.fifo) {
      const Channel& channel = channel_of(at);
      if (channel.order.front() != &worm || now_ < channel.next_from) return false;
    }
    return at.buffer.front().ready <= now_;
  }

  const Channel& channel_of(const Stop& stop) const {
    return channels_[static_cast<std::size_t>(stop.number)][static_cast<std::size_t>(stop.channel)];
  }
  Channel& channel_of(const Stop& stop) {
    return channels_[static_cast<std::size_t>(stop.number)][static_cast<std::size_t>(stop.channel)];
  }

  /// Packets that have a place in the queue of their next link stream into it as they come.
  bool enter_queues() {
    bool changed = false;
    for (std::size_t number = 0; number < entrances_.size(); ++number)
      for (auto& waiting = entrances_[number];
           !waiting.empty() && (plan_.places == 0 || places_taken_[number] < plan_.places); waiting.pop_front()) {
        Worm& worm = *waiting.front();
        worm.stops[worm.head_at - 1].placed = changed = true;
        ++places_taken_[number];
        queues_[number][0].push_back(&worm);
      }
    for (Worm* worm : moving_)
      for (Stop& stop : worm->stops)
        while (stop.placed && !stop.buffer.empty() && stop.buffer.front().ready <= now_) {
          leave(stop);
          ++stop.queued;
          changed = true;
        }
    return changed;
  }
  /// A flit at hand behind this stop goes on over the next link: out of its buffer, or of the queue.
  void go_on(Worm& worm, std::size_t i) {
    Stop& stop = worm.stops[i];
    if (!stop.placed) return leave(stop);
    --stop.queued;
    const Stop& next = worm.stops[i + 1];
    if (next.crossed + 1 == worm.flits) --places_taken_[static_cast<std::size_t>(next.number)];
  }

  bool grant() {
    bool changed = false;
    for (std::size_t number = 0; number < queues_.size(); ++number) {
      auto& queue = queues_[number][0];
      const Link& link = plan_.links[number];
      for (int c = 0; c < link.channels && !queue.empty(); ++c) {
        Channel& channel = channels_[number][static_cast<std::size_t>(c)];
        if (channel.wire_taken || (link.slots > 0 && channel.slots_taken >= link.slots)) continue;
        channel.wire_taken = true;
        ++channel.slots_taken;
        Worm& worm = *queue.front();
        queue.pop_front();
        if (worm.head_at == 0) moving_.push_back(&worm);
        Stop& stop = worm.stops[worm.head_at];
        stop.channel = c;
        stop.wire = stop.slot = true;
        cross_head(worm);
        changed = true;
      }
    }
    return changed;
  }

  void cross_head(Worm& worm) {
    Stop& stop = worm.stops[worm.head_at];
    const bool header_apart = plan_.switching == Switching::circuit;  // the header is no flit of the message
    if (worm.head_at > 0)
      go_on(worm, worm.head_at - 1);
    else if (!header_apart)
      --worm.unsent;
    stop.buffer.push_back({0, now_ + stop.link->head});
    if (!header_apart) {
      stop.crossed = 1;
      stop.last_start = now_;
    }
    ++crossings_;
    worm.requested = false;
    if (!header_apart && worm.flits == 1) tail_crossed(worm, worm.head_at);
    if (plan_.fifo) channel_of(stop).order.push_back(&worm);
    if (++worm.head_at < worm.stops.size()) return;
    if (worm.message->head < 0 || now_ < worm.message->head) worm.message->head = now_;
  }

  /// The tail has started over the link of stop i: it has left the buffer before; over the last link it is delivered.
  void tail_crossed(Worm& worm, std::size_t i) {
    if (plan_.fifo && i > 0) tail_left(worm.stops[i - 1]);
    if (i + 1 < worm.stops.size()) return;
    worm.message->tail = std::max(worm.message->tail, now_);
    worm.message->crossed += worm.flits;
  }

  /// First-in-first-out: the oldest packet has left the buffer of this stop, the next may go.
  void tail_left(const Stop& stop) {
    Channel& channel = channel_of(stop);
    channel.order.pop_front();
    channel.next_from = now_ + stop.link->credit + 1;
  }

  void leave(Stop& stop) {
    stop.buffer.pop_front();
    stop.returning.push_back(now_ + stop.link->credit);
  }

  /// One flit into the destination, and one over each wire where the next flit may go; nearest to the destination
  /// first.
  bool advance(Worm& worm) {
    bool changed = sink(worm);
    for (std::size_t i = std::min(worm.head_at, worm.stops.size()); i-- > 0;) {
      Stop& stop = worm.stops[i];
      if (stop.crossed == worm.flits || now_ < stop.last_start + stop.link->flit) continue;
      std::erase_if(stop.returning, [this](Tick arrival) { return arrival <= now_; });
      if (stop.link->buffer > 0 && static_cast<int>(stop.buffer.size() + stop.returning.size()) >= stop.link->buffer)
        continue;
      if (i == 0) {
        --worm.unsent;
      } else {
        const Stop& before = worm.stops[i - 1];
        if (before.placed ? before.queued == 0 : before.buffer.empty() || before.buffer.front().ready > now_) continue;
        go_on(worm, i - 1);
      }
      cross_body(worm, i);
      changed = true;
    }
    return changed;
  }

  void cross_body(Worm& worm, std::size_t i) {
    Stop& stop = worm.stops[i];
    stop.buffer.push_back({stop.crossed, now_ + stop.link->body});
    stop.last_start = now_;
    ++crossings_;
    if (++stop.crossed == worm.flits) tail_crossed(worm, i);
  }

  bool sink(Worm& worm) {
    Stop& last = worm.stops.back();
    if (last.buffer.empty() || last.buffer.front().ready > now_) return false;
    if (worm.sunk == 0 && (!head_may_leave(worm, last) || now_ < channel_of(last).sink_from)) return false;
    if (worm.sunk > 0 && now_ < worm.last_sunk + plan_.sink_flit) return false;
    leave(last);
    worm.last_sunk = now_;
    if (plan_.fifo) channel_of(last).sink_from = now_ + plan_.sink_flit;
    if (++worm.sunk < worm.flits) return true;
    if (plan_.fifo) tail_left(last);
    delivered(*worm.message);
    return true;
  }

  void delivered(const Message& message) {
    for (const auto child : children_[static_cast<std::size_t>(&message - plan_.messages.data())])
      future_.emplace(now_ + plan_.messages[child].delay, Birth{child, 0});
  }

  /// Circuit switching: once the acknowledgement is back, the source sends at the pace of the slowest part of the path.
  bool stream(Worm& worm) {
    if (worm.head_at < worm.stops.size()) return false;
    if (worm.established < 0) {
      Stop& last = worm.stops.back();
      if (last.buffer.front().ready > now_) return false;
      last.buffer.clear();
      worm.established = now_;
      for (const Stop& stop : worm.stops) worm.established += stop.link->acknowledge;
    }
    Tick pace = plan_.sink_flit;
    for (const Stop& stop : worm.stops) pace = std::max<Tick>(pace, stop.link->flit);
    bool changed = false;
    if (Stop& last = worm.stops.back(); !last.buffer.empty() && last.buffer.front().ready <= now_) {
      last.buffer.pop_front();
      worm.last_sunk = now_;
      if (++worm.sunk == worm.flits) delivered(*worm.message);
      changed = true;
    }
    for (std::size_t i = worm.stops.size() - 1; i > 0; --i) {
      Stop& before = worm.stops[i - 1];
      if (before.buffer.empty() || before.buffer.front().ready > now_) continue;
      before.buffer.pop_front();
      cross_body(worm, i);
      changed = true;
    }
    const bool first = worm.unsent == worm.flits;
    if (worm.unsent > 0 && now_ >= worm.established && (first || now_ >= worm.last_sent + pace)) {
      --worm.unsent;
      worm.last_sent = now_;
      cross_body(worm, 0);
      changed = true;
    }
    return changed;
  }

  // --- where a link has several lanes: a worm holds a lane, and the wire is shared flit by flit, in turn

  bool grant_lanes() {
    bool changed = false;
    for (std::size_t number = 0; number < queues_.size(); ++number)
      for (std::size_t c = 0; c < channels_[number].size(); ++c)
        for (std::size_t lane = 0; lane < queues_[number].size(); ++lane) {
          auto& queue = queues_[number][lane];
          Holder& holder = channels_[number][c].lanes[lane];
          if (queue.empty() || holder.worm != nullptr) continue;
          Worm& worm = *queue.front();
          queue.pop_front();
          holder = {&worm, worm.head_at};
          if (worm.head_at == 0) moving_.push_back(&worm);
          Stop& stop = worm.stops[worm.head_at];
          stop.channel = static_cast<int>(c);
          stop.slot = true;
          changed = true;
        }
    return changed;
  }

  /// Each wire takes a flit of the first lane, counted from the one after the last, that has one and room for it.
  bool take_turns() {
    bool changed = false;
    for (std::size_t number = 0; number < channels_.size(); ++number)
      for (Channel& channel : channels_[number]) {
        if (now_ < channel.wire_free) continue;
        for (std::size_t step = 0; step < channel.lanes.size(); ++step) {
          const std::size_t lane = (channel.turn + step) % channel.lanes.size();
          const Holder holder = channel.lanes[lane];
          if (holder.worm == nullptr || !may_cross(*holder.worm, holder.stop)) continue;
          if (holder.worm->stops[holder.stop].crossed == 0) {
            cross_head(*holder.worm);
          } else {
            if (holder.stop == 0)
              --holder.worm->unsent;
            else
              leave(holder.worm->stops[holder.stop - 1]);
            cross_body(*holder.worm, holder.stop);
          }
          channel.turn = (lane + 1) % channel.lanes.size();
          channel.wire_free = now_ + plan_.links[number].flit;
          changed = true;
          break;
        }
      }
    return changed;
  }

  bool may_cross(Worm& worm, std::size_t i) {
    Stop& stop = worm.stops[i];
    if (stop.crossed == worm.flits) return false;
    if (stop.crossed == 0) return true;  // the head had to be ready to ask for the lane
    std::erase_if(stop.returning, [this](Tick arrival) { return arrival <= now_; });
    if (stop.link->buffer > 0 && static_cast<int>(stop.buffer.size() + stop.returning.size()) >= stop.link->buffer)
      return false;
    return i == 0 || (!worm.stops[i - 1].buffer.empty() && worm.stops[i - 1].buffer.front().ready <= now_);
  }

  bool release_lanes(Worm& worm) {
    bool changed = false;
    for (Stop& stop : worm.stops) {
      if (!stop.slot || stop.crossed < worm.flits) continue;
      std::erase_if(stop.returning, [this](Tick arrival) { return arrival <= now_; });
      const bool open = stop.link->buffer == 0;
      const bool empty = stop.buffer.empty() && stop.returning.empty();
      if (now_ < stop.last_start + stop.link->flit || (!open && !empty)) continue;
      Channel& channel = channels_[static_cast<std::size_t>(stop.number)][static_cast<std::size_t>(stop.channel)];
      channel.lanes[static_cast<std::size_t>(stop.lane)].worm = nullptr;
      stop.slot = false;
      changed = true;
      if (&stop == &worm.stops[0]) next_packet(worm);
    }
    return changed;
  }

  /// A packet that has left its first channel lets the next one of its message ask for it.
  void next_packet(Worm& worm) {
    if (worm.left) return;
    worm.left = true;
    if (plan_.packet_flits == 0 || (worm.packet + 1) * plan_.packet_flits >= worm.message->flits) return;
    const auto message = static_cast<std::size_t>(worm.message - plan_.messages.data());
    future_.emplace(now_ + plan_.packet_gap, Birth{message, worm.packet + 1});
  }

  bool release(Worm& worm) {
    const bool circuit = plan_.switching == Switching::circuit;
    const bool at_delivery = circuit && plan_.release_at_delivery;
    const bool arrived = worm.sunk == worm.flits;
    bool changed = false;
    for (Stop& stop : worm.stops) {
      if (!stop.wire && !stop.slot) continue;
      const bool passed = stop.crossed == worm.flits;
      Channel& channel = channels_[static_cast<std::size_t>(stop.number)][static_cast<std::size_t>(stop.channel)];
      const bool wire_idle =
          at_delivery ? arrived && now_ > worm.last_sunk : passed && now_ >= stop.last_start + stop.link->flit;
      if (stop.wire && wire_idle) {
        stop.wire = channel.wire_taken = false;
        changed = true;
      }
      std::erase_if(stop.returning, [this](Tick arrival) { return arrival <= now_; });
      const bool empty = passed && stop.buffer.empty() && stop.returning.empty();
      if (stop.slot && (circuit ? !stop.wire : empty)) {
        stop.slot = false;
        --channel.slots_taken;
        changed = true;
      }
      const bool whole_channel = plan_.switching == Switching::wormhole && stop.link->slots > 0;
      if (&stop == &worm.stops[0] && !stop.wire && (!whole_channel || !stop.slot)) next_packet(worm);
    }
    return changed;
  }

  Plan& plan_;
  Tick now_ = 0, patience_ = 1;
  std::int64_t crossings_ = 0;
  std::vector<std::vector<Channel>> channels_;
  std::vector<std::vector<std::deque<Worm*>>> queues_;  // by link and lane
  std::vector<std::deque<Worm*>> entrances_;            // by link: who waits for a place in its queue
  std::vector<int> places_taken_;                       // by link
  bool shared_ = false;                                 // some link has several lanes
  std::vector<std::vector<std::size_t>> children_;
  std::multimap<Tick, Birth> future_;
  std::list<Worm> worms_;
  std::vector<Worm*> moving_;
};

}  // namespace

Outcome simulate(Plan& plan) { return Clockwork(plan).run(); }

}  // namespace twin
