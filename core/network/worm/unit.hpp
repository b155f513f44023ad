// The worm engine for the unit rule: every channel passes a flit per cycle, credits cost nothing (f = w = h = 1, r =
// 0).
//
// One event per head hop. A message of L flits moves as a rigid train, so a channel's release follows from the cycles
// A(j) in which the head crossed the links after it: link i is free again at the maximum, over j from i+1 to H+1 with
// B (j-i-1) <= L-1, of A(j) + L-1 - B (j-i-1), with A(H+1) = A(H) + 1. A link's release is known when the head is
// granted the column q = (L-1)/B + 1 after it, or the sink; until then the crossings are kept. (With B = 1 and L >= H
// all are known when the head reaches the sink, and none before: see rigid.hpp.)
//
// A channel is one word: the cycle from which it is free, possibly ahead of now, or `held` with the tail of the
// circular FIFO queue of messages that wait for it. When a release becomes known the first waiter is granted that cycle
// at once, ahead of time, since nothing can come before it; a link of several channels may only do so when no other
// release is unknown, and is woken at its earliest known release otherwise. Requests of one cycle are served in order
// of message.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/worm/mutant.hpp"
#include "network/worm/pages.hpp"
#include "network/worm/queues.hpp"
#include "network/worm/short_clock.hpp"

namespace assay::network {

using events::no_index;

template <class Net>
struct UnitMessage {
  std::uint32_t next = no_index;  // in the queue or bucket it stands in
  std::uint32_t key = 0;          // ties: the lower is served first
  std::uint32_t want = 0;         // the link that it requests, or waits for
  typename Net::Place place{};
  std::uint32_t source = 0, destination = 0, flits = 0;
  std::uint32_t born = 0, entered = 0;  // generated; head crossed the injection link
  std::uint8_t slot_in = 0, slot_out = 0, column = 0, links = 0;
  bool live = false;
};

template <class Net, class Source, class Observer>
class UnitEngine : public ShortClock {
 public:
  using Message = UnitMessage<Net>;

  UnitEngine(const Net& net, Source& source, Observer& observer, std::uint32_t buffer, std::uint32_t span)
      : ShortClock(span, 1), net_(net), source_(source), observer_(observer), buffer_(buffer), words_(net.words()) {
    for (std::uint32_t node = 0; node < net.nodes(); ++node) {
      if (net.injection_channels() > 1) words_[net.injection(node) + net.injection_channels()] = held_alone;
      if (!net.open_sink() && net.ejection_channels() > 1)
        words_[net.ejection(node) + net.ejection_channels()] = held_alone;
    }
    refresh(source_.next_cycle());
  }

  /// Runs all events before cycle `end`. False if nothing is left to happen.
  bool run(std::uint64_t end) {
    return run_cycles(
        end, [this] { return waiting_next_ != 0; }, [this](std::uint32_t now) { cycle(now); }, [] {},
        [this](std::uint64_t time) { move_base(time); });
  }

  /// Messages generated so far.
  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return messages_.size() - free_.size(); }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * 4 + messages_.capacity() * sizeof(Message) + free_.capacity() * 4 +
           (current_.capacity() + next_.capacity() + bucket_.capacity() + merged_.capacity()) * 4 + clock_memory() +
           times_.capacity() * 4 + path_.capacity() * 4;
  }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  /// The cycle in which the tail crosses the last link: the train is rigid.
  [[nodiscard]] std::uint64_t tail(const Message& m, std::uint32_t head) const { return absolute(head) + m.flits - 1; }

 private:
  // --- one cycle -----------------------------------------------------------------------------------------------------
  void cycle(std::uint32_t now) {
    now_ = now;
    current_.swap(next_);
    std::uint32_t count = waiting_next_;
    waiting_next_ = 0;
    if (woken_) [[unlikely]]
      in_order(count);
    if (rare_ <= now) wake(now);
    if (wheel_.head(now) != no_index) count = merge(count, now);
    if constexpr (!Source::newest_last)
      if (arrival_ == now) count = arrive_among(count, now);
    for (std::uint32_t i = 0; i < count; ++i) request(current_[i], now);
    if constexpr (Source::newest_last)
      while (arrival_ == now) request_end(create(), now);
  }

  /// The bucket of this cycle, in order of message, into the list of this cycle.
  [[gnu::noinline]] std::uint32_t merge(std::uint32_t count, std::uint32_t now) {
    const auto before = [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; };
    std::uint32_t index = wheel_.take(now);
    if (messages_[index].next == no_index || mutant == 2) {
      for (; index != no_index; index = messages_[index].next) count = insert(current_, count, index);
      return count;
    }
    bucket_.clear();
    for (; index != no_index; index = messages_[index].next) bucket_.push_back(index);
    if (bucket_.size() < 8) {
      for (const auto one : bucket_) count = insert(current_, count, one);
      return count;
    }
    std::sort(bucket_.begin(), bucket_.end(), before);
    merged_.resize(current_.size());
    std::merge(current_.begin(), current_.begin() + count, bucket_.begin(), bucket_.end(), merged_.begin(), before);
    std::swap(current_, merged_);
    return count + static_cast<std::uint32_t>(bucket_.size());
  }
  std::uint32_t insert(std::vector<std::uint32_t>& list, std::uint32_t count, std::uint32_t index) {
    std::uint32_t at = count;
    const std::uint32_t key = messages_[index].key;
    if (mutant != 2)
      for (; at > 0 && messages_[list[at - 1]].key > key; --at) list[at] = list[at - 1];
    list[at] = index;
    return count + 1;
  }
  [[gnu::always_inline]] void push(std::uint32_t index, std::uint32_t time) {
    if (time == now_ + 1)
      waiting_next_ = insert(next_, waiting_next_, index);
    else
      put(time, index, messages_[index].next);
  }
  [[gnu::noinline]] void wake(std::uint32_t now) {
    const bool woken = take_rare(
        now, [&](std::uint32_t index) { wheel_.put(now, index, messages_[index].next); },
        [this](std::uint32_t link) {
          serve(link, channels_of(link));
          settle_waiters();
        });
    woken_ = woken && mutant != 2;
    refresh(source_.next_cycle());
  }
  /// Waiters that were woken went on before the requests of their cycle, so the list that they began has no order yet.
  [[gnu::noinline]] void in_order(std::uint32_t count) {
    woken_ = false;
    std::sort(current_.begin(), current_.begin() + count,
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
  }

  // --- a message's life ----------------------------------------------------------------------------------------------
  [[gnu::noinline]] void grow() {
    const auto old = static_cast<std::uint32_t>(messages_.size());
    const std::uint32_t more = std::max(64u, old / 4);
    messages_.resize(old + more);
    times_.resize(messages_.size() * net_.longest());
    path_.resize(messages_.size() * net_.longest());
    current_.resize(messages_.size() + 1);
    next_.resize(messages_.size() + 1);
    free_.reserve(messages_.size());
    for (std::uint32_t i = more; i-- > 0;) free_.push_back(old + i);
  }
  [[gnu::always_inline]] std::uint32_t create() {
    if (free_.empty()) [[unlikely]]
      grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    const auto arrival = source_.take();
    Message& m = messages_[index];
    m.key = source_key();
    m.place = net_.begin(arrival.source, arrival.destination);
    m.source = arrival.source;
    m.destination = arrival.destination;
    m.flits = arrival.flits;
    m.born = now_;
    m.column = 0;
    m.links = 2;  // injection and ejection
    m.live = true;
    ++created_;
    m.want = net_.injection(arrival.source);
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
  std::uint32_t arrive_among(std::uint32_t count, std::uint32_t now) {
    while (arrival_ == now) {
      const std::uint32_t index = create();
      count = insert(current_, count, index);
    }
    return count;
  }

  [[gnu::always_inline]] void request(std::uint32_t index, std::uint32_t now) {
    Message& m = messages_[index];
    if (m.want >= net_.network_words()) return request_end(index, now);
    const std::uint32_t word = words_[m.want];
    if (word < held) [[likely]] {
      words_[m.want] = held_alone;
      pass(index, m, std::max(word, now));
      settle_waiters();
    } else {
      enqueue(m.want, index);
    }
  }
  /// Channels of an injection or ejection link.
  [[nodiscard]] std::uint32_t channels_of(std::uint32_t link) const {
    return net_.is_injection(link) ? net_.injection_channels() : net_.ejection_channels();
  }
  /// An injection or ejection link, of one channel or of several.
  [[gnu::noinline]] void request_end(std::uint32_t index, std::uint32_t now) {
    Message& m = messages_[index];
    const std::uint32_t channels = channels_of(m.want);
    std::uint32_t granted = 0, slot = 0;
    if (channels == 1) {
      if (words_[m.want] >= held) return enqueue(m.want, index);
      granted = std::max(words_[m.want], now);
    } else {
      const auto offer = ChannelWords(&words_[m.want], channels).offer(now);
      if (!offer.certain) {
        enqueue(m.want + channels, index);
        if (offer.cycle < held) wake_at(offer.cycle, m.want);
        return;
      }
      slot = offer.channel;
      granted = offer.cycle;
    }
    words_[m.want + slot] = held_alone;
    end_granted(index, slot, granted);
    settle_waiters();
  }
  [[gnu::noinline]] void end_granted(std::uint32_t index, std::uint32_t slot, std::uint32_t granted) {
    Message& m = messages_[index];
    if (net_.is_injection(m.want)) {
      m.slot_in = static_cast<std::uint8_t>(slot);
      m.entered = granted;
      crossed(index, m, granted);
      onward(index, m, granted);
    } else {
      m.slot_out = static_cast<std::uint8_t>(slot);
      crossed(index, m, granted);
      deliver(index, m, granted);
    }
  }
  /// The head crosses the network link that it wanted.
  [[gnu::always_inline]] void pass(std::uint32_t index, Message& m, std::uint32_t granted) {
    crossed(index, m, granted);
    onward(index, m, granted);
  }
  [[gnu::always_inline]] void onward(std::uint32_t index, Message& m, std::uint32_t granted) {
    if (m.place.rest != 0) {
      m.want = net_.step(m.place);
      ++m.links;
      push(index, granted + 1);
    } else if (net_.open_sink()) {
      m.want = net_.ejection(m.destination);
      crossed(index, m, granted + 1);
      deliver(index, m, granted + 1);
    } else {
      m.want = net_.ejection(m.destination);
      push(index, granted + 1);
    }
  }
  /// Keeps the crossing and settles the one link whose release it makes known.
  [[gnu::always_inline]] void crossed(std::uint32_t index, Message& m, std::uint32_t granted) {
    const std::uint32_t row = index * net_.longest(), column = m.column++;
    times_[row + column] = granted;
    path_[row + column] = m.want;
    const std::uint32_t reach = (m.flits - 1) / buffer_ + 1;
    if (column >= reach) settle(m, row, column - reach, column);
  }
  /// Link `i` of the path (from 0), with the crossings of columns up to `last` known.
  void settle(const Message& m, std::uint32_t row, std::uint32_t i, std::uint32_t last) {
    std::uint32_t free_at = 0;
    const std::uint32_t most = m.flits - 1;
    for (std::uint32_t j = i + 1; j <= last && buffer_ * (j - i - 1) <= most; ++j)
      free_at = std::max(free_at, times_[row + j] + most - buffer_ * (j - i - 1));
    release(path_[row + i], m, free_at);
  }

  /// The head crosses its last link, the ejection link, in cycle `head`: everything about its path is known now.
  [[gnu::noinline]] void deliver(std::uint32_t index, Message& m, std::uint32_t head) {
    const std::uint32_t hops = m.links, row = index * net_.longest(), reach = (m.flits - 1) / buffer_ + 1;
    for (std::uint32_t i = hops > reach ? hops - reach : 0; i < hops; ++i) {
      std::uint32_t free_at = 0;
      const std::uint32_t most = m.flits - 1;
      for (std::uint32_t j = i + 1; j <= hops && buffer_ * (j - i - 1) <= most; ++j)
        free_at = std::max(free_at, (j == hops ? head + 1 : times_[row + j]) + most - buffer_ * (j - i - 1));
      release(path_[row + i], m, free_at);
    }
    head_hops_ += hops;
    flit_hops_ += std::uint64_t{hops} * m.flits;
    observer_.delivered(*this, m, head, hops);
    m.live = false;
    free_.push_back(index);
    if (!granted_.empty() && !settling_) settle_waiters();
  }
  [[gnu::always_inline]] void release_single(std::uint32_t link, std::uint32_t free_at) {
    if constexpr (mutant == 1) ++free_at;
    if (words_[link] == held_alone) [[likely]]
      words_[link] = free_at;
    else
      granted_.push_back({link, 0, free_at, dequeue(link)});
  }
  void release(std::uint32_t link, const Message& m, std::uint32_t free_at) {
    if (link < net_.network_words()) return release_single(link, free_at);
    const bool in = net_.is_injection(link);
    if (!in && net_.open_sink()) return;
    const std::uint32_t channels = channels_of(link);
    if (channels == 1) return release_single(link, free_at);
    words_[link + (in ? m.slot_in : m.slot_out)] = free_at + (mutant == 1 ? 1 : 0);
    if (words_[link + channels] != held_alone) serve(link, channels);
  }
  /// A link of several channels with waiters: grants what is certain, asks to be woken for what is not.
  [[gnu::noinline]] void serve(std::uint32_t link, std::uint32_t channels) {
    const ChannelWords words(&words_[link], channels);
    while (words.waited_for()) {
      const auto offer = words.offer(now_);
      if (!offer.certain) {
        if (offer.cycle < held) wake_at(offer.cycle, link);
        return;
      }
      words.take(offer.channel);
      granted_.push_back({link, offer.channel, offer.cycle, dequeue(link + channels)});
    }
  }
  /// The waiters that were granted while others' paths were walked: a work list instead of recursion.
  [[gnu::noinline]] void settle_waiters() {
    if (settling_ || granted_.empty()) return;
    settling_ = true;
    while (!granted_.empty()) {
      const Granted one = granted_.back();
      granted_.pop_back();
      if (one.link < net_.network_words())
        pass(one.message, messages_[one.message], one.time);
      else
        end_granted(one.message, one.slot, one.time);
    }
    settling_ = false;
  }

  void enqueue(std::uint32_t word, std::uint32_t index) {
    network::enqueue(words_[word], index, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  std::uint32_t dequeue(std::uint32_t word) {
    return network::dequeue(words_[word], [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }

  [[gnu::noinline]] void move_base(std::uint64_t time) {
    const std::uint64_t shift = move_clock(time);
    const auto less = static_cast<std::uint32_t>(shift);  // times before the base wrap round
    for (auto& word : words_) word = moved(word, shift);
    for (auto& m : messages_) {
      m.born -= less;
      m.entered -= less;
    }
    for (auto& crossing : times_) crossing -= less;
    if constexpr (Source::newest_last) {
      std::vector<std::uint32_t> live;
      for (std::uint32_t i = 0; i < messages_.size(); ++i)
        if (messages_[i].live) live.push_back(i);
      key_ = renumber(live, 1, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].key; });
    }
    observer_.moved_base(less);
    refresh(source_.next_cycle());
  }

  struct Granted {
    std::uint32_t link, slot, time, message;
  };
  const Net net_;
  Source& source_;
  Observer& observer_;
  std::uint32_t buffer_;
  Words words_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_, current_, next_, bucket_, merged_, times_, path_;
  std::vector<Granted> granted_;
  std::uint64_t head_hops_ = 0, flit_hops_ = 0, created_ = 0;
  std::uint32_t waiting_next_ = 0, key_ = 0;
  bool settling_ = false, woken_ = false;
};

}  // namespace assay::network
