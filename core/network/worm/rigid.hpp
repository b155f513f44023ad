// The worm engine for rigid trains on a cube: channels of one flit per cycle with one-flit buffers, and no message
// shorter than its path, so that all releases of a message follow from the one cycle in which its head reaches the
// sink. One event per head hop, about ten nanoseconds each.
//
// A network channel is one word: the tag of the last message in its queue (as in the queue lock of Craig, Landin and
// Hagersten: https://doi.org/10.1109/IPPS.1994.288305). A head that requests the channel writes its own tag there and
// reads the state of the message before it. If that one has left the channel, the head goes on; if it has reached its
// sink, the head goes on in the cycle in which the tail leaves, which is known; else the head joins that message's list
// of followers until it reaches its sink. So nothing is written when a channel gets free, and no queue is kept beside
// the words: with T the cycle from which the injection channel is free, that of dimension d is free from T + the number
// of channels crossed down to d, a population count of the route. Ejection over one channel is dimension 0, the last of
// all; the dimensions of the cube are counted from 1.
//
// Messages lie in a ring by tag. A place is reused when its last channel is free; a word whose tag is not that of its
// place belongs to a message that has left. Requests of one cycle are served in order of message: the list of a cycle
// is the list of the cycle before, each head one hop further, with those that waited merged in and new messages
// appended. Heads at the sink are processed in a batch, before the first of their channels gets free.
//
// Injection and ejection links of several channels are words of cycles and a queue, as in alike.hpp.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "network/worm/cube.hpp"
#include "network/worm/heads.hpp"
#include "network/worm/mutant.hpp"
#include "network/worm/pages.hpp"
#include "network/worm/queues.hpp"
#include "network/worm/short_clock.hpp"

namespace assay::network {

template <class Source, class Observer>
class RigidEngine : public ShortClock {
 public:
  using Message = RigidMessage;

  /// `shortest`: flits of the shortest message, at least the longest path. `span`: cycles ahead that events mostly lie.
  RigidEngine(const Cube& net, Source& source, Observer& observer, std::uint32_t shortest, std::uint32_t span)
      : ShortClock(span, origin),
        net_(net),
        source_(source),
        observer_(observer),
        slack_(std::min(shortest - net.longest(), 12u)),
        in_channels_(net.injection_channels()),
        out_channels_(net.open_sink() ? 0 : net.ejection_channels()),
        in_base_((net.dimension() + 1) * net.nodes() + 2),
        in_stride_(in_channels_ == 1 ? 1 : in_channels_ + 1),
        out_base_(in_base_ + in_stride_ * net.nodes()),
        out_stride_(out_channels_ > 1 ? out_channels_ + 1 : 0),
        words_(out_base_ + std::size_t{out_stride_} * net.nodes()),
        far_(words_.size() > 200000) {
    words_[in_base_ - 2] = words_[in_base_ - 1] = never_free;
    for (std::uint32_t node = 0; node < net.nodes(); ++node) {
      if (in_channels_ > 1) words_[injection(node) + in_channels_] = held_alone;
      if (out_channels_ > 1) words_[ejection(node) + out_channels_] = held_alone;
    }
    resize(128);
    refresh(source_.next_cycle());
  }

  /// Runs all events before cycle `end`. False if nothing is left to happen.
  bool run(std::uint64_t end) {
    if (far_) return out_channels_ > 1 ? run_to<true, true>(end) : run_to<true, false>(end);
    return out_channels_ > 1 ? run_to<false, true>(end) : run_to<false, false>(end);
  }

  /// Messages generated so far.
  [[nodiscard]] std::uint64_t created() const { return created_; }
  [[nodiscard]] std::uint64_t live() const { return created_ - delivered_; }
  [[nodiscard]] std::size_t memory() const {
    return words_.capacity() * 4 + train_.capacity() * sizeof(Train) + messages_.capacity() * sizeof(Message) +
           (bucket_.capacity() + lists_[0].heads.capacity() + lists_[1].heads.capacity() + lists_[2].heads.capacity()) *
               sizeof(Head) +
           done_.capacity() * sizeof(Done) + clock_memory();
  }
  [[nodiscard]] std::uint64_t head_hops() const { return head_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }
  /// The cycle in which the tail crosses the last link: the train is rigid.
  [[nodiscard]] std::uint64_t tail(const Message& m, std::uint32_t head) const { return absolute(head) + m.flits - 1; }

 private:
  struct Done {
    std::uint32_t tag, head;
  };
  static constexpr std::uint32_t never_free = held;  // the tag of place 0, which is never given away
  static constexpr std::uint32_t unknown = Train::unknown;
  static constexpr std::uint32_t most_tags = 0x70000000u;
  static constexpr std::uint32_t origin = 64;  // relative time of cycle 0: later than any free cycle of nobody

  [[nodiscard]] Train& train(std::uint32_t tag) { return train_[tag & mask_]; }
  [[nodiscard]] Message& message(std::uint32_t tag) { return messages_[tag & mask_]; }
  [[nodiscard]] std::uint32_t injection(std::uint32_t node) const { return in_base_ + node * in_stride_; }
  [[nodiscard]] std::uint32_t ejection(std::uint32_t node) const { return out_base_ + node * out_stride_; }
  [[nodiscard]] static std::uint32_t destination(const Message& m, const Train& own) {
    return m.source ^ own.route >> 1;
  }

  // --- one cycle -----------------------------------------------------------------------------------------------------
  // `far`: words lie far apart, so they are fetched ahead. `many_out`: ejection links have several channels, and fewer
  // than can be wanted.
  template <bool far, bool many_out>
  bool run_to(std::uint64_t end) {
    return run_cycles(
        end, [this] { return next_->count != 0; }, [this](std::uint32_t now) { cycle<far, many_out>(now); },
        [this] { deliver_all(); }, [this](std::uint64_t time) { move_base(time); });
  }
  template <bool far, bool many_out>
  [[gnu::always_inline]] void cycle(const std::uint32_t now) {
    now_ = now;
    std::swap(current_, next_);
    next_->clear();
    if (woken_) [[unlikely]]
      in_order();
    if (rare_ <= now) [[unlikely]]
      wake(now);
    if (wheel_.head(now) != no_index) merge(now);
    if constexpr (!Source::newest_last)
      while (arrival_ == now) arrive_among(now);
    next_->reserve(current_->count + std::size_t{next_->count});
    if (done_count_ + current_->count + 2 > done_.size()) [[unlikely]]
      done_.resize((done_count_ + current_->count + 2) * 5 / 4);
    serve_requests<far, many_out>(now);
    if constexpr (Source::newest_last) {
      if constexpr (far)
        arrive_ahead(now);
      else
        while (arrival_ == now) arrive(create(now), now);
    }
    if (now >= due_ || next_->count == 0 || far) [[unlikely]]
      deliver_all();
  }

  template <bool far, bool many_out>
  [[gnu::always_inline]] void serve_requests(const std::uint32_t now) {
    const Head* const heads = current_->begin();
    const std::uint32_t count = current_->count, dimension = net_.dimension(), mask = mask_;
    const std::uint32_t at_sink = now + (out_channels_ == 0);
    std::uint32_t* const words = words_.begin();
    const Train* const trains = train_.data();
    Head* next = next_->end();
    Done* done = done_.data() + done_count_;
    due_ = done_count_ == 0 ? now + slack_ : due_;  // so that whether there are any is asked once in so many cycles
    const auto link_of = [dimension](std::uint64_t want) {
      return (dimension_of(want) << dimension) + static_cast<std::uint32_t>(want);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      if constexpr (far) {
        if (i + 24 < count) __builtin_prefetch(&words[link_of(heads[i + 24].want)], 1);
        if (i + 8 < count) __builtin_prefetch(&trains[words[link_of(heads[i + 8].want)] & mask]);
      }
      const std::uint64_t who = heads[i].who, want = heads[i].want;
      const auto across = dimension_of(want);
      const std::uint32_t link = (across << dimension) + static_cast<std::uint32_t>(want), before = words[link];
      const Train& other = trains[before & mask];
      const std::uint32_t free_at = other.free + static_cast<std::uint32_t>(std::popcount(other.route >> across));
      // Below 0 when the tags are the same and it is not out yet: one branch, as each half alone cannot be foreseen.
      if (static_cast<std::int32_t>((other.tag ^ before) - ((now - free_at) >> 31)) < 0) [[unlikely]] {
        next_->count = static_cast<std::uint32_t>(next - next_->begin());
        done_count_ = static_cast<std::uint32_t>(done - done_.data());
        request(who, want, link, across, now);
        next = next_->end();
        done = done_.data() + done_count_;
        continue;
      }
      words[link] = static_cast<std::uint32_t>(who);
      const std::uint64_t then = gone_on(want, across);
      const std::uint64_t last = then >> 32 == 0;
      next->who = who;
      if constexpr (many_out) {
        next->want = then ^ ((then ^ eject_) & -last);
        ++next;
      } else {
        next->want = then;
        next += 1 - last;
        done->tag = static_cast<std::uint32_t>(who);
        done->head = at_sink;
        done += last;
      }
    }
    next_->count = static_cast<std::uint32_t>(next - next_->begin());
    done_count_ = static_cast<std::uint32_t>(done - done_.data());
  }
  /// A request that is not granted at once, or one for an injection or ejection link.
  [[gnu::noinline]] void request(std::uint64_t who, std::uint64_t want, std::uint32_t link, std::uint32_t across,
                                 std::uint32_t now) {
    const auto tag = static_cast<std::uint32_t>(who);
    Message& m = message(tag);
    m.want = want;
    if (want == inject_) return request_injection(tag, now);
    if (want == eject_) return request_end(tag, ejection(destination(m, train(tag))), out_channels_, now);
    const std::uint32_t granted = stand(link, tag, across, now);
    if (granted != unknown) crossed(tag, m, granted);
  }
  /// Stands in line for a channel: the cycle in which it is granted, or `unknown`.
  std::uint32_t stand(std::uint32_t link, std::uint32_t tag, std::uint32_t across, std::uint32_t now) {
    const std::uint32_t before = words_[link];
    words_[link] = tag;
    Train& other = train(before);
    if (other.tag != before) return now;
    if (other.free != unknown) return std::max(now, free_from(other, across));
    message(tag).next = other.followers;
    other.followers = tag;
    return unknown;
  }
  /// The cycle from which a train that is at its sink has left the channel across a dimension, or its injection
  /// channel.
  [[nodiscard]] static std::uint32_t free_from(const Train& other, std::uint32_t across) {
    return other.free +
           (across == injection_place ? 0 : static_cast<std::uint32_t>(std::popcount(other.route >> across)));
  }
  /// The head crosses in cycle `granted`, not yet come, the channel that it asked for.
  void crossed(std::uint32_t tag, Message& m, std::uint32_t granted) {
    onward(tag, m, gone_on(m.want, dimension_of(m.want)), granted + 1);
  }
  /// The head asks for its next link in cycle `time`.
  [[gnu::always_inline]] void onward(std::uint32_t tag, Message& m, std::uint64_t want, std::uint32_t time) {
    if (want >> 32 == 0) [[unlikely]] {
      if (out_channels_ <= 1) return reach(tag, time - out_channels_);
      want = eject_;
    }
    if (time == now_ + 1) return next_->push(pair(tag, m.key), want);
    m.want = want;
    put(time, tag, m.next);
  }
  /// The head crosses the ejection link in cycle `head`.
  void reach(std::uint32_t tag, std::uint32_t head) {
    if (done_count_ == 0) due_ = now_ + slack_;
    if (done_count_ + 2 > done_.size()) [[unlikely]]
      done_.resize((done_count_ + 2) * 2);
    done_[done_count_++] = {tag, head};
  }

  // --- those that waited ---------------------------------------------------------------------------------------------
  [[nodiscard]] Head head_of(std::uint32_t tag) {
    const Message& m = message(tag);
    return {pair(tag, m.key), m.want};
  }
  /// The bucket of this cycle into its list: those that waited are mostly older than all others, so from the front.
  [[gnu::noinline]] void merge(std::uint32_t now) {
    std::uint32_t tag = wheel_.take(now);
    for (std::uint32_t room = far_ ? 0 : HeadList::room; tag != no_index && room > 0; --room) {
      const Head head = head_of(tag);
      tag = message(tag).next;
      Head* at = --current_->first;
      const Head* const last = at + current_->count++;
      if (mutant != 2)
        for (; at != last && at[1].key() < head.key(); ++at) *at = at[1];
      *at = head;
    }
    if (tag == no_index) return;
    bucket_.clear();
    for (; tag != no_index; tag = message(tag).next) bucket_.push_back(head_of(tag));
    std::sort(bucket_.begin(), bucket_.end(), Head::earlier);
    merged_->clear();
    merged_->reserve(current_->count + bucket_.size());
    std::merge(current_->begin(), current_->end(), bucket_.begin(), bucket_.end(), merged_->begin(), Head::earlier);
    merged_->count = current_->count + static_cast<std::uint32_t>(bucket_.size());
    std::swap(current_, merged_);
  }
  [[gnu::noinline]] void wake(std::uint32_t now) {
    const bool woken = take_rare(
        now, [&](std::uint32_t tag) { wheel_.put(now, tag, message(tag).next); },
        [this](std::uint32_t link) { serve(link, link < out_base_ ? in_channels_ : out_channels_); });
    woken_ = woken && mutant != 2;
    refresh(source_.next_cycle());
  }
  /// Waiters that were woken went on before the requests of their cycle, so the list that they began has no order yet.
  [[gnu::noinline]] void in_order() {
    woken_ = false;
    std::sort(current_->begin(), current_->end(), Head::earlier);
  }

  // --- a message's life ----------------------------------------------------------------------------------------------
  [[gnu::always_inline]] std::uint32_t create(std::uint32_t now) {
    std::uint32_t place = ++tag_ & mask_;
    if (train_[place].free + net_.longest() > now) [[unlikely]]
      place = look_for_place(now);
    const auto arrival = source_.take();
    Message& m = messages_[place];
    m.source = arrival.source;
    m.flits = arrival.flits;
    m.born = now;
    m.key = next_key();
    train_[place] = {tag_, unknown, (arrival.source ^ arrival.destination) << 1 | (out_channels_ == 1), no_index};
    ++created_;
    next_arrival(source_.next_cycle());
    return tag_;
  }
  /// The next place whose last message is out of all its channels; a ring twice as large where many are not.
  [[gnu::noinline]] std::uint32_t look_for_place(std::uint32_t now) {
    for (std::uint32_t tries = 0; train(tag_).free + net_.longest() > now; ++tag_)
      if (++tries == 16) resize(train_.size() * 2), tries = 0;
    if (tag_ >= most_tags) limit_ = 0;
    return tag_ & mask_;
  }
  std::uint32_t next_key() {
    if constexpr (Source::newest_last) {
      if (key_ == most_keys) limit_ = 0;
      return key_++;
    } else {
      return source_.last_key();
    }
  }
  [[gnu::always_inline]] void arrive(std::uint32_t tag, std::uint32_t now) {
    Message& m = message(tag);
    std::uint32_t* const channel = &words_[injection(m.source)];
    if (in_channels_ == 1) {
      const Train& other = train(*channel);
      if (static_cast<unsigned>(other.tag == *channel) & static_cast<unsigned>(other.free > now)) {
        m.want = inject_;
        return request_injection(tag, now);
      }
      *channel = tag;
    } else {
      const std::uint32_t slot = channel[0] > now;
      if (channel[slot] > now) [[unlikely]] {
        m.want = inject_;
        return request_injection(tag, now);
      }
      channel[slot] = held_alone;
      m.slot_in = slot;
    }
    m.entered = now;
    onward(tag, m, pair(m.source, train(tag).route), now + 1);
  }
  /// All new messages of a cycle, their words and those before them fetched ahead.
  [[gnu::noinline]] void arrive_ahead(std::uint32_t now) {
    bucket_.clear();
    while (arrival_ == now) {
      const std::uint32_t tag = create(now), link = injection(message(tag).source);
      bucket_.push_back({tag, link});
      __builtin_prefetch(&words_[link], 1);
    }
    for (std::size_t i = 0; i < bucket_.size(); ++i) {
      if (i + 8 < bucket_.size() && in_channels_ == 1) __builtin_prefetch(&train(words_[bucket_[i + 8].want]));
      arrive(bucket_[i].tag(), now);
    }
  }
  /// A message whose key is not the last of all: it asks for its injection link among the others.
  void arrive_among(std::uint32_t now) {
    const std::uint32_t tag = create(now);
    const Head head{pair(tag, message(tag).key), inject_};
    current_->push(head.who, head.want);
    Head* at = current_->end() - 1;
    if (mutant != 2)
      for (; at != current_->begin() && at[-1].key() > head.key(); --at) *at = at[-1];
    *at = head;
  }
  void request_injection(std::uint32_t tag, std::uint32_t now) {
    const std::uint32_t link = injection(message(tag).source);
    if (in_channels_ > 1) return request_end(tag, link, in_channels_, now);
    const std::uint32_t granted = stand(link, tag, injection_place, now);
    if (granted != unknown) end_granted(tag, 0, granted);
  }
  void end_granted(std::uint32_t tag, std::uint32_t slot, std::uint32_t granted) {
    Message& m = message(tag);
    if (m.want == inject_) {
      m.slot_in = slot;
      m.entered = granted;
      onward(tag, m, pair(m.source, train(tag).route), granted + 1);
    } else {
      m.slot_out = slot;
      reach(tag, granted);
    }
  }

  /// The heads at their sinks: everything about their paths is known now. None of their channels gets free in this
  /// cycle.
  [[gnu::noinline]] void deliver_all() {
    const std::uint32_t ends = out_channels_ == 1 ? 1 : 2;
    for (std::uint32_t i = 0; i < done_count_; ++i) {
      if (far_ && i + 16 < done_count_) {
        __builtin_prefetch(&message(done_[i + 16].tag));
        __builtin_prefetch(&train(done_[i + 16].tag), 1);
        if (in_channels_ > 1) __builtin_prefetch(&words_[injection(message(done_[i + 8].tag).source)], 1);
      }
      const auto [tag, head] = done_[i];
      Train& own = train(tag);
      const Message& m = message(tag);
      const std::uint32_t hops = static_cast<std::uint32_t>(std::popcount(own.route)) + ends;
      const std::uint32_t free_at = head + m.flits - hops + 1 + (mutant == 1 ? 1 : 0);
      own.free = free_at;
      head_hops_ += hops;
      flit_hops_ += std::uint64_t{hops} * m.flits;
      ++delivered_;
      observer_.delivered(*this, m, head, hops);
      if (in_channels_ > 1) release_end(injection(m.source), m.slot_in, in_channels_, free_at);
      if (out_channels_ > 1) release_end(ejection(destination(m, own)), m.slot_out, out_channels_, free_at + hops - 1);
      if (own.followers != no_index) follow(own);
    }
    done_count_ = 0;
  }
  /// Grants each follower the channel behind the train.
  [[gnu::noinline]] void follow(Train& own) {
    for (std::uint32_t tag = own.followers; tag != no_index;) {
      Message& m = message(tag);
      const std::uint32_t next = m.next;
      if (m.want == inject_)
        end_granted(tag, 0, free_from(own, injection_place));
      else
        crossed(tag, m, free_from(own, dimension_of(m.want)));
      tag = next;
    }
    own.followers = no_index;
  }

  // --- injection and ejection links of several channels --------------------------------------------------------------
  [[gnu::noinline]] void request_end(std::uint32_t tag, std::uint32_t link, std::uint32_t channels, std::uint32_t now) {
    const ChannelWords words(&words_[link], channels);
    const auto offer = words.offer(now);
    if (!offer.certain) {
      enqueue(words.queue(), tag, [this](std::uint32_t i) -> std::uint32_t& { return message(i).next; });
      if (offer.cycle < held) wake_at(offer.cycle, link);
      return;
    }
    words.take(offer.channel);
    end_granted(tag, offer.channel, offer.cycle);
  }
  [[gnu::always_inline]] void release_end(std::uint32_t link, std::uint32_t slot, std::uint32_t channels,
                                          std::uint32_t free_at) {
    words_[link + slot] = free_at;
    if (words_[link + channels] != held_alone) [[unlikely]]
      serve(link, channels);
  }
  /// Those that wait: grants what is certain, asks to be woken for what is not.
  [[gnu::noinline]] void serve(std::uint32_t link, std::uint32_t channels) {
    const ChannelWords words(&words_[link], channels);
    const auto next = [this](std::uint32_t i) -> std::uint32_t& { return message(i).next; };
    words.serve(
        now_,
        [&](std::uint32_t channel, std::uint32_t cycle) { end_granted(dequeue(words.queue(), next), channel, cycle); },
        [&](std::uint32_t cycle) { wake_at(cycle, link); });
  }

  // --- the ring, and the origin of times and keys --------------------------------------------------------------------
  [[gnu::noinline]] void resize(std::size_t size) {
    std::vector<Train> trains(size);
    std::vector<Message> messages(size);
    mask_ = static_cast<std::uint32_t>(size) - 1;
    for (std::size_t old = 1; old < train_.size(); ++old) {
      if (train_[old].free + net_.longest() <= now_) continue;
      trains[train_[old].tag & mask_] = train_[old];
      messages[train_[old].tag & mask_] = messages_[old];
    }
    trains[0] = {never_free, unknown, 0, no_index};
    train_ = std::move(trains);
    messages_ = std::move(messages);
  }
  /// Before 32 bits overflow: times, keys and tags are counted from a later origin, and words forget who is long gone,
  /// so that a tag that comes again is not taken for it.
  [[gnu::noinline]] void move_base(std::uint64_t time) {
    const std::uint64_t shift = move_clock(time);
    const auto less = static_cast<std::uint32_t>(shift);  // times before the base wrap round
    for (std::uint32_t i = 0; i < words_.size(); ++i) {
      std::uint32_t& word = words_[i];
      if (i >= in_base_ && (i < out_base_ ? in_channels_ : out_channels_) > 1)
        word = moved(word, shift);
      else if (train(word).tag != word)
        word = 0;
    }
    for (auto& one : train_)
      if (one.free != unknown) one.free = moved(one.free, shift);
    for (auto& m : messages_) {
      m.born -= less;
      m.entered -= less;
    }
    if (tag_ >= most_tags) tag_ &= mask_;
    if constexpr (Source::newest_last) renumber_all();
    observer_.moved_base(less);
    refresh(source_.next_cycle());
  }
  void renumber_all() {
    std::vector<std::uint32_t> under_way;
    for (std::uint32_t place = 1; place < train_.size(); ++place)
      if (train_[place].free == unknown) under_way.push_back(place);
    key_ = renumber(under_way, 1, [this](std::uint32_t place) -> std::uint32_t& { return messages_[place].key; });
    for (auto* head = next_->begin(); head != next_->end(); ++head)
      *head = {pair(head->tag(), message(head->tag()).key), head->want};
  }

  static constexpr std::uint32_t injection_place = 32;
  const Cube net_;
  Source& source_;
  Observer& observer_;
  const std::uint32_t slack_;  // cycles for which a head at its sink may be left alone
  // Words: ejection links of one channel, then the links of each dimension, two that never get free, injection links,
  // and ejection links of several channels (none where there are as many as can be wanted).
  const std::uint32_t in_channels_, out_channels_, in_base_, in_stride_, out_base_, out_stride_;
  const std::uint64_t inject_ = pair(0, 2u << net_.dimension()), eject_ = inject_ + 1;
  Words words_;
  const bool far_;
  std::vector<Train> train_;
  std::vector<Message> messages_;
  std::array<HeadList, 3> lists_;
  HeadList *current_ = lists_.data(), *next_ = current_ + 1, *merged_ = current_ + 2;
  std::vector<Head> bucket_;
  std::vector<Done> done_;
  std::uint64_t head_hops_ = 0, flit_hops_ = 0, created_ = 0, delivered_ = 0;
  std::uint32_t mask_ = 0, tag_ = 0, key_ = 0, done_count_ = 0, due_ = 0;
  bool woken_ = false;
};

}  // namespace assay::network
