// The worm engine of unit.hpp for networks whose links may all have several channels, with the path of each message
// written down: what a processor network joined with an I/O network needs. Rigid trains only: B = 1 and no message
// shorter than its path, so every release is known when the head reaches the sink.
//
// A link is a word if it has one channel, else a word a channel and one more for the queue (see unit.hpp for the
// encoding). The model says where messages come from and what follows when one arrives:
//   next_cycle(), first(message)            the next message that comes of itself
//   delivered(engine, message, head)        may call engine.follow(message, cycle) to send another
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "network/worm/unit.hpp"

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
  std::uint32_t next = nobody, key = 0;
  std::uint32_t born = 0, entered = 0, flits = 0;
  std::uint8_t at = 0, hops = 0;  // links crossed; of the path
  Tag tag{};                      // the model's own
  std::array<std::uint8_t, longest> channel;
  std::array<std::uint16_t, longest> path;
};

template <class Model>
class PathEngine {
 public:
  using Message = PathMessage<typename Model::Tag>;
  PathEngine(const LinkTable& links, Model& model, std::uint32_t span)
      : links_(links), model_(model), wheel_(span), words_(links.words(), 0), inner_(links.inner()) {
    for (const auto& link : links.all())
      if (link.channels > 1) words_[link.first + link.channels] = held_alone;
    refresh();
  }

  bool run(std::uint64_t end) {
    for (;;) {
      stop_ = end == ~std::uint64_t{0} ? limit_ : std::min(limit_, end - base_);
      std::uint64_t time = next_time();
      for (; time < stop_ && limit_ != 0; time = next_time()) cycle(static_cast<std::uint32_t>(time));
      if (time == ~std::uint64_t{0}) return false;
      if (base_ + time >= end) return true;
      move_base(time);
    }
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

  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return messages_.size() - free_.size(); }
  [[nodiscard]] std::uint32_t relative(std::uint64_t cycle) const { return static_cast<std::uint32_t>(cycle - base_); }
  [[nodiscard]] std::uint64_t absolute(std::uint32_t time) const {
    return base_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(time - now_)) + now_);
  }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * 4 + messages_.capacity() * sizeof(Message) + free_.capacity() * 4 + wheel_.memory() +
           (current_.capacity() + next_.capacity()) * 4 + distant_.heap.capacity() * sizeof(events::Distant::Event);
  }

 private:
  void refresh() {
    const auto relative = [this](std::uint64_t cycle) { return cycle == ~std::uint64_t{0} ? cycle : cycle - base_; };
    arrival_ = relative(model_.next_cycle());
    rare_ = std::min(relative(distant_.first()), relative(wakes_.first()));
  }
  /// The cycle of the next event of all: never later than anything that may come.
  [[nodiscard]] std::uint64_t next_time() const {
    if (!next_.empty()) return now_ + std::uint64_t{1};
    const std::uint32_t near = wheel_.after(now_);
    return std::min({near == nobody ? ~std::uint64_t{0} : near, arrival_, rare_});
  }
  void cycle(std::uint32_t now) {
    now_ = now;
    std::swap(current_, next_);
    next_.clear();
    if (woken_) [[unlikely]]
      in_order();
    if (rare_ <= now) rare(now);
    if (wheel_.head(now) != nobody)
      for (std::uint32_t index = wheel_.take(now); index != nobody; index = messages_[index].next) insert(index);
    std::uint32_t last = nobody;
    for (const auto index : current_) {
      if (last != nobody) advance(last, now, 0);
      last = index;
    }
    while (arrival_ == now) {
      if (last != nobody) advance(last, now, 0);
      last = slot();
      Message& m = messages_[last];
      m.key = key_;
      if ((key_ += 4) >= most_keys) limit_ = 0;
      m.born = now;
      m.at = 0;
      model_.first(m);
      ++created_;
      arrival_ = model_.next_cycle() - base_;
    }
    if (last != nobody) advance(last, now, limit_ == 0 ? 0 : std::min(stop_, next_time()));
  }
  void insert(std::uint32_t index) {
    current_.push_back(index);
    const std::uint32_t key = messages_[index].key;
    for (std::size_t at = current_.size() - 1; at > 0 && messages_[current_[at - 1]].key > key; --at)
      std::swap(current_[at], current_[at - 1]);
  }
  void rare(std::uint32_t now) {
    while (distant_.first() == base_ + now) {
      const std::uint32_t index = distant_.pop().index;
      Message& m = messages_[index];
      if (m.at == 0) {
        m.born = now;
        ++created_;
      }
      insert(index);
    }
    while (wakes_.first() == base_ + now) {
      serve(links_[wakes_.pop().index]);
      settle_waiters();
      woken_ = true;
    }
    refresh();
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
    if (time == now_ + 1) {
      next_.push_back(index);
    } else if (wheel_.near(now_, time)) {
      wheel_.put(time, index, messages_[index].next);
    } else {
      distant_.push(base_ + time, index);
      rare_ = std::min<std::uint64_t>(rare_, time);
    }
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
          while (slot < link.channels && channel[slot] > now) ++slot;
          if (slot == link.channels) {
            const std::uint32_t* const first = std::min_element(channel, channel + link.channels);
            if (*first >= held || (unknown(link) && mutant != 3)) {
              wait(link.first + link.channels, at);
              if (*first < held) wake_at(*first, number);
              return;
            }
            slot = static_cast<std::uint32_t>(first - channel);
            granted = *first;
          }
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
  [[nodiscard]] bool unknown(const LinkWords& link) const {
    const auto* channel = &words_[link.first];
    return std::find(channel, channel + link.channels, held_alone) != channel + link.channels;
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
    std::uint32_t* const channel = &words_[link.first];
    while (channel[link.channels] != held_alone) {
      std::uint32_t* const first = std::min_element(channel, channel + link.channels);
      if (*first >= held) return;
      if (*first > now_ && unknown(link) && mutant != 3) {
        const Message& waiter = messages_[channel[link.channels] & ~held];
        return wake_at(*first, waiter.path[waiter.at]);
      }
      granted_.push_back(
          {dequeue(link.first + link.channels), static_cast<std::uint32_t>(first - channel), std::max(*first, now_)});
      *first = held_alone;
    }
  }
  void wake_at(std::uint32_t time, std::uint32_t link) {
    wakes_.push(base_ + time, link);
    rare_ = std::min<std::uint64_t>(rare_, time);
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
    if (words_[word] == held_alone) {
      messages_[index].next = index;
    } else {
      Message& tail = messages_[words_[word] & ~held];
      messages_[index].next = tail.next;
      tail.next = index;
    }
    words_[word] = held | index;
  }
  std::uint32_t dequeue(std::uint32_t word) {
    const std::uint32_t tail = words_[word] & ~held, first = messages_[tail].next;
    if (first == tail)
      words_[word] = held_alone;
    else
      messages_[tail].next = messages_[first].next;
    return first;
  }
  void move_base(std::uint64_t time) {
    const std::uint64_t shift = (time - 1) / wheel_.size() * wheel_.size();
    for (auto& word : words_) word = word >= held ? word : word > shift ? word - static_cast<std::uint32_t>(shift) : 0u;
    for (auto& m : messages_) {
      m.born -= static_cast<std::uint32_t>(shift);
      m.entered -= static_cast<std::uint32_t>(shift);
    }
    now_ = static_cast<std::uint32_t>(time - 1 - shift);
    base_ += shift;
    renumber();
    limit_ = farthest;
    model_.moved_base(static_cast<std::uint32_t>(shift));
    refresh();
  }
  /// Keys start again at 0, in the same order; a transaction's stages share a multiple of 4.
  void renumber() {
    std::vector<std::uint8_t> gone(messages_.size(), 0);
    for (const auto index : free_) gone[index] = 1;
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
      if (!gone[i]) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return messages_[a].key < messages_[b].key; });
    key_ = 0;
    for (const auto index : order) {
      messages_[index].key = key_ + (messages_[index].key & 3);
      key_ += 4;
    }
  }

  struct Granted {
    std::uint32_t message, slot, time;
  };
  static constexpr std::uint64_t farthest = std::uint64_t{1} << 30;
  static constexpr std::uint32_t most_keys = 0xe0000000u;
  const LinkTable& links_;
  Model& model_;
  events::Wheel wheel_;
  std::vector<std::uint32_t> words_;
  const std::uint32_t inner_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_, current_, next_;
  events::Distant distant_, wakes_;
  std::vector<Granted> granted_;
  std::uint64_t base_ = ~std::uint64_t{0}, arrival_ = 0, rare_ = 0, limit_ = farthest, stop_ = 0;
  std::uint64_t head_hops_ = 0, flit_hops_ = 0, created_ = 0;
  std::uint32_t now_ = 0, key_ = 0;
  bool settling_ = false, woken_ = false;
};

}  // namespace assay::network
