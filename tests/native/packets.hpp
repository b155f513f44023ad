// A second packet engine, for small networks: every tick, every message, wire and buffer is looked at; nothing is
// scheduled ahead. It takes its routes from the routing (which must leave no choice) and shares nothing else with the
// engine that it judges.
#pragma once
#include <algorithm>
#include <deque>
#include <vector>

#include "network/outcome.hpp"
#include "network/registry.hpp"
#include "network/settings.hpp"

namespace plain {

using namespace assay::network;
using Tick = std::int64_t;

class Packets : RandomSource, Load {
 public:
  Packets(const Network& network, const Switching& how, const Trace& trace)
      : fabric_(*network.fabric), routing_(*network.routing), how_(how) {
    for (std::size_t row = 0; row < trace.id.size(); ++row) {
      Packet packet;
      packet.id = trace.id[row];
      packet.row = row;
      packet.ready = static_cast<Tick>(trace.cycle[row]);
      packet.flits = trace.flits[row] + how.header_flits;
      packet.way = way(trace.source[row], trace.destination[row]);
      last_ = std::max(last_, packet.ready);
      packets_.push_back(packet);
    }
    std::sort(packets_.begin(), packets_.end(), [](const Packet& a, const Packet& b) { return a.id < b.id; });
    queues_.resize(fabric_.links.size() * 64);
    for (std::uint32_t l = 0; l < fabric_.links.size(); ++l)
      for (int c = 0; c < fabric_.links[l].channels; ++c)
        wires_.push_back({l, 0, 0, std::vector<Buffer>(fabric_.links[l].lanes)});
    head.assign(trace.id.size(), -1);
    tail = head;
  }
  std::vector<Tick> head, tail;

  void run() {
    Tick patience = 10;
    for (const auto& packet : packets_)
      for (const auto& link : fabric_.links)
        patience = std::max<Tick>(patience, 4 * (link.flit + how_.sink_ticks) * packet.flits + 4 * link.body +
                                                4 * link.head + 4 * link.credit);
    Tick idle = 0;
    for (Tick now = 0; idle < patience || now <= last_; ++now) idle = tick(now) ? 0 : idle + 1;
  }

 private:
  static constexpr Tick never = std::int64_t{1} << 62;
  struct Buffer {
    std::deque<int> order;      // who came in, oldest first, until their departure is known
    Tick next_from = 0;         // fifo: the first of them may ask from here on
    Tick sink_from = 0;         // fifo: the sink takes another from here on
    std::vector<Tick> credits;  // of slots: when each is free again (never: not known)
  };
  struct Wire {
    std::uint32_t link;
    Tick free_at;
    std::size_t turn;
    std::vector<Buffer> lanes;
  };
  struct Step {
    std::uint32_t link;
    unsigned klass;
  };
  struct Packet {
    std::uint64_t id = 0;
    std::size_t row = 0, at = 0;  // at: links crossed
    Tick ready = 0, tail = 0;
    std::vector<Tick> starts;  // of each flit over the last link that it has crossed
    std::uint32_t flits = 0;
    bool requested = false, inside = false;
    std::vector<Step> way;
    Buffer* buffer = nullptr;
  };
  struct Queue {
    std::deque<int> wire, place;
    std::vector<Tick> inside;  // output queue: when each place is free again
  };

  std::uint64_t next() override { return 0; }
  std::vector<Step> way(std::uint32_t from, std::uint32_t to) {
    RouteState state;
    routing_.begin(state, from, to, *this, *this);
    Choices choices;
    routing_.inject(state, choices);
    std::vector<Step> steps{{choices[0].link, 0}};
    while (fabric_.links[steps.back().link].kind != LinkKind::ejection) {
      const Step last = steps.back();
      routing_.choices(fabric_.links[last.link].to, last.link, last.klass, state, choices);
      steps.push_back({choices[0].link, choices[0].lane});
    }
    return steps;
  }
  [[nodiscard]] unsigned classes(const Link& link) const {
    return link.kind == LinkKind::network ? routing_.claims().lanes : 1;
  }
  Queue& queue(Step step) { return queues_[step.link * 64 + step.klass]; }

  bool tick(Tick now) {
    bool any = false;
    for (auto& one : queues_) any |= enter(one, now);
    for (std::size_t p = 0; p < packets_.size(); ++p) {
      Packet& packet = packets_[p];
      if (packet.requested || packet.at == packet.way.size() || packet.ready > now) continue;
      if (how_.buffers == "fifo" && packet.at > 0 &&
          (packet.buffer->order.front() != static_cast<int>(p) || packet.buffer->next_from > now))
        continue;
      packet.requested = any = true;
      Queue& wanted = queue(packet.way[packet.at]);
      if (how_.buffers == "output" && packet.at > 0) {
        wanted.place.push_back(static_cast<int>(p));
        enter(wanted, now);
      } else {
        wanted.wire.push_back(static_cast<int>(p));
      }
    }
    for (bool changed = true; changed; any |= changed) {
      changed = false;
      // A round: every wire finds what was free before it.
      for (auto& one : queues_) changed |= enter(one, now);
      for (auto& wire : wires_)
        for (auto& buffer : wire.lanes) std::erase_if(buffer.credits, [now](Tick back) { return back <= now; });
      for (auto& wire : wires_) changed |= serve(wire, now);
    }
    return any;
  }

  bool enter(Queue& one, Tick now) {
    bool changed = false;
    std::erase_if(one.inside, [now](Tick free) { return free <= now; });
    while (!one.place.empty() && (how_.output_packets == 0 || one.inside.size() < how_.output_packets)) {
      Packet& packet = packets_[static_cast<std::size_t>(one.place.front())];
      one.wire.push_back(one.place.front());
      one.place.pop_front();
      one.inside.push_back(never);
      packet.inside = changed = true;
      const Link& before = fabric_.links[packet.way[packet.at - 1].link];
      departs(packet, packet.flits == 1 ? now : std::max(now, packet.tail + before.body));
    }
    return changed;
  }
  void departs(Packet& packet, Tick time) {
    const Tick back = time + fabric_.links[packet.way[packet.at - 1].link].credit;
    auto& credits = packet.buffer->credits;
    *std::find(credits.begin(), credits.end(), never) = back;
    std::erase(packet.buffer->order, static_cast<int>(&packet - packets_.data()));
    packet.buffer->next_from = back + 1;
  }

  bool serve(Wire& wire, Tick now) {
    if (wire.free_at > now) return false;
    const Link& link = fabric_.links[wire.link];
    for (std::size_t i = 0; i < wire.lanes.size(); ++i) {
      const std::size_t l = (wire.turn + i) % wire.lanes.size();
      Queue& wanted = queue({wire.link, static_cast<unsigned>(l % classes(link))});
      Buffer& buffer = wire.lanes[l];
      if (wanted.wire.empty() || (how_.buffer_packets != 0 && buffer.credits.size() >= how_.buffer_packets)) continue;
      const int p = wanted.wire.front();
      wanted.wire.pop_front();
      wire.turn = (l + 1) % wire.lanes.size();
      cross(packets_[static_cast<std::size_t>(p)], p, wire, buffer, wanted, now);
      return true;
    }
    return false;
  }
  /// The packet's flits one after the other over a wire (or into a sink), the head at `head`; `at` counts links before.
  void pass(Packet& packet, Tick head, Tick flit) {
    std::vector<Tick> starts(packet.flits, head);
    for (std::size_t k = 1; k < starts.size(); ++k) {
      starts[k] = starts[k - 1] + flit;
      if (packet.at > 0)
        starts[k] = std::max(starts[k], packet.starts[k] + fabric_.links[packet.way[packet.at - 1].link].body);
    }
    packet.starts = starts;
  }
  /// A packet's way out of the last buffer; first-in-first-out only once the one before it has gone.
  void sink(Packet& packet, Buffer& buffer, const Link& last) {
    Tick from = packet.ready;
    if (how_.buffers == "fifo") from = std::max({from, buffer.next_from, buffer.sink_from});
    pass(packet, from, how_.sink_ticks);
    departs(packet, packet.starts.back());
    buffer.next_from = packet.starts.back() + last.credit + 1;
    buffer.sink_from = packet.starts.back() + how_.sink_ticks;
  }
  void cross(Packet& packet, int p, Wire& wire, Buffer& buffer, Queue& from, Tick now) {
    const Link& link = fabric_.links[wire.link];
    pass(packet, now, link.flit);
    const Tick end = packet.starts.back();
    if (packet.inside)
      *std::find(from.inside.begin(), from.inside.end(), never) = end;
    else if (packet.at > 0)
      departs(packet, end);
    packet.inside = packet.requested = false;
    packet.tail = end;
    packet.buffer = &buffer;
    wire.free_at = end + link.flit;
    buffer.credits.push_back(never);
    buffer.order.push_back(p);
    ++packet.at;
    packet.ready = (how_.switching == "store-and-forward" ? end : now) + link.head;
    if (link.kind == LinkKind::ejection) {
      head[packet.row] = now;
      tail[packet.row] = end;
      sink(packet, buffer, link);
    }
  }

  const Fabric& fabric_;
  const Routing& routing_;
  const Switching how_;
  Tick last_ = 0;
  std::vector<Wire> wires_;
  std::vector<Packet> packets_;
  std::vector<Queue> queues_;
};

}  // namespace plain
