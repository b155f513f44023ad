// The worm engine for links that are all alike (one f, w, h, r and B, as in fabric.hpp) and whose buffers cover the way
// of a credit, on networks where a message has one way that leads to no deadlock.
//
// One event per head hop. With A(j) the cycle in which the head crosses column j of its path, A(H) = A(H-1) + h the
// sink's, and L flits, the tail crosses column i at
//   T(i) = max over j >= i with B (j-i) <= L-1 of A(j) + r (j-i) + f (L-1 - B (j-i))
// (train.hpp's closed form: T(i-1) + w is never later where h >= w and B f >= w + r), and link i is free again at
// R(i) = max(T(i+1) + r, T(i) + f), which is the later of T(i+1) + r and A(i) + f L. It is known when the head is
// granted the column (L-1)/B + 1 after it, or the last link; until then the crossings are kept. At the last link all
// that is left follows backwards, from T(i) = max(A(i) + f (L-1), T(i+1) + r - f B). (On a cube with B = 1 and L >= H
// all are known when the head reaches the sink, and none before: see rigid.hpp.)
//
// A channel is one word: the cycle from which it is free, possibly ahead of now, or `held` with the tail of the
// circular FIFO queue of messages that wait for it. When a release becomes known the first waiter is granted that cycle
// at once, ahead of time, since nothing can come before it; a link of several channels may only do so when no other
// release is unknown, and is woken at its earliest known release otherwise. Requests of one cycle are served in order
// of message. A message has its path from when it is let into the network; one that waits at its source is a few words.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "events/growing.hpp"
#include "network/worm/mutant.hpp"
#include "network/worm/pages.hpp"
#include "network/worm/queues.hpp"
#include "network/worm/short_clock.hpp"

namespace assay::network {

using events::no_index;

/// What is alike in all links, in cycles and flits; `sink`: a destination takes a flit every so many cycles, at most f.
struct LinkTimes {
  std::uint32_t flit = 1, body = 1, head = 1, credit = 0, buffer = 1, sink = 1;
};

/// While it waits at its source, ever longer beyond saturation, these words are all that there is of it.
struct AlikeMessage {
  std::uint32_t next = no_index;  // in the queue or bucket it stands in
  std::uint32_t key = 0;          // ties: the lower is served first
  std::uint32_t row = no_index;   // of its path, once it is in the network
  union {
    std::uint32_t destination = 0;
    std::uint32_t links;  // of its path, once it has one
  };
  std::uint32_t source = 0, flits = 0;  // no flits: not in use
  std::uint32_t born = 0;
  std::uint16_t column = 0;  // links crossed
  std::uint16_t reach = 0;   // columns after a link's until its release is known; many: more than any way has
};
static_assert(sizeof(AlikeMessage) == 32);

/// What the observer is given; `entered`: when the head crossed the injection link.
struct AlikeArrival {
  std::uint32_t key, source, flits, born, entered;
};

/// `Net` knows links by number: injection(node), word(link) and channels(link), of which those below singles() are one
/// word with their own number; open(link), which nobody ever waits for; route(source, destination, put), which calls
/// put(link) for each; times().
template <class Net, class Source, class Observer>
class AlikeEngine : public ShortClock {
 public:
  using Message = AlikeMessage;

  AlikeEngine(const Net& net, Source& source, Observer& observer, std::uint32_t span)
      : ShortClock(span, 1),
        net_(net),
        source_(source),
        observer_(observer),
        times_(net_.times()),
        singles_(net_.singles()),
        hold_(static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{times_.flit} * times_.buffer, held))),
        words_(net_.words()) {
    net_.several([this](std::uint32_t word, std::uint32_t channels) {
      words_[word + channels] = held_alone;
      several_ = true;
    });
    refresh(source_.next_cycle());
  }

  /// Runs all events before cycle `end`. False if nothing is left to happen.
  bool run(std::uint64_t end) {
    return run_cycles(
        end, [this] { return next_.count != 0; }, [this](std::uint32_t now) { cycle(now); }, [] {},
        [this](std::uint64_t time) { move_base(time); });
  }

  /// Messages generated so far.
  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return messages_.size() - free_.size(); }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * 4 + messages_.size() * sizeof(Message) + cells_.capacity() * sizeof(Cell) +
           slots_.capacity() + (free_.capacity() + free_rows_.capacity()) * 4 +
           (current_.room.capacity() + next_.room.capacity()) * sizeof(Entry) + granted_.capacity() * sizeof(Granted) +
           clock_memory() + net_.memory();
  }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  /// The cycle in which the tail crosses the last link.
  [[nodiscard]] std::uint64_t tail(const AlikeArrival& m, std::uint32_t head) const {
    return absolute(last_tail(m.flits, head));
  }
  /// The last cycle in which anything happened.
  [[nodiscard]] std::uint64_t now() const { return base_ + now_; }

 private:
  struct Cell {
    std::uint32_t link, time;  // of a path; when the head crosses it
  };
  struct Granted {
    std::uint32_t message, slot, time;
  };
  static constexpr std::uint32_t large = 4096;  // messages: beyond, moving them costs more than room
  using Entry = std::uint64_t;                  // a request: the message's key, then its place
  /// Requests of a cycle.
  struct Entries {
    std::vector<Entry> room = std::vector<Entry>(64);
    std::size_t count = 0;
    [[nodiscard]] Entry* begin() { return room.data(); }
    [[nodiscard]] Entry* end() { return room.data() + count; }
    [[gnu::always_inline]] void push(Entry one) {
      if (count == room.size()) [[unlikely]]
        grow();
      room[count++] = one;
    }
    [[gnu::noinline]] void grow() { room.resize(count + count / 4); }
  };

  // --- one cycle -----------------------------------------------------------------------------------------------------
  void cycle(std::uint32_t now) {
    now_ = now;
    std::swap(current_.room, next_.room);
    current_.count = std::exchange(next_.count, 0);
    if (rare_ <= now) [[unlikely]]
      wake(now);
    if (wheel_.head(now) != no_index) {
      const std::size_t before = current_.count;
      for (std::uint32_t index = wheel_.take(now); index != no_index; index = messages_[index].next)
        current_.push(entry(index));
      // A bucket gives back last what was put in first, which is mostly in order.
      std::reverse(current_.begin() + before, current_.end());
    }
    if constexpr (!Source::newest_last)
      while (arrival_ == now) current_.push(entry(create()));
    if (mutant != 2) put_in_order();
    for (const Entry one : current_) request(static_cast<std::uint32_t>(one), now);
    if constexpr (Source::newest_last)
      while (arrival_ == now) request(create(), now);
  }
  [[nodiscard]] Entry entry(std::uint32_t index) const { return std::uint64_t{messages_[index].key} << 32 | index; }
  /// By insertion while little is out of place.
  void put_in_order() {
    Entry* const all = current_.begin();
    std::size_t moves = 0;
    for (std::size_t i = 1; i < current_.count; ++i) {
      if (all[i - 1] < all[i]) [[likely]]
        continue;
      const Entry one = all[i];
      std::size_t at = i;
      for (; at > 0 && all[at - 1] > one; --at) all[at] = all[at - 1];
      all[at] = one;
      moves += i - at;
      if (moves > 8 * current_.count) return std::sort(current_.begin(), current_.end());
    }
  }
  [[gnu::always_inline]] void push(std::uint32_t index, const Message& m, std::uint32_t time) {
    if (time == now_ + 1)
      next_.push(std::uint64_t{m.key} << 32 | index);
    else
      put(time, index, messages_[index].next);
  }
  [[gnu::noinline]] void wake(std::uint32_t now) {
    take_rare(
        now, [&](std::uint32_t index) { wheel_.put(now, index, messages_[index].next); },
        [this](std::uint32_t link) {
          serve(link);
          settle_waiters();
        });
    refresh(source_.next_cycle());
  }

  // --- a message's life ----------------------------------------------------------------------------------------------
  [[gnu::noinline]] void grow() {
    const auto old = static_cast<std::uint32_t>(messages_.size());
    const std::uint32_t more = std::max(64u, old / (old < large ? 8 : 2));
    messages_.grow(old + more);
    free_.reserve(messages_.size());
    for (std::uint32_t i = more; i-- > 0;) free_.push_back(old + i);
  }
  std::uint32_t create() {
    if (free_.empty()) [[unlikely]]
      grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    const auto arrival = source_.take();
    Message& m = messages_[index];
    m.key = source_key();
    m.row = no_index;
    m.column = 0;
    const std::uint32_t reach = times_.buffer == 1 ? arrival.flits : (arrival.flits - 1) / times_.buffer + 1;
    m.reach = static_cast<std::uint16_t>(std::min(reach, 0xffffu));
    m.source = arrival.source;
    m.destination = arrival.destination;
    m.flits = arrival.flits;
    m.born = now_;
    ++created_;
    next_arrival(source_.next_cycle());
    return index;
  }
  std::uint32_t source_key() {
    if constexpr (Source::newest_last) {
      if (key_ == most_keys) limit_ = 0;
      return key_++;
    } else {
      return source_.last_key();
    }
  }
  /// Its path, from the injection link on.
  void enter(Message& m) {
    if (free_rows_.empty()) [[unlikely]]
      add_rows();
    m.row = free_rows_.back();
    free_rows_.pop_back();
    std::size_t links = 0, room = stride_;
    Cell* row = cells(m);
    net_.route(m.source, m.destination, [&](std::uint32_t link) {
      if (links == room) [[unlikely]] {
        lengthen_rows();
        room = stride_;
        row = cells(m);
      }
      row[links++].link = link;
    });
    m.links = static_cast<std::uint32_t>(links);
  }
  [[nodiscard]] Cell* cells(const Message& m) { return &cells_[m.row * stride_]; }
  [[gnu::noinline]] void add_rows() {
    const auto more = std::max<std::uint32_t>(16, rows_ / 8);
    resize_cells((rows_ + std::size_t{more}) * stride_);
    for (std::uint32_t i = more; i-- > 0;) free_rows_.push_back(rows_ + i);
    rows_ += more;
  }
  void resize_cells(std::size_t size) {
    cells_.reserve(size);
    cells_.resize(size);
    if (!several_) return;
    slots_.reserve(size);
    slots_.resize(size);
  }
  [[gnu::noinline]] void lengthen_rows() {
    const std::size_t before = stride_;
    stride_ += before / 4;
    resize_cells(rows_ * stride_);
    for (std::size_t row = rows_; row-- > 1;)  // each to where it will be, the last ones first
      for (std::size_t i = before; i-- > 0;) {
        cells_[row * stride_ + i] = cells_[row * before + i];
        if (several_) slots_[row * stride_ + i] = slots_[row * before + i];
      }
  }

  [[gnu::always_inline]] void request(std::uint32_t index, std::uint32_t now) {
    Message& m = messages_[index];
    const std::uint32_t link = m.row == no_index ? net_.injection(m.source) : cells(m)[m.column].link;
    std::uint32_t at = link;
    if (link >= singles_) {
      if (net_.channels(link) != 1) return request_of_several(index, m, link, now);
      at = net_.word(link);
    }
    std::uint32_t& word = words_[at];
    if (word >= held) [[unlikely]]
      return enqueue(word, index);
    const std::uint32_t granted = std::max(word, now);
    word = held_alone;
    pass(index, m, 0, granted);
    if (!granted_.empty()) settle_waiters();
  }
  [[gnu::noinline]] void request_of_several(std::uint32_t index, Message& m, std::uint32_t link, std::uint32_t now) {
    const ChannelWords words(&words_[net_.word(link)], net_.channels(link));
    const auto offer = words.offer(now);
    if (!offer.certain) {
      enqueue(words.queue(), index);
      if (offer.cycle < held) wake_at(offer.cycle, link);
      return;
    }
    words.take(offer.channel);
    pass(index, m, offer.channel, offer.cycle);
    if (!granted_.empty()) settle_waiters();
  }
  /// The head crosses the link that it wanted, by channel `slot`.
  [[gnu::always_inline]] void pass(std::uint32_t index, Message& m, std::uint32_t slot, std::uint32_t granted) {
    if (m.row == no_index) enter(m);
    Cell* const row = cells(m);
    crossed(m, row, slot, granted);
    if (m.column + 1u == m.links && net_.open(row[m.column].link)) {
      granted += times_.head;
      crossed(m, row, 0, granted);
    }
    if (m.column == m.links)
      deliver(index, m, granted);
    else
      push(index, m, granted + times_.head);
  }
  /// Keeps the crossing and settles the one link whose release it makes known.
  [[gnu::always_inline]] void crossed(Message& m, Cell* row, std::uint32_t slot, std::uint32_t granted) {
    const std::uint32_t column = m.column++;
    row[column].time = granted;
    if (several_) slots_[static_cast<std::size_t>(row - cells_.data()) + column] = static_cast<std::uint8_t>(slot);
    if (column >= m.reach) settle(m, row, column - m.reach, column);
  }
  /// Of two times, of which either may lie before the base (and wraps round).
  [[nodiscard]] static std::uint32_t later(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) >= 0 ? a : b;
  }
  /// Flits behind the head, in time.
  [[nodiscard]] std::uint32_t stream(std::uint32_t flits) const { return times_.flit * (flits - 1); }
  /// Column `i`, when those up to `last` are known.
  void settle(const Message& m, Cell* row, std::uint32_t i, std::uint32_t last) {
    std::uint32_t next_tail = row[last].time + stream(m.flits);
    for (std::uint32_t j = last; j-- > i + 1;) next_tail = tail_before(row[j].time + stream(m.flits), next_tail);
    release(row, i, free_after(m, row[i], next_tail));
  }
  /// T of a column whose A + f (L-1) is `own`, from T of the next one.
  [[nodiscard]] std::uint32_t tail_before(std::uint32_t own, std::uint32_t next_tail) const {
    return later(own, next_tail + times_.credit - hold_);
  }
  [[nodiscard]] std::uint32_t free_after(const Message& m, const Cell& cell, std::uint32_t next_tail) const {
    return later(next_tail + times_.credit, cell.time + stream(m.flits) + times_.flit);
  }
  [[nodiscard]] std::uint32_t last_tail(std::uint32_t flits, std::uint32_t head) const {
    const std::uint32_t own = head + stream(flits);
    return flits <= times_.buffer ? own : tail_before(own, own + times_.head);
  }

  /// The head crosses its last link, the ejection link, in cycle `head`: everything about its path is known now.
  [[gnu::noinline]] void deliver(std::uint32_t index, Message& m, std::uint32_t head) {
    Cell* const row = cells(m);
    const std::uint32_t hops = m.links, first = hops > m.reach ? hops - m.reach : 0;
    std::uint32_t tail = last_tail(m.flits, head);
    const std::uint32_t sunk = later(tail + times_.body, head + times_.head + times_.sink * (m.flits - 1));
    if (!net_.open(row[hops - 1].link)) release(row, hops - 1, later(sunk + times_.credit, tail + times_.flit));
    for (std::uint32_t i = hops - 1; i-- > first;) {
      release(row, i, free_after(m, row[i], tail));
      tail = tail_before(row[i].time + stream(m.flits), tail);
    }
    head_hops_ += hops;
    flit_hops_ += std::uint64_t{hops} * m.flits;
    observer_.delivered(*this, AlikeArrival{m.key, m.source, m.flits, m.born, row[0].time}, head, hops);
    free_rows_.push_back(m.row);
    m.flits = 0;
    free_.push_back(index);
  }
  [[gnu::always_inline]] void release(const Cell* row, std::uint32_t column, std::uint32_t free_at) {
    if (mutant == 1) ++free_at;
    std::uint32_t at = row[column].link;
    if (at >= singles_) {
      if (net_.channels(at) != 1) return release_of_several(row, column, free_at);
      at = net_.word(at);
    }
    if (words_[at] == held_alone) [[likely]]
      words_[at] = free_at;
    else
      granted_.push_back({dequeue(words_[at]), 0, free_at});
  }
  void release_of_several(const Cell* row, std::uint32_t column, std::uint32_t free_at) {
    const std::uint32_t link = row[column].link;
    const ChannelWords words(&words_[net_.word(link)], net_.channels(link));
    words.free(slots_[static_cast<std::size_t>(row - cells_.data()) + column], free_at);
    if (words.waited_for()) serve(link);
  }
  /// A link of several channels with waiters: grants what is certain, asks to be woken for what is not.
  [[gnu::noinline]] void serve(std::uint32_t link) {
    const ChannelWords words(&words_[net_.word(link)], net_.channels(link));
    words.serve(
        now_,
        [&](std::uint32_t channel, std::uint32_t cycle) {
          granted_.push_back({dequeue(words.queue()), channel, cycle});
        },
        [&](std::uint32_t cycle) { wake_at(cycle, link); });
  }
  /// The waiters that were granted while others' paths were walked: a work list instead of recursion.
  [[gnu::noinline]] void settle_waiters() {
    while (!granted_.empty()) {
      const Granted one = granted_.back();
      granted_.pop_back();
      pass(one.message, messages_[one.message], one.slot, one.time);
    }
  }

  void enqueue(std::uint32_t& queue, std::uint32_t index) {
    network::enqueue(queue, index, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  std::uint32_t dequeue(std::uint32_t& queue) {
    return network::dequeue(queue, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }

  [[gnu::noinline]] void move_base(std::uint64_t time) {
    const std::uint64_t shift = move_clock(time);
    const auto less = static_cast<std::uint32_t>(shift);  // times before the base wrap round
    for (auto& word : words_) word = moved(word, shift);
    for (auto& m : messages_) m.born -= less;
    for (auto& cell : cells_) cell.time -= less;
    if constexpr (Source::newest_last) {
      std::vector<std::uint32_t> live;
      for (std::uint32_t i = 0; i < messages_.size(); ++i)
        if (messages_[i].flits != 0) live.push_back(i);
      key_ = renumber(live, 1, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].key; });
      for (Entry& one : next_) one = entry(static_cast<std::uint32_t>(one));
    }
    observer_.moved_base(less);
    refresh(source_.next_cycle());
  }

  Net net_;
  Source& source_;
  Observer& observer_;
  const LinkTimes times_;
  const std::uint32_t singles_, hold_;  // hold_: f B
  Words words_;
  events::Growing<Message> messages_;
  std::vector<Cell> cells_;          // paths, a row each
  std::vector<std::uint8_t> slots_;  // the channels that they hold, where links have several
  std::vector<std::uint32_t> free_, free_rows_;
  Entries current_, next_;
  std::vector<Granted> granted_;
  std::size_t stride_ = 8;
  std::uint64_t head_hops_ = 0, flit_hops_ = 0, created_ = 0;
  std::uint32_t rows_ = 0, key_ = 0;
  bool several_ = false;
};

}  // namespace assay::network
