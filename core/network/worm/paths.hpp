// The worm engine of alike.hpp for networks whose links may all have several channels, with the path of each message
// written down: what a processor network joined with an I/O network needs. Rigid trains only: B = 1 and no message
// shorter than its path, so every release is known when the head reaches the sink.
//
// A link is a word if it has one channel, else a word per channel and one more for the queue (see alike.hpp for the
// encoding). The model says where messages come from and what follows when one arrives:
//   next_cycle(), first(message)            the next message that follows from no other
//   delivered(engine, message, head)        may call engine.follow(message, cycle) to send another
//   waits(message), serve(message, cycle)   whether such a one waits when its cycle has come, and until when it does
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "network/worm/alike.hpp"

namespace assay::network {

struct LinkWords {
  std::uint32_t first;
  std::uint16_t channels;
};

/// Links put one behind the other into words.
class LinkTable {
 public:
  std::uint32_t add(std::uint32_t channels) {
    links_.push_back({words_, static_cast<std::uint16_t>(channels)});
    words_ += channels == 1 ? 1 : channels + 1;
    return static_cast<std::uint32_t>(links_.size() - 1);
  }
  [[nodiscard]] const LinkWords& operator[](std::uint32_t link) const { return links_[link]; }
  [[nodiscard]] std::uint32_t words() const { return words_; }
  /// Those added so far have one channel each, so that their numbers are their words, and neither begin nor end a path.
  void end_inner() { inner_ = words_; }
  [[nodiscard]] std::uint32_t inner() const { return inner_; }
  [[nodiscard]] const std::vector<LinkWords>& all() const { return links_; }

 private:
  std::vector<LinkWords> links_;
  std::uint32_t words_ = 0, inner_ = 0;
};

template <class Tag>
struct PathMessage {
  static constexpr std::size_t longest = 24;
  std::uint32_t next = no_index, key = 0;
  std::uint32_t born = 0, entered = 0, flits = 0;
  std::uint8_t at = 0, hops = 0;  // links crossed; of the path
  Tag tag{};                      // the model's own
  std::array<std::uint8_t, longest> channel;
  std::array<std::uint16_t, longest> path;
};

template <class Model>
class PathEngine : public ShortClock {
 public:
  using Message = PathMessage<typename Model::Tag>;
  PathEngine(const LinkTable& links, Model& model, std::uint32_t span)
      : ShortClock(span, 1), links_(links), model_(model), words_(links.words(), 0), inner_(links.inner()) {
    for (const auto& link : links.all())
      if (link.channels > 1) words_[link.first + link.channels] = held_alone;
    refresh(model_.next_cycle());
  }

  bool run(std::uint64_t end) {
    return run_cycles(
        end, [this] { return !next_.empty(); }, [this](std::uint32_t now) { cycle(now); }, [] {},
        [this](std::uint64_t time) { move_base(time); });
  }
  /// Sends a message in an absolute cycle after now: another stage of the one that arrived, whose key and tag it takes
  /// over.
  void follow(const Message& message, std::uint64_t cycle) {
    const std::uint32_t index = slot();
    messages_[index] = message;
    messages_[index].at = 0;
    distant_.push(cycle, index);
    rare_ = std::min(rare_, cycle - base_);
  }

  [[nodiscard]] std::uint64_t now() const { return base_ + now_; }
  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return messages_.size() - free_.size(); }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * 4 + messages_.capacity() * sizeof(Message) + free_.capacity() * 4 + clock_memory() +
           (current_.capacity() + next_.capacity()) * 4;
  }

 private:
  /// The cycle of the next event of all: never later than anything that may come.
  [[nodiscard]] std::uint64_t next_time() const { return next_.empty() ? next_event() : now_ + std::uint64_t{1}; }
  void cycle(std::uint32_t now) {
    now_ = now;
    std::swap(current_, next_);
    next_.clear();
    if (woken_) [[unlikely]]
      in_order();
    if (rare_ <= now) rare(now);
    if (wheel_.head(now) != no_index)
      for (std::uint32_t index = wheel_.take(now); index != no_index; index = messages_[index].next) insert(index);
    std::uint32_t last = no_index;
    for (const auto index : current_) {
      if (last != no_index) advance(last, now, 0);
      last = index;
    }
    while (arrival_ == now) {
      if (last != no_index) advance(last, now, 0);
      last = slot();
      Message& m = messages_[last];
      m.key = key_;
      if ((key_ += 4) >= most_keys) limit_ = 0;
      m.born = now;
      m.at = 0;
      model_.first(m);
      ++created_;
      next_arrival(model_.next_cycle());
    }
    if (last != no_index) advance(last, now, limit_ == 0 ? 0 : std::min(stop_, next_time()));
  }
  void insert(std::uint32_t index) {
    current_.push_back(index);
    const std::uint32_t key = messages_[index].key;
    for (std::size_t at = current_.size() - 1; at > 0 && messages_[current_[at - 1]].key > key; --at)
      std::swap(current_[at], current_[at - 1]);
  }
  void rare(std::uint32_t now) {
    woken_ = take_rare(
        now,
        [&](std::uint32_t index) {
          Message& m = messages_[index];
          if (m.at == 0 && model_.waits(m)) [[unlikely]] {
            waiting_.push_back(index);
            return;
          }
          if (m.at == 0) {
            m.born = now;
            ++created_;
          }
          insert(index);
        },
        [this](std::uint32_t link) {
          serve(links_[link]);
          settle_waiters();
        });
    if (!waiting_.empty()) [[unlikely]]
      serve_waiting();
    refresh(model_.next_cycle());
  }
  [[gnu::noinline]] void serve_waiting() {
    std::sort(waiting_.begin(), waiting_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
    for (const std::uint32_t index : waiting_) distant_.push(model_.serve(messages_[index], now()), index);
    waiting_.clear();
  }
  /// Waiters that were woken went on before the requests of their cycle, so the list that they began has no order yet.
  [[gnu::noinline]] void in_order() {
    woken_ = false;
    std::sort(current_.begin(), current_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
  }
  std::uint32_t slot() {
    if (free_.empty()) {
      messages_.emplace_back();
      return static_cast<std::uint32_t>(messages_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void push(std::uint32_t index, std::uint32_t time) {
    if (time == now_ + 1)
      next_.push_back(index);
    else
      put(time, index, messages_[index].next);
  }

  /// A head asks for its next link, and for those after it while it is provably the next event of all: before
  /// `horizon`. So a message that meets nobody crosses the network without the queue of events.
  [[gnu::always_inline]] void advance(std::uint32_t index, std::uint32_t now, std::uint64_t horizon) {
    Message& m = messages_[index];
    const auto wait = [&](std::uint32_t word, std::uint32_t at) {
      m.at = static_cast<std::uint8_t>(at);
      enqueue(word, index);
    };
    for (std::uint32_t at = m.at;;) {
      const std::uint32_t number = m.path[at];
      std::uint32_t granted = now;
      if (number < inner_) [[likely]] {
        if (words_[number] >= held) return wait(number, at);
        granted = std::max(words_[number], now);
        words_[number] = held_alone;
        ++at;
      } else {
        const LinkWords link = links_[number];
        std::uint32_t* const channel = &words_[link.first];
        std::uint32_t slot = 0;
        if (link.channels == 1) {
          if (*channel >= held) return wait(link.first, at);
          granted = std::max(*channel, now);
        } else {
          const auto offer = ChannelWords(channel, link.channels).offer(now);
          if (!offer.certain) {
            wait(link.first + link.channels, at);
            if (offer.cycle < held) wake_at(offer.cycle, number);
            return;
          }
          slot = offer.channel;
          granted = offer.cycle;
        }
        channel[slot] = held_alone;
        m.channel[at] = static_cast<std::uint8_t>(slot);
        if (at == 0) m.entered = granted;
        if (++at == m.hops) return deliver(index, granted);
      }
      now = granted + 1;
      if (now >= horizon) {
        m.at = static_cast<std::uint8_t>(at);
        return push(index, now);
      }
      now_ = now;
    }
  }
  void pass(std::uint32_t index, std::uint32_t slot, std::uint32_t granted) {
    Message& m = messages_[index];
    m.channel[m.at] = static_cast<std::uint8_t>(slot);
    if (m.at == 0) m.entered = granted;
    if (++m.at < m.hops) return push(index, granted + 1);
    deliver(index, granted);
  }
  void deliver(std::uint32_t index, std::uint32_t head) {
    Message& m = messages_[index];
    std::uint32_t free_at = head + m.flits - m.hops + (mutant == 1 ? 1 : 0);
    for (std::uint32_t i = 0, hops = m.hops;;) {
      const std::uint32_t number = m.path[i];
      ++free_at;
      if (number < inner_) [[likely]] {
        release(number, free_at);
        ++i;
        continue;
      }
      const LinkWords link = links_[number];
      if (link.channels == 1) {
        release(link.first, free_at);
      } else {
        words_[link.first + m.channel[i]] = free_at;
        if (words_[link.first + link.channels] != held_alone) serve(link);
      }
      if (++i == hops) break;
    }
    head_hops_ += m.hops;
    flit_hops_ += std::uint64_t{m.hops} * m.flits;
    model_.delivered(*this, m, head);
    free_.push_back(index);
    if (!granted_.empty()) settle_waiters();
  }
  [[gnu::always_inline]] void release(std::uint32_t word, std::uint32_t free_at) {
    if (words_[word] == held_alone) [[likely]]
      words_[word] = free_at;
    else
      granted_.push_back({dequeue(word), 0, free_at});
  }
  [[gnu::noinline]] void serve(const LinkWords& link) {
    const ChannelWords words(&words_[link.first], link.channels);
    words.serve(
        now_,
        [&](std::uint32_t channel, std::uint32_t cycle) {
          granted_.push_back({dequeue(link.first + link.channels), channel, cycle});
        },
        [&](std::uint32_t cycle) {
          const Message& waiter = messages_[words.queue() & ~held];
          wake_at(cycle, waiter.path[waiter.at]);
        });
  }
  [[gnu::noinline]] void settle_waiters() {
    if (settling_) return;
    settling_ = true;
    while (!granted_.empty()) {
      const Granted one = granted_.back();
      granted_.pop_back();
      pass(one.message, one.slot, one.time);
    }
    settling_ = false;
  }
  void enqueue(std::uint32_t word, std::uint32_t index) {
    network::enqueue(words_[word], index, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  std::uint32_t dequeue(std::uint32_t word) {
    return network::dequeue(words_[word], [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].next; });
  }
  /// Keys are numbered again in steps of 4: a transaction's stages share a multiple of 4.
  void move_base(std::uint64_t time) {
    const std::uint64_t shift = move_clock(time);
    const auto less = static_cast<std::uint32_t>(shift);  // times before the base wrap round
    for (auto& word : words_) word = moved(word, shift);
    for (auto& m : messages_) {
      m.born -= less;
      m.entered -= less;
    }
    std::vector<std::uint8_t> gone(messages_.size(), 0);
    for (const auto index : free_) gone[index] = 1;
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (!gone[i]) live.push_back(i);
    key_ = renumber(live, 4, [this](std::uint32_t i) -> std::uint32_t& { return messages_[i].key; });
    model_.moved_base(less);
    refresh(model_.next_cycle());
  }

  struct Granted {
    std::uint32_t message, slot, time;
  };
  const LinkTable& links_;
  Model& model_;
  std::vector<std::uint32_t> words_;
  const std::uint32_t inner_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_, current_, next_, waiting_;
  std::vector<Granted> granted_;
  std::uint64_t head_hops_ = 0, flit_hops_ = 0, created_ = 0;
  std::uint32_t key_ = 0;
  bool settling_ = false, woken_ = false;
};

}  // namespace assay::network
