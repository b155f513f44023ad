// The flit engine where worms often get in each other's way: tick by tick, all flits of a worm at once.
//
// What is simulated is said in engine.hpp, and the times are the same. Plans for series of flits cost the more the more
// often they are made anew, and nothing by the flit; here a flit costs little, and not much more where others want its
// wire. All links have f = w = 1, r = 0 and, but for those into nodes, buffers of one size, and no sink
// holds its link back (`suits`).
//
// How. Of a worm that has lanes there is a word a property, a bit a lane (trains.hpp). Which lanes have a flit at hand
// and a place for it, which of these send, and what the buffers hold then are a few operations on whole words. A lane
// whose buffer is full sends if the one after it does (`tied`).
//
// Where several worms have flits to send over a wire, one of them sends. Of those with a place (`ready`) it is known
// before the tick's passes who is there when the passes come to the wire, so also who sends: no pass is needed. All
// of them are thought to send at first; those of a wire where others want to send as well lose it but for one
// (`contest`). Only where the contest hangs on what is sent elsewhere in the same tick are the passes gone through, by
// the rules of engine.hpp: where a tied lane would find the wire free, if the one after it sends early enough; and where
// a lane may be given back within the tick for which a message waits (`order`). Lanes that are free when the tick begins
// are given away before all that.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/circle.hpp"
#include "network/flit/trains.hpp"
#include "network/lane_engine.hpp"

namespace assay::network {

struct TickWorm : LaneMessage {
  std::uint32_t train = events::no_index;  // what it has in the network
  std::uint64_t head = 0;                  // crossed the last link
  bool more = false;                       // of its message is to be sent when its injection lane is free
};

/// A channel of a link, of which `lane` is the first lane. `turn`, `owned`: a bit a lane.
struct TickWire {
  std::uint64_t wanted = ~std::uint64_t{0};  // the last tick in which a lane wanted to send over it that shares it
  // Then: a bit for each lane that is ready, from `tied_at` on for each that is tied; from `late_at` on, in the passes,
  // for each that can perhaps send in a later pass only.
  std::uint32_t what = 0;
  static constexpr unsigned tied_at = 8, late_at = 8;
  static constexpr std::uint32_t ordered = 1U << 16, seen = 1U << 17, sent = 1U << 18;
  std::uint32_t lane = 0;
  std::uint8_t turn = 0, before = 0;    // those behind the lane that sent last, which go first; before this tick
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
      if (link.kind != LinkKind::ejection) trains_.buffer(link.buffer);
  }
  /// Whether it is exact there.
  static bool suits(const Fabric& fabric, const Switching& how) {
    const std::uint32_t buffer = fabric.links[fabric.injection(0)[0]].buffer;
    return how.sink_ticks == 1 && buffer != 0 && buffer <= Trains::most_stored &&
           std::ranges::all_of(
               fabric.links,
               [buffer](const Link& link) {
                 return link.flit == 1 && link.body == 1 && link.credit == 0 && link.lanes <= most_lanes &&
                        (link.kind == LinkKind::ejection ? link.buffer >= link.head : link.buffer == buffer);
               });
  }

  bool run(Tick end) { return !(ended_ = !Base::run(end)); }
  /// The last tick in which anything happened.
  [[nodiscard]] Tick now() const { return ended_ ? last_ : now_; }
  [[nodiscard]] std::size_t memory() const {
    return Base::common_memory() + lanes_.capacity() * sizeof(Lane) + trains_.memory() +
           (asked_.capacity() + pending_.capacity() + contested_.capacity() + again_.capacity() +
            followers_.capacity() + unsettled_.capacity()) *
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
              call(train == no_index ? no_index : trains_.rest(train).message);
            }
        });
    circle.report(outcome, [&](std::uint32_t i) { return Base::described(messages_[i]); });
  }

 private:
  using Base::fabric_, Base::links_, Base::how_, Base::table_, Base::queues_, Base::wires_, Base::messages_;
  using Base::free_, Base::parts_, Base::now_, Base::no_index;
  using Word = Trains::Word;
  using Four = Trains::Four;
  using Train = Trains::Train;
  enum Kind : unsigned { lane_free, flits_move };
  static constexpr unsigned most_lanes = 8;  // of a wire; a worm's path has its wires times that, and which lane it has
  struct Lane {
    std::uint32_t train = no_index;  // whose it is
    std::uint32_t wire = 0;
    std::uint16_t hop = 0, pass = 0;  // of the train; from which pass of this tick on it can send
  };
  static_assert(sizeof(Lane) == 12);
  [[nodiscard]] static constexpr Word bit(unsigned number) { return Trains::bit(number); }
  [[nodiscard]] static constexpr std::uint8_t behind(unsigned which) { return static_cast<std::uint8_t>(0xfeU << which); }
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
    if (kind != lane_free) return;
    const std::uint32_t wire = lanes_[number].wire;
    release(wire, number - wires_[wire].lane);
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> place(const Message& m) const {
    if (m.train == no_index) return {none, m.klass};
    return {Base::link_of(trains_.path(m.train, trains_.rest(m.train).top) / most_lanes), m.klass};
  }
  void queue_up(std::uint32_t index) {
    const Message& m = messages_[index];
    const First first = Base::first(m.want);
    Base::line_up(first.queue + m.klass, index);
    for (std::uint32_t wire = first.wire; wire < first.wire + first.channels; ++wire) {
      if (!std::exchange(wires_[wire].grants, true)) asked_.push_back(wire);
      wires_[wire].waited = true;
    }
  }
  void release(std::uint32_t number, unsigned which) {
    Wire& wire = wires_[number];
    Lane& lane = lanes_[wire.lane + which];
    const std::uint32_t train = std::exchange(lane.train, no_index), index = trains_.rest(train).message;
    last_ = std::max(last_, now_);
    wire.owned &= static_cast<std::uint8_t>(~(1U << which));
    if (wire.waited && waits(number, which) != no_index) {
      if (!std::exchange(wire.grants, true) && !in_passes_) asked_.push_back(number);
      if (in_passes_) put(number < place_ ? later_ : marks_, number);
    }
    if (const Message& m = messages_[index]; lane.hop == 0 && m.more)
      if (const auto packet = Base::next_packet(m.row, m.key); packet != no_index)
        Base::ask_at(packet, now_ + how_.packet_gap);
    if (--trains_.rest(train).lanes != 0 || messages_[index].live) return;
    free_.push_back(index);
    trains_.remove(train);
  }
  /// The last message in the line for this lane.
  [[nodiscard]] std::uint32_t waits(std::uint32_t number, unsigned which) const {
    const First first = Base::first(Base::link_of(number));
    return queues_[first.queue + first.of(which)].last;
  }

  // --- a tick
  void go_through_wires() {
    if (!Base::order_.empty()) last_ = std::max(last_, now_);
    give_free_lanes();
    more_ = trains_.prepare();
    foresee_lanes();
    want_wires();
    for (std::size_t i = 0; i < contests_; ++i) contest(contested_[i]);
    for (const std::uint32_t train : again_) Trains::find_moves(trains_[train]);
    cross();
    if (std::exchange(passes_, false)) go_through_passes();
    if (trains_.count()) last_ = std::max(last_, now_ + 1);
    for (const std::uint32_t train : again_) trains_[train][&Four::lost] = trains_[train][&Four::ordered] = 0;
    for (const std::uint32_t wire : unsettled_) settle(wires_[wire]);
    contests_ = 0;
    again_.clear();
    unsettled_.clear();
    if (more_) table_.put(now_, now_ + 1, flits_move, 0);
  }
  /// Heads and tails whose time in the tick does not count.
  void cross() {
    for (std::size_t i = 0; i < follows_; ++i) {
      const Train train = trains_[followers_[i]];
      for (Word all = train[&Four::moves] & train[&Four::tied] & train[&Four::shared]; all != 0;) {
        const unsigned at = Trains::first_of(all);
        const std::uint32_t way = trains_.path(followers_[i], at);
        wires_[way / most_lanes].turn = behind(way % most_lanes);
        all &= ~bit(at);
      }
    }
    for (std::size_t i = 0; i < trains_.heads.count; ++i) {
      const std::uint32_t number = trains_.heads.all[i];
      if (const Train train = trains_[number]; (train[&Four::moves] & train[&Four::fresh]) != 0)
        head_crosses(number, train);
    }
    for (std::size_t i = 0; i < trains_.tails.count; ++i) {
      const std::uint32_t number = trains_.tails.all[i];
      if (const Train train = trains_[number]; (train[&Four::moves] & train[&Four::tail]) != 0)
        tail_crosses(number, train);
    }
  }

  // --- lanes given away
  /// Those that are free when the tick begins. Where a class has several lanes, and another one might be given back
  /// within the tick, who gets which is for the passes.
  void give_free_lanes() {
    for (const std::uint32_t number : asked_) {
      if (!wires_[number].grants) continue;
      const std::uint32_t link = Base::link_of(number);
      const First first = Base::first(link);
      const std::uint32_t end = first.wire + first.channels;
      bool known = true;
      if (first.channels != 1 || links_[link].lanes != first.classes) [[unlikely]]
        for (std::uint32_t wire = first.wire; wire < end; ++wire)
          known &= std::popcount(wires_[wire].owned) == wires_[wire].active;
      for (std::uint32_t wire = first.wire; wire < end; ++wire)
        if (wires_[wire].grants) known ? give_lanes(wire, wires_[wire], first, false) : pending_.push_back(wire);
    }
    asked_.clear();
  }
  /// The free lanes of a wire to the first in their lines.
  void give_lanes(std::uint32_t number, Wire& wire, const First& first, bool in_passes) {
    const Link& link = links_[Base::link_of(number)];
    unsigned waiting = 0;  // the classes for which anybody does
    for (unsigned klass = 0; klass < first.classes; ++klass)
      waiting |= unsigned{!queues_[first.queue + klass].empty()} << klass;
    const unsigned free = ~unsigned{wire.owned} & ((1U << link.lanes) - 1);
    if (link.lanes == first.classes) [[likely]] {
      for (unsigned rest = free & waiting; rest != 0; rest &= rest - 1) {
        const auto which = static_cast<unsigned>(std::countr_zero(rest));
        grant(first.queue + which, link, number, which, in_passes);
        waiting ^= unsigned{queues_[first.queue + which].empty()} << which;
      }
    } else {
      for (unsigned rest = free; rest != 0; rest &= rest - 1) {
        const auto which = static_cast<unsigned>(std::countr_zero(rest));
        if (const std::uint32_t queue = first.queue + first.of(which); !queues_[queue].empty()) {
          grant(queue, link, number, which, in_passes);
          waiting ^= unsigned{queues_[queue].empty()} << first.of(which);
        }
      }
    }
    wire.grants = false;
    wire.waited = waiting != 0;
  }
  void grant(std::uint32_t queue, const Link& link, std::uint32_t number, unsigned which, bool in_passes) {
    const std::uint32_t index = Base::step_out(queue);
    Message& m = messages_[index];
    m.waiting = false;
    if (m.train == no_index)
      m.train = trains_.add(index, Base::length(m));
    else
      trains_.lengthen(m.train);
    Wire& wire = wires_[number];
    auto& rest = trains_.rest(m.train);
    Lane& lane = lanes_[wire.lane + which];
    lane.train = m.train;
    lane.hop = static_cast<std::uint16_t>(rest.first_hop + rest.top);
    trains_.path(m.train, rest.top) = number * most_lanes + which;
    ++rest.lanes;
    const Train train = trains_[m.train];
    const Word here = bit(rest.top);
    train[&Four::fresh] = here;
    train[&Four::out] = link.kind == LinkKind::ejection ? here : 0;
    train[&Four::shared] &= ~here;
    train[&Four::moved] &= ~here;
    wire.owned |= static_cast<std::uint8_t>(1U << which);
    if (++wire.active >= 2) share(wire);
    if (!in_passes) return;
    more_ = true;
    train[&Four::shared] |= here;
    train[&Four::lost] |= here;
    train[&Four::ordered] |= here;
    again_.push_back(m.train);
    serve(number * most_lanes + which, 0);
  }
  /// Lanes that may be given back within the tick, and for which a message waits: the order counts in which the tail
  /// that gives it back, the head that gets it, and what comes behind that head cross their wires.
  void foresee_lanes() {
    for (const std::uint32_t number : pending_) {
      order(number);
      put(marks_, number);
      const First first = Base::first(Base::link_of(number));
      for (unsigned klass = 0; klass < first.classes; ++klass) may_be_granted(number, queues_[first.queue + klass].last);
    }
    pending_.clear();
    for (std::size_t i = 0; i < trains_.tails.count; ++i) {
      const std::uint32_t train = trains_.tails.all[i];
      if (const unsigned low = trains_.rest(train).low; low != 0 && may_be_free(trains_.path(train, low - 1)))
        order(trains_.path(train, low) / most_lanes);
    }
  }
  /// Whether somebody waits for a lane that may be given back.
  bool may_be_free(std::uint32_t way) {
    const std::uint32_t number = way / most_lanes;
    if (!wires_[number].waited) return false;
    const std::uint32_t last = waits(number, way % most_lanes);
    if (last == no_index) return false;
    order(number);
    may_be_granted(number, last);
    return true;
  }
  /// A lane of this wire's link to the first in a line, or more.
  void may_be_granted(std::uint32_t number, std::uint32_t last) {
    if (last == no_index) return;
    const Link& link = link_of(number);
    const unsigned most = unsigned{link.lanes} * link.channels;
    std::uint32_t index = last;
    for (unsigned count = 0; count < most && (count == 0 || index != last); ++count) {
      index = messages_[index].next;
      if (const std::uint32_t train = messages_[index].train; train != no_index) may_go_on(train);
    }
  }
  void may_go_on(std::uint32_t number) {
    auto& rest = trains_.rest(number);
    if (std::exchange(rest.may_go_on, now_) == now_) return;
    const Train train = trains_[number];
    const Word more = Trains::chain(train[&Four::tied], bit(rest.top));
    train[&Four::moves] |= more;
    again_.push_back(number);
    trains_.share.put(number);
    if (rest.low > rest.top && train.stores_one(bit(rest.top)))
      may_be_free(trains_.path(number, rest.top));
    else if ((train[&Four::tail] & more) != 0)
      trains_.tails.put(number);
  }
  /// The passes say who sends over this wire in this tick.
  void order(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.wanted == now_ && (wire.what & Wire::ordered) != 0) return;
    share(wire);
    wire.wanted = now_;
    wire.what = Wire::ordered;
    wire.before = wire.turn;
    contested(number);
    unsettle(number, wire);
  }

  // --- who sends
  void contested(std::uint32_t wire) {
    if (contests_ == contested_.size()) contested_.resize(contests_ + contests_ / 8 + 64);
    contested_[contests_++] = wire;
  }
  /// Puts down at each wire which of the lanes that share it want to send; without branches, but for how many there
  /// are.
  void want_wires() {
    const Tick now = now_;
    std::size_t follows = 0;
    if (followers_.size() < trains_.share.count) followers_.resize(trains_.share.count);
    for (std::size_t i = 0; i < trains_.share.count; ++i) {
      const std::uint32_t number = trains_.share.all[i];
      const Train train = trains_[number];
      const Word tied = train[&Four::tied];
      Word all = train[&Four::shared] & train[&Four::moves];
      followers_[follows] = number;
      follows += (all & tied) != 0;
      if (contests_ + 64 > contested_.size()) contested_.resize(contests_ + contests_ / 8 + 64);
      for (; all != 0; all &= ~bit(Trains::first_of(all))) {
        const unsigned at = Trains::first_of(all);
        const std::uint32_t way = trains_.path(number, at);
        const unsigned which = way % most_lanes, waits = tied << at >> 63;
        Wire& wire = wires_[way / most_lanes];
        const bool first = wire.wanted != now;
        const std::uint8_t turn = wire.turn;
        const std::uint32_t what = (first ? 0 : wire.what) | 1U << (which + waits * Wire::tied_at);
        wire.wanted = now;
        wire.before = first ? turn : wire.before;
        wire.turn = waits != 0 ? turn : behind(which);
        wire.what = what;
        contested_[contests_] = way / most_lanes;
        contests_ += (what & (what - 1)) != 0;
      }
    }
    follows_ = follows;
  }
  [[nodiscard]] static unsigned first_in_turn(unsigned ready, unsigned turn) {
    const unsigned first = ready & turn;
    return static_cast<unsigned>(std::countr_zero(first != 0 ? first : ready));
  }
  /// Several lanes want to send over a wire.
  void contest(std::uint32_t number) {
    Wire& wire = wires_[number];
    if ((wire.what & Wire::seen) != 0) return;
    const unsigned ready = wire.what & 0xff, tied = wire.what >> Wire::tied_at & 0xff;
    bool ordered = (wire.what & Wire::ordered) != 0 || ready == 0;
    // The one after a tied lane sends in the passes' order: too late if the passes come here before.
    for (unsigned rest = ordered ? 0 : tied; rest != 0; rest &= rest - 1) {
      const Lane& lane = lanes_[wire.lane + static_cast<unsigned>(std::countr_zero(rest))];
      const unsigned next = lane.hop + 1U - trains_.rest(lane.train).first_hop;
      ordered |= next > trains_.rest(lane.train).top || trains_.path(lane.train, next) / most_lanes < number;
    }
    wire.what = wire.what | Wire::seen;
    unsigned others = ready | tied;
    if (ordered) {
      passes_ = true;
      wire.turn = wire.before;
      wire.what = Wire::ordered | Wire::seen;
    } else {
      const unsigned which = first_in_turn(ready, wire.before);
      wire.turn = behind(which);
      others ^= 1U << which;
    }
    for (; others != 0; others &= others - 1) {
      const Lane& lane = lanes_[wire.lane + static_cast<unsigned>(std::countr_zero(others))];
      const Train train = trains_[lane.train];
      const Word here = bit(lane.hop - unsigned{trains_.rest(lane.train).first_hop});
      train[&Four::lost] |= here;
      if (ordered) train[&Four::ordered] |= here;
      again_.push_back(lane.train);
    }
  }

  // --- passes
  void go_through_passes() {
    for (const std::uint32_t number : again_) {
      const Train train = trains_[number];
      const Word sends = train[&Four::ready] | (train[&Four::tied] & train[&Four::moves] << 1);
      for (Word all = train[&Four::ordered] & sends; all != 0; all &= ~bit(Trains::first_of(all)))
        serve_first(number, train, Trains::first_of(all));
    }
    in_passes_ = true;
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
    in_passes_ = false;
  }
  static void put(std::vector<std::uint64_t>& set, std::uint32_t wire) {
    set[wire / 64] |= std::uint64_t{1} << (wire % 64);
  }
  /// A lane that the passes are to serve, from the first one on if it has a place, or from when the one after it sends.
  void serve_first(std::uint32_t number, const Train& train, unsigned at) {
    const std::uint32_t way = trains_.path(number, at);
    Wire& wire = wires_[way / most_lanes];
    Lane& lane = lanes_[wire.lane + way % most_lanes];
    wire.what |= 1U << way % most_lanes;
    put(marks_, way / most_lanes);
    if ((train[&Four::ready] & bit(at)) != 0) return;
    unsigned from = at + 1;
    while ((train[&Four::ready] & train[&Four::moves] & bit(from)) == 0) ++from;
    lane.pass = 0;
    for (std::uint32_t after = trains_.path(number, from) / most_lanes; from-- > at;) {
      const std::uint32_t next = trains_.path(number, from) / most_lanes;
      lane.pass += next <= after;
      after = next;
    }
    if (lane.pass != 0) wire.what |= 1U << (way % most_lanes + Wire::late_at);
  }
  /// In a pass: from pass `pass` on.
  void serve(std::uint32_t way, std::uint64_t pass) {
    Wire& wire = wires_[way / most_lanes];
    if ((wire.what & Wire::sent) != 0) return;
    lanes_[wire.lane + way % most_lanes].pass = static_cast<std::uint16_t>(pass);
    wire.what |= 1U << way % most_lanes;
    if (pass != pass_) wire.what |= 1U << (way % most_lanes + Wire::late_at);
    put(pass == pass_ ? marks_ : later_, way / most_lanes);
  }
  void look(std::uint32_t number) {
    Wire& wire = wires_[number];
    if (wire.grants) give_lanes(number, wire, Base::first(Base::link_of(number)), true);
    if ((wire.what & Wire::sent) != 0) return;
    unsigned ready = wire.what & 0xff;
    for (unsigned late = wire.what >> Wire::late_at & 0xff; late != 0; late &= late - 1)
      if (lanes_[wire.lane + static_cast<unsigned>(std::countr_zero(late))].pass > pass_) {
        ready &= ~(late & -late);
        put(later_, number);
      }
    if (ready == 0) return;
    const unsigned which = first_in_turn(ready, wire.turn);
    wire.turn = behind(which);
    wire.what |= Wire::sent;
    const Lane& lane = lanes_[wire.lane + which];
    const std::uint32_t index = lane.train;
    const Train train = trains_[index];
    const Word here = bit(lane.hop - unsigned{trains_.rest(index).first_hop});
    train[&Four::moves] |= here;
    if (here == train[&Four::fresh]) head_crosses(index, train);
    if (here == train[&Four::low] && is_tail(index, train))
      tail_crosses(index, train);
    else
      let_go_on(index, train, here << 1, number);
  }
  /// The lane of bit `here` and those behind it, if their buffers were full: the one after has sent over wire `after`.
  void let_go_on(std::uint32_t index, const Train& train, Word here, std::uint32_t after) {
    for (std::uint64_t pass = pass_; (here & train[&Four::tied] & ~train[&Four::moves]) != 0; here <<= 1) {
      const std::uint32_t way = trains_.path(index, Trains::first_of(here)), wire = way / most_lanes;
      pass += wire <= after;
      if ((here & train[&Four::ordered]) != 0) return serve(way, pass);
      if ((here & train[&Four::lost]) != 0) return;
      train[&Four::moves] |= here;
      wires_[wire].turn = behind(way % most_lanes);
      if (here == train[&Four::low] && is_tail(index, train)) return tail_crosses(index, train);
      after = wire;
    }
  }
  /// Whether the next flit of the first lane that has flits left is its last.
  [[nodiscard]] bool is_tail(std::uint32_t number, const Train& train) const {
    const auto& rest = trains_.rest(number);
    if (rest.passed == now_) return false;
    return rest.low == 0 ? train[&Four::left] == 1 : train.stores_one(bit(rest.low - 1U));
  }

  // --- heads and tails
  void head_crosses(std::uint32_t number, const Train& train) {
    const auto& rest = trains_.rest(number);
    const Link& link = link_of(trains_.path(number, rest.top) / most_lanes);
    Message& m = messages_[rest.message];
    const Word out = train[&Four::out];
    train[&Four::fresh] = 0;
    m.entered = m.hops++ == 0 ? now_ : m.entered;
    if (out != 0)
      m.head = now_;
    else
      Base::ask_at(rest.message, m, now_ + link.head);
    last_ = std::max(last_, now_ + link.head);
  }
  void tail_crosses(std::uint32_t index, const Train& train) {
    auto& rest = trains_.rest(index);
    const unsigned low = rest.low++;
    const std::uint32_t way = trains_.path(index, low), number = way / most_lanes;
    Wire& wire = wires_[number];
    wire.turn = behind(way % most_lanes);
    if (--wire.active == 1) unsettle(number, wire);
    const bool out = train[&Four::out] == train[&Four::low];
    rest.passed = now_;
    train[&Four::tail] = 0;
    train[&Four::low] >>= 1;
    if (low == 0 && rest.first_hop == 0) {
      Message& m = messages_[rest.message];
      m.more = m.row != none && parts_[m.row].left != 0;
      if (!m.more) Base::left_source(m.key, now_ + 1);
    }
    if (out) {
      const Message& m = messages_[rest.message];
      const std::uint32_t flits = Base::length(m), head = link_of(number).head;
      const Tick left = std::max(m.head + head + (flits - 1), now_ + (flits == 1 ? head : 1));
      last_ = std::max(last_, left);
      table_.put(now_, left, lane_free, wire.lane + way % most_lanes);
      Base::arrived(rest.message, m.head, now_);
    }
    if (low != 0) {
      const std::uint32_t before = trains_.path(index, low - 1);
      release(before / most_lanes, before % most_lanes);
    }
  }

  // --- who shares a wire
  void unsettle(std::uint32_t number, Wire& wire) {
    if (std::exchange(wire.settled, false)) unsettled_.push_back(number);
  }
  /// Nobody does, if one message has flits left to send over it.
  void settle(Wire& wire) {
    wire.settled = true;
    if (wire.active != 1) return;
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1)
      if (const auto [number, lane] = sender(wire, static_cast<unsigned>(std::countr_zero(rest))); lane != 0) {
        const Train train = trains_[number];
        const Word shared = train[&Four::shared] & lane;
        train[&Four::shared] ^= shared;
        train[&Four::moved] &= ~shared;
      }
  }
  /// Each that has flits left to send over it is to see who else wants to.
  void share(Wire& wire) {
    for (unsigned rest = wire.owned; rest != 0; rest &= rest - 1) {
      const auto which = static_cast<unsigned>(std::countr_zero(rest));
      const auto [number, lane] = sender(wire, which);
      if (lane == 0) continue;
      const Train train = trains_[number];
      if ((train[&Four::shared] & lane) != 0) continue;
      train[&Four::shared] |= lane;
      trains_.share.put(number);
      if ((train[&Four::moved] & lane) != 0) wire.turn = behind(which);
    }
  }
  /// Whose a lane is and the bit that it is there, 0 if there are no flits left to send over it.
  [[nodiscard]] std::pair<std::uint32_t, Word> sender(const Wire& wire, unsigned which) {
    const Lane& lane = lanes_[wire.lane + which];
    const auto& rest = trains_.rest(lane.train);
    const unsigned number = lane.hop - unsigned{rest.first_hop};
    return {lane.train, number < rest.low || number > rest.top ? 0 : bit(number)};
  }

  Trains trains_;
  std::vector<Lane> lanes_;                       // as the wires have them
  std::vector<std::uint32_t> asked_, pending_;    // wires of which lanes may be given away; in the passes
  std::vector<std::uint32_t> contested_, again_;  // wires that several want; worms of which less sends than could
  std::vector<std::uint32_t> followers_;          // worms with tied lanes that want a wire
  std::vector<std::uint32_t> unsettled_;          // wires of which it is to be seen who shares them
  std::vector<std::uint64_t> marks_, later_;      // bitmaps of the wires to be served in this pass, and in the next
  std::size_t contests_ = 0, follows_ = 0;        // how many of `contested_` and `followers_` there are
  Tick pass_ = 0, last_ = 0;
  std::uint32_t place_ = 0;  // 1 and the wire in the pass
  bool more_ = false, passes_ = false, in_passes_ = false;  // something may move in the next tick; in this, in passes
  bool ended_ = false;
};

}  // namespace assay::network
