// The flit engine where worms often get in each other's way: tick by tick, all flits of a worm at once.
//
// What is simulated is said in engine.hpp, and the times are the same. Plans for series of flits cost the more the more
// often they are made anew, and nothing by the flit; here a flit costs little, and not much more where others want its
// wire. All links have f = w = 1, r = 0 and, but for those into nodes, buffers of one size, and no sink
// holds its link back (`suits`).
//
// How. Of a worm that has lanes there is a word a property, a bit a lane, and the number of flits in each lane's buffer
// stands in four such words, digit by digit. Which lanes have a flit at hand and a place for it, which of these send,
// and what the buffers hold then are a few operations on whole words. A lane whose buffer is full sends if the one
// after it does (`tied`). Where several worms have flits to send over a wire, or a message waits for one of its lanes,
// the order in the tick counts: such lanes (`held`) send when the tick's passes come to their wire.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "network/circle.hpp"
#include "network/lane_engine.hpp"

namespace assay::network {

/// A worm holds more lanes than a word has bits.
struct LongWorm : std::length_error {
  using std::length_error::length_error;
};

struct TickWorm : LaneMessage {
  std::uint32_t train = events::no_index;  // what it has in the network
  std::uint64_t head = 0;                  // crossed the last link
  bool more = false;                       // of its message is to be sent when its injection lane is free
};

/// A channel of a link, of which `lane` is the first lane. `turn`, `ready`, `late`, `owned`: a bit a lane.
struct TickWire {
  std::uint64_t sent = ~std::uint64_t{0};  // the last tick in which the passes had a flit cross
  std::uint32_t lane = 0;
  std::uint8_t turn = 0;                // those behind the lane that sent last, which go first
  std::uint8_t ready = 0;               // can send in this tick
  std::uint8_t late = 0;                // of these, perhaps in a later pass only
  std::uint8_t active = 0;              // messages that have flits left to send over it
  std::uint8_t owned = 0;               // lanes that messages have
  bool grants = false, waited = false;  // a lane may be given away; messages may stand in the link's lines
  bool settled = true;                  // it is known who shares it
};
static_assert(sizeof(TickWire) == 24);

template <class Source, class Observer>
class FlitsByTick : public LaneEngine<FlitsByTick<Source, Observer>, TickWorm, Line, Source, Observer, TickWire> {
  using Base = LaneEngine<FlitsByTick, TickWorm, Line, Source, Observer, TickWire>;
  friend Base;
  using typename Base::Tick, typename Base::Wire, typename Base::First;

 public:
  static constexpr const char* name = "flit";
  using Message = TickWorm;

  FlitsByTick(const Fabric& fabric, const Routing& routing, const Switching& how, Source& source, Observer& observer,
              events::Random random, std::uint32_t)
      : Base(fabric, routing, how, source, observer, random, 0, heads(fabric, how)),
        lanes_(Base::lane_count_),
        marks_(wires_.size() / 64 + 1),
        later_(marks_.size()) {
    for (std::uint32_t number = 0; number < wires_.size(); ++number)
      for (unsigned which = 0; which < link_of(number).lanes; ++which)
        lanes_[wires_[number].lane + which].wire = number;
    for (const Link& link : fabric.links)
      if (link.kind != LinkKind::ejection)
        for (unsigned digit = 0; digit < digits; ++digit)
          full_[digit] = (link.buffer >> digit & 1) != 0 ? ~std::uint64_t{0} : 0;
  }
  /// Whether it is exact there.
  static bool suits(const Fabric& fabric, const Switching& how) {
    const std::uint32_t buffer = fabric.links[fabric.injection(0)[0]].buffer;
    return how.sink_ticks == 1 && buffer != 0 && buffer < 1U << digits &&
           std::ranges::all_of(
               fabric.links,
               [buffer](const Link& link) {
                 return link.flit == 1 && link.body == 1 && link.credit == 0 && link.lanes <= 8 &&
                        (link.kind == LinkKind::ejection ? link.buffer >= link.head : link.buffer == buffer);
               });
  }

  bool run(Tick end) { return !(ended_ = !Base::run(end)); }
  /// The last tick in which anything happened.
  [[nodiscard]] Tick now() const { return ended_ ? last_ : now_; }
  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + lanes_.capacity() * sizeof(Lane) + trains_.capacity() * sizeof(Train) +
           (paths_.capacity() + todo_.capacity() + active_.capacity() + free_trains_.capacity() +
            unsettled_.capacity()) *
               4 +
           (marks_.capacity() + later_.capacity()) * 8;
  }
  /// Messages that can never move again, and one circle of them.
  void find_deadlock(Outcome& outcome) const {
    Circle circle(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (messages_[i].live && messages_[i].waiting)
        circle.waits(i, [&, i](auto call) {
          const First first = Base::first(messages_[i].want);
          for (unsigned c = 0; c < first.channels; ++c)
            for (unsigned which = messages_[i].klass; which < links_[messages_[i].want].lanes; which += first.classes) {
              const auto train = lanes_[wires_[first.wire + c].lane + which].train;
              call(train == no_index ? no_index : trains_[train].message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::fabric_, Base::links_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::parts_, Base::now_, Base::no_index;
  static constexpr unsigned digits = 4;
  enum Kind : unsigned { lane_free, flits_move };
  struct Lane {
    std::uint32_t train = no_index;  // whose it is
    std::uint32_t wire = 0;
    std::uint16_t hop = 0, pass = 0;  // of the train; from which pass of this tick on it can send
  };
  static_assert(sizeof(Lane) == 12);
  /// What a worm has in the network: a bit for each of its lanes, upwards from the source.
  struct Train {
    std::uint64_t stored[digits] = {};    // flits in the buffer at the far end
    std::uint64_t shared = 0, moved = 0;  // the passes are to serve it; has sent since they did
    // Of this tick: has a flit at hand and a place for it; has no place, and sends if the next one does; the next flit
    // is the last; the passes serve it; sends.
    std::uint64_t ready = 0, tied = 0, tail = 0, held = 0, moves = 0;
    std::uint64_t fresh = 0, out = 0;  // the lane that the head has not crossed; the one that leads to the node
    std::uint32_t message = no_index;
    std::uint32_t left = 0;                            // flits at the source
    std::uint16_t first_hop = 0;                       // of the lowest bit
    std::uint8_t top = 0, low = 0;                     // bits of the last lane; of the first that has flits left
    std::uint8_t lanes = 0;                            // that it has
    bool listed = false, wants = false, done = false;  // in `active_`, and to stay there; nothing is left to send
    bool passed = false;                               // the tail has crossed a link in this tick
  };
  [[nodiscard]] static constexpr std::uint64_t bit(unsigned number) { return std::uint64_t{1} << number; }
  [[nodiscard]] const Link& link_of(std::uint32_t wire) const { return links_[Base::link_of(wire)]; }
  [[nodiscard]] static std::uint32_t heads(const Fabric& fabric, const Switching& how) {
    std::uint32_t most = how.packet_gap;
    for (const Link& link : fabric.links) most = std::max(most, link.head);
    return std::min(most, 4095U) + 1;
  }

  /// Messages that wait for this lane class, and one more if none of its lanes is free.
  [[nodiscard]] std::uint32_t queue(std::uint32_t link, unsigned lane) const override {
    const First first = Base::first(link);
    const std::uint32_t waiting = Base::waiting(first.queue + lane);
    for (unsigned c = 0; c < first.channels; ++c)
      for (unsigned which = lane; which < links_[link].lanes; which += first.classes)
        if ((wires_[first.wire + c].owned >> which & 1) == 0) return waiting;
    return waiting + 1;
  }

  // --- events
  void happens(unsigned kind, std::uint32_t number) {
    if (kind == lane_free) release(number);
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    return {m.train == no_index ? none : Base::link_of(lanes_[lane_at(m.train, trains_[m.train].top)].wire), m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    const First first = Base::first(m.want);
    Base::line_up(first.queue + m.klass, index);
    for (std::uint32_t wire = first.wire; wire < first.wire + first.channels; ++wire) {
      wires_[wire].grants = wires_[wire].waited = true;
      put(marks_, wire);
      if (wires_[wire].active != 0) share(wires_[wire]);
    }
  }
  void release(std::uint32_t number) {
    Lane& lane = lanes_[number];
    const std::uint32_t train = std::exchange(lane.train, no_index), index = trains_[train].message;
    last_ = std::max(last_, now_);
    Wire& wire = wires_[lane.wire];
    wire.owned &= static_cast<std::uint8_t>(~(1U << (number - wire.lane)));
    if (wire.waited) {
      wire.grants = true;
      put(lane.wire < place_ ? later_ : marks_, lane.wire);
      if (wire.active != 0) share(wire);
    }
    if (const Message& m = messages_[index]; lane.hop == 0 && m.more)
      if (const auto packet = Base::next_packet(m.row, m.key); packet != no_index)
        Base::ask_at(packet, now_ + how_.packet_gap);
    if (--trains_[train].lanes != 0 || messages_[index].live) return;
    free_.push_back(index);
    free_trains_.push_back(train);
  }

  // --- a tick
  void go_through_wires() {
    if (!Base::order_.empty()) last_ = std::max(last_, now_);
    if (todo_.size() < active_.size()) todo_.resize(active_.size() + active_.size() / 8);
    std::size_t some = 0;
    for (const std::uint32_t number : active_) {  // without branches, which nothing would foretell
      todo_[some] = number;
      some += prepare(trains_[number]);
    }
    for (std::size_t i = 0; i < some; ++i) go_on(todo_[i], trains_[todo_[i]]);
    for (pass_ = 0; std::ranges::any_of(marks_, [](std::uint64_t word) { return word != 0; }); ++pass_) {
      for (std::uint32_t word = 0; word < marks_.size(); ++word)
        while (marks_[word] != 0) {  // what is put in behind is put in `later_`
          const std::uint32_t number = word * 64 + static_cast<std::uint32_t>(std::countr_zero(marks_[word]));
          marks_[word] &= marks_[word] - 1;
          place_ = number + 1;
          look(number);
        }
      marks_.swap(later_);
    }
    pass_ = place_ = 0;
    std::uint64_t moves = 0;
    std::size_t kept = 0;
    for (const std::uint32_t number : active_) {
      Train& train = trains_[number];
      moves |= train.moves;
      count(train);
      train.listed = train.wants && !train.done;
      active_[kept] = number;
      kept += train.listed;
    }
    active_.resize(kept);
    if (moves != 0) last_ = std::max(last_, now_ + 1);
    for (const std::uint32_t wire : unsettled_) settle(wires_[wire]);
    unsettled_.clear();
    if (kept != 0) table_.put(now_, now_ + 1, flits_move, 0);
  }
  static void put(std::vector<std::uint64_t>& set, std::uint32_t wire) { set[wire / 64] |= bit(wire % 64); }
  /// Which of its lanes can send in this tick, as far as that hangs on nobody else; true if there is more to it.
  [[gnu::always_inline]] bool prepare(Train& train) const {
    const std::uint64_t *const p = train.stored, *const b = full_;
    const std::uint64_t above = p[1] | p[2] | p[3], some = p[0] | above;
    const std::uint64_t full = ~((p[0] ^ b[0]) | (p[1] ^ b[1]) | (p[2] ^ b[2]) | (p[3] ^ b[3]));
    const std::uint64_t hand = (some << 1 | (train.left != 0)) & ((bit(train.top) << 1) - 1);
    train.ready = hand & ~full;
    train.tied = hand & full;
    train.tail = bit(train.low) & ((p[0] & ~above) << 1 | (train.left == 1)) & hand;
    train.held = train.shared;
    train.wants = train.ready != 0;
    find_moves(train);
    return ((train.held & hand) | train.tail | (train.moves & train.fresh)) != 0;
  }
  /// Those of its lanes that the passes need not serve send, and those behind one that does, however many.
  [[gnu::always_inline]] static void find_moves(Train& train) {
    std::uint64_t moves = train.ready & ~train.held, chain = train.tied & ~train.held;
    for (unsigned reach = 1; reach < 8; reach *= 2) {
      moves |= chain & moves >> reach;
      chain &= chain >> reach;
    }
    for (unsigned reach = 8; chain != 0; reach *= 2) {
      moves |= chain & moves >> reach;
      chain = reach < 32 ? chain & chain >> reach : 0;
    }
    train.moves = moves;
  }
  /// The tail gives a lane back, for which a message may wait: then its time in the tick counts.
  [[gnu::always_inline]] void hold_tail(std::uint32_t number, Train& train) {
    if (train.tail == 0 || train.low == 0 || !wires_[lanes_[lane_at(number, train.low - 1U)].wire].waited) return;
    train.held |= train.tail;
    find_moves(train);
  }
  void go_on(std::uint32_t number, Train& train) {
    hold_tail(number, train);
    if (const std::uint64_t served = train.held & (train.ready | (train.tied & train.moves >> 1)); served != 0)
      serve(number, train, served);
    if ((train.moves & train.fresh) != 0) head_crosses(number, train);
    if ((train.moves & train.tail) != 0) tail_crosses(number, train);
  }
  /// Lanes that the passes are to serve.
  void serve(std::uint32_t index, const Train& train, std::uint64_t served) {
    do {
      const auto at = static_cast<unsigned>(std::countr_zero(served));
      const std::uint32_t number = lane_at(index, at);
      Lane& lane = lanes_[number];
      Wire& wire = wires_[lane.wire];
      wire.ready |= static_cast<std::uint8_t>(1U << (number - wire.lane));
      if ((train.ready & bit(at)) == 0) [[unlikely]] {  // after the one before it in the chain
        unsigned from = at + 1;
        while ((train.ready & train.moves & bit(from)) == 0) ++from;
        lane.pass = 0;
        for (std::uint32_t after = lanes_[lane_at(index, from)].wire; from-- > at;) {
          const std::uint32_t next = lanes_[lane_at(index, from)].wire;
          lane.pass += next <= after;
          after = next;
        }
        if (lane.pass != 0) wire.late |= static_cast<std::uint8_t>(1U << (number - wire.lane));
      }
      put(marks_, lane.wire);
      served &= served - 1;
    } while (served != 0);
  }
  /// In a pass: from pass `pass` on.
  void serve(std::uint32_t number, std::uint64_t pass) {
    Lane& lane = lanes_[number];
    Wire& wire = wires_[lane.wire];
    if (wire.sent == now_) return;
    lane.pass = static_cast<std::uint16_t>(pass);
    wire.ready |= static_cast<std::uint8_t>(1U << (number - wire.lane));
    if (pass != pass_) wire.late |= static_cast<std::uint8_t>(1U << (number - wire.lane));
    put(pass == pass_ ? marks_ : later_, lane.wire);
  }
  /// Whether the next flit of the first lane that has flits left is its last.
  [[nodiscard]] static bool is_tail(const Train& train) {
    if (train.passed) return false;
    if (train.low == 0) return train.left == 1;
    const std::uint64_t behind = bit(train.low - 1);
    return ((train.stored[0] & ~(train.stored[1] | train.stored[2] | train.stored[3])) & behind) != 0;
  }
  /// The flits are where its moves bring them.
  [[gnu::always_inline]] static void count(Train& train) {
    const std::uint64_t moves = std::exchange(train.moves, 0), into = moves & ~train.out;
    const std::uint64_t out = moves >> 1;
    std::uint64_t more = into & ~out, less = out & ~into;
    for (std::uint64_t& digit : train.stored) {
      const std::uint64_t carried = digit & more, borrowed = ~digit & less;
      digit ^= more | less;
      more = carried;
      less = borrowed;
    }
    train.left -= static_cast<std::uint32_t>(moves & (train.left != 0));
    train.moved |= moves;
    train.passed = false;
  }
  /// The lane of a train with this bit: the last one, and those with flits left or in their buffers.
  [[nodiscard]] std::uint32_t& lane_at(std::uint32_t train, unsigned number) {
    return paths_[train * std::size_t{stride_} + (number & (stride_ - 1))];
  }
  [[nodiscard]] std::uint32_t lane_at(std::uint32_t train, unsigned number) const {
    return paths_[train * std::size_t{stride_} + (number & (stride_ - 1))];
  }

  // --- passes
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.grants) give_lanes(number, wire);
    if (wire.sent == now_) return;
    unsigned ready = wire.ready;
    if (wire.late != 0) [[unlikely]]
      for (unsigned rest = wire.late; rest != 0; rest &= rest - 1)
        if (lanes_[wire.lane + static_cast<unsigned>(std::countr_zero(rest))].pass > pass_) {
          ready &= ~(rest & -rest);
          put(later_, number);
        }
    if (ready == 0) return;
    const unsigned first = ready & wire.turn;
    const auto which = static_cast<unsigned>(std::countr_zero(first != 0 ? first : ready));
    wire.turn = static_cast<std::uint8_t>(0xfeU << which);
    wire.ready = wire.late = 0;
    wire.sent = now_;
    Lane& lane = lanes_[wire.lane + which];
    Train& train = trains_[lane.train];
    const std::uint64_t here = bit(lane.hop - train.first_hop);
    train.moves |= here;
    if (here == train.fresh) head_crosses(lane.train, train);
    if (here == bit(train.low) && is_tail(train))
      tail_crosses(lane.train, train);
    else
      let_go_on(lane.train, train, here >> 1, number);
  }
  /// The lane of bit `here` and those behind it, if their buffers were full: the one after has sent over wire `after`.
  void let_go_on(std::uint32_t index, Train& train, std::uint64_t here, std::uint32_t after) {
    for (std::uint64_t pass = pass_; (here & train.tied & ~train.moves) != 0; here >>= 1) {
      const std::uint32_t number = lane_at(index, static_cast<unsigned>(std::countr_zero(here)));
      const std::uint32_t wire = lanes_[number].wire;
      pass += wire <= after;
      if ((here & train.held) != 0) return serve(number, pass);
      train.moves |= here;
      if (here == bit(train.low) && is_tail(train)) return tail_crosses(index, train);
      after = wire;
    }
  }
  /// The free lanes of a wire to the first in their lines.
  void give_lanes(std::uint32_t number, Wire& wire) {
    const Link& link = link_of(number);
    const First first = Base::first(Base::link_of(number));
    for (unsigned rest = ~unsigned{wire.owned} & ((1U << link.lanes) - 1); rest != 0; rest &= rest - 1) {
      const auto which = static_cast<unsigned>(std::countr_zero(rest));
      if (const std::uint32_t queue = first.queue + first.of(which); !queues_[queue].empty())
        grant(queue, link, wire, which);
    }
    std::uint32_t all = no_index;
    for (unsigned klass = 0; klass < first.classes; ++klass) all &= queues_[first.queue + klass].last;
    wire.grants = false;
    wire.waited = all != no_index;
    unsettle(number, wire);
  }
  void grant(std::uint32_t queue, const Link& link, Wire& wire, unsigned which) {
    const std::uint32_t index = Base::step_out(queue), number = wire.lane + which;
    Message& m = messages_[index];
    m.waiting = false;
    Lane& lane = lanes_[number];
    if (m.train == no_index) {
      m.train = new_train();
      Train& train = trains_[m.train];
      train.message = index;
      train.left = Base::length(m);
    } else {
      Train& train = trains_[m.train];
      if (!train.listed) prepare(train), hold_tail(m.train, train);  // it stood still: what is known of it may be old
      if (train.top == 63) drop_low(m.train, train);
      if (train.top + 3U - train.low > stride_) widen();
      ++train.top;
    }
    Train& train = trains_[m.train];
    lane.train = m.train;
    lane.hop = static_cast<std::uint16_t>(train.first_hop + train.top);
    lane_at(m.train, train.top) = number;
    ++train.lanes;
    train.fresh = bit(train.top);
    train.out = link.kind == LinkKind::ejection ? train.fresh : 0;
    train.shared |= bit(train.top);  // until it is known who else is there
    train.held |= bit(train.top);
    train.moved &= ~bit(train.top);
    train.wants = true;
    if (!train.listed) {
      train.listed = true;
      active_.push_back(m.train);
    }
    ++wire.active;
    wire.owned |= static_cast<std::uint8_t>(1U << which);
    serve(number, 0);
  }
  std::uint32_t new_train() {
    if (free_trains_.empty()) {
      const std::size_t size = trains_.size();
      if (size == trains_.capacity()) trains_.reserve(size + size / 8 + 4);  // room for an eighth more
      trains_.emplace_back();
      paths_.reserve(trains_.capacity() * stride_);
      paths_.resize(trains_.size() * stride_);
      return static_cast<std::uint32_t>(size);
    }
    const std::uint32_t number = free_trains_.back();
    free_trains_.pop_back();
    trains_[number] = {};
    return number;
  }
  /// Makes room above: lanes through which all flits have gone need no bits.
  void drop_low(std::uint32_t number, Train& train) {
    if (train.low < 2 || train.first_hop > 0xff00) throw LongWorm("a worm holds more than 64 lanes");
    const unsigned dropped = train.low - 1U;
    std::array<std::uint32_t, 64> lanes;
    for (unsigned at = dropped; at <= train.top; ++at) lanes[at] = lane_at(number, at);
    for (unsigned at = dropped; at <= train.top; ++at) lane_at(number, at - dropped) = lanes[at];
    for (std::uint64_t& digit : train.stored) digit >>= dropped;
    for (std::uint64_t* all :
         {&train.shared, &train.moved, &train.ready, &train.tied, &train.tail, &train.held, &train.moves, &train.out})
      *all >>= dropped;
    train.first_hop = static_cast<std::uint16_t>(train.first_hop + dropped);
    train.top = static_cast<std::uint8_t>(train.top - dropped);
    train.low = 1;
  }
  /// Room for twice as many lanes of each.
  void widen() {
    std::vector<std::uint32_t> wider(trains_.size() * 2 * stride_);
    for (std::size_t train = 0; train < trains_.size(); ++train)
      for (unsigned at = 0; at < stride_ && at <= trains_[train].top; ++at) {
        const unsigned number = trains_[train].top - at;
        wider[train * 2 * stride_ + (number & (2 * stride_ - 1))] = paths_[train * stride_ + (number & (stride_ - 1))];
      }
    paths_ = std::move(wider);
    stride_ *= 2;
  }
  [[gnu::noinline]] void head_crosses(std::uint32_t number, Train& train) {
    const Lane& lane = lanes_[lane_at(number, train.top)];
    const Link& link = link_of(lane.wire);
    Message& m = messages_[train.message];
    train.fresh = 0;
    ++m.hops;
    if (lane.hop == 0) m.entered = now_;
    if (train.out != 0)
      m.head = now_;
    else
      Base::ask_at(train.message, m, now_ + link.head);
    last_ = std::max(last_, now_ + link.head);
  }
  [[gnu::noinline]] void tail_crosses(std::uint32_t index, Train& train) {
    const std::uint32_t number = lane_at(index, train.low);
    const Lane& lane = lanes_[number];
    Message& m = messages_[train.message];
    Wire& wire = wires_[lane.wire];
    --wire.active;
    wire.turn = static_cast<std::uint8_t>(0xfeU << (number - wire.lane));
    unsettle(lane.wire, wire);
    if (lane.hop == 0) {
      m.more = m.row != none && parts_[m.row].left != 0;
      if (!m.more) Base::left_source(m.key, now_ + 1);
    }
    if (train.out == bit(train.low)) {
      const std::uint32_t flits = Base::length(m), head = link_of(lane.wire).head;
      const Tick left = std::max(m.head + head + (flits - 1), now_ + (flits == 1 ? head : 1));
      last_ = std::max(last_, left);
      train.done = true;
      table_.put(now_, left, lane_free, number);
      Base::arrived(train.message, m.head, now_);
    }
    train.passed = true;
    if (train.low++ != 0) release(lane_at(index, train.low - 2U));
  }

  // --- who shares a wire
  void unsettle(std::uint32_t number, Wire& wire) {
    if (std::exchange(wire.settled, false)) unsettled_.push_back(number);
  }
  void settle(Wire& wire) {
    wire.settled = true;
    if (wire.active >= 2 || (wire.waited && std::popcount(wire.owned) != wire.active)) return share(wire);
    for (unsigned rest = wire.active != 0 ? wire.owned : 0; rest != 0; rest &= rest - 1)
      if (const auto [train, lane] = sender(wire, static_cast<unsigned>(std::countr_zero(rest))); train != nullptr) {
        const std::uint64_t shared = train->shared & lane;
        train->shared ^= shared;
        train->moved &= ~shared;
      }
  }
  /// The passes serve all that have flits left to send over it.
  void share(Wire& wire) {
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto which = static_cast<unsigned>(std::countr_zero(rest));
      const auto [train, lane] = sender(wire, which);
      if (train == nullptr || (train->shared & lane) != 0) continue;
      train->shared |= lane;
      if ((train->moved & lane) != 0) wire.turn = static_cast<std::uint8_t>(0xfeU << which);
    }
  }
  /// Whose a lane is and the bit that it is there, if there are flits left to send over it.
  [[nodiscard]] std::pair<Train*, std::uint64_t> sender(const Wire& wire, unsigned which) {
    const Lane& lane = lanes_[wire.lane + which];
    Train& train = trains_[lane.train];
    const unsigned number = lane.hop - unsigned{train.first_hop};
    if (number < train.low || number > train.top) return {nullptr, 0};
    return {&train, bit(number)};
  }

  std::vector<Lane> lanes_;  // as the wires have them
  std::vector<Train> trains_;
  std::vector<std::uint32_t> free_trains_, active_;  // `active_`: those that may move
  std::vector<std::uint32_t> todo_;                  // of these, those that there is more to than to count
  std::vector<std::uint32_t> unsettled_;             // wires of which it is to be seen who shares them
  std::vector<std::uint64_t> marks_, later_;         // bitmaps of the wires to be served in this pass, and in the next
  std::vector<std::uint32_t> paths_;                 // by train: its lanes, `stride_` of them
  std::uint32_t stride_ = 8;
  std::uint64_t full_[digits] = {};  // the digits of a full buffer
  Tick pass_ = 0, last_ = 0;
  std::uint32_t place_ = 0;  // 1 and the wire in the pass
  bool ended_ = false;
};

}  // namespace assay::network
