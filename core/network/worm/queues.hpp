// Queues of messages and links of several channels, as the engines with 32-bit times keep them in words.
//
// A queue is one word: `held_alone` while nobody waits, else `held` with the last of a circular list of messages in
// the low bits; each message holds the number of the next (`next(number)` is that place), the last that of the first.
// A link of several channels is a word per channel, the cycle from which it is free or `held_alone`, then its queue.
#pragma once
#include <algorithm>
#include <cstdint>

#include "network/worm/mutant.hpp"
#include "network/worm/pages.hpp"

namespace assay::network {

template <class Next>
[[gnu::always_inline]] inline void enqueue(std::uint32_t& queue, std::uint32_t message, Next next) {
  if (queue == held_alone) {
    next(message) = message;
  } else {
    std::uint32_t& last = next(queue & ~held);
    next(message) = last;
    last = message;
  }
  queue = held | message;
}

/// Takes the first out of a queue in which somebody waits.
template <class Next>
[[gnu::always_inline]] inline std::uint32_t dequeue(std::uint32_t& queue, Next next) {
  const std::uint32_t last = queue & ~held, first = next(last);
  if (first == last)
    queue = held_alone;
  else
    next(last) = next(first);
  return first;
}

/// The words of a link of several channels.
class ChannelWords {
 public:
  ChannelWords(std::uint32_t* words, std::uint32_t channels) : words_(words), channels_(channels) {}

  [[nodiscard]] std::uint32_t& queue() const { return words_[channels_]; }
  [[nodiscard]] bool waited_for() const { return words_[channels_] != held_alone; }
  void take(std::uint32_t channel) const { words_[channel] = held_alone; }
  void free(std::uint32_t channel, std::uint32_t cycle) const { words_[channel] = cycle; }

  struct Offer {
    bool certain;           // the channel can be granted for that cycle, now or ahead of time
    std::uint32_t channel;  // one that is free; where none is, the first to be free of those whose release is known
    std::uint32_t cycle;    // of its grant; not certain: when to look again, unless it is `held_alone`
  };
  /// What can be granted. A channel that gets free later cannot be promised while another release is unknown, since
  /// that may come before.
  [[nodiscard, gnu::always_inline]] Offer offer(std::uint32_t now) const {
    std::uint32_t channel = 0;
    while (channel < channels_ && words_[channel] > now) ++channel;
    if (channel < channels_) return {true, channel, now};
    return later();
  }

  /// Those that wait: `grant(channel, cycle)` takes the first of them for what is certain, `wake(cycle)` asks for
  /// another look at what is not.
  template <class Grant, class Wake>
  void serve(std::uint32_t now, Grant grant, Wake wake) const {
    while (waited_for()) {
      const Offer found = offer(now);
      if (!found.certain) {
        if (found.cycle < held) wake(found.cycle);
        return;
      }
      take(found.channel);
      grant(found.channel, found.cycle);
    }
  }

 private:
  /// The same where no channel is free.
  [[nodiscard, gnu::noinline]] Offer later() const {
    const std::uint32_t* const end = words_ + channels_;
    const std::uint32_t* const first = std::min_element(words_, words_ + channels_);
    const bool some_unknown = std::find(words_, words_ + channels_, held_alone) != end;
    return {*first < held && (!some_unknown || mutant == 3), static_cast<std::uint32_t>(first - words_), *first};
  }

  std::uint32_t* words_;
  std::uint32_t channels_;
};

}  // namespace assay::network
