// What worms have in the network, as the engine that goes tick by tick keeps it (by_tick.hpp): of each a word a
// property with a bit a lane, downwards from the highest bit, which is the lane at the source; the words of several
// worms lie together, so that one operation does for all of them.
//
// The number of flits in each lane's buffer stands in `digits` words, digit by digit. A flit of lane n goes into its
// buffer, out of that of lane n - 1; the first lane's come from the source.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "events/wheel.hpp"

// Vectors of words are passed by value here, which without AVX is done otherwise than with it: only to functions that
// are always inlined, so that code of either kind may be linked. GCC says it all the same, at the end of what includes
// this.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace assay::network {

/// A worm holds more lanes than a word has bits.
struct LongWorm : std::length_error {
  using std::length_error::length_error;
};

/// Numbers of worms or of wires, one behind the other.
struct Numbers {
  std::vector<std::uint32_t> all;
  std::size_t count = 0;
  [[nodiscard]] const std::uint32_t* begin() const { return all.data(); }
  [[nodiscard]] const std::uint32_t* end() const { return all.data() + count; }
  /// Makes room for so many more.
  void reserve(std::size_t more) {
    if (count + more > all.size()) [[unlikely]]
      all.resize(count + more + count / 8);
  }
  void put(std::uint32_t number) {
    reserve(1);
    all[count++] = number;
  }
  [[nodiscard]] std::size_t memory() const { return all.capacity() * 4; }
};

/// The words of a group as one.
template <class Word>
struct VectorOf;
template <>
struct VectorOf<std::uint64_t> {
  using Words = std::uint64_t __attribute__((vector_size(32), may_alias));
  using Floats = double __attribute__((vector_size(32)));
};
template <>
struct VectorOf<std::uint32_t> {
  using Words = std::uint32_t __attribute__((vector_size(32), may_alias));
  using Floats = float __attribute__((vector_size(32)));
};

/// `WordOf`: as many bits as a worm can have lanes; the shorter, the more worms lie together.
template <class WordOf>
class TrainsOf {
 public:
  using Word = WordOf;
  static constexpr unsigned lanes = std::numeric_limits<Word>::digits;  // that a worm can have
  static constexpr unsigned digits = 4;
  static constexpr std::uint32_t most_stored = (1U << digits) - 1;
  static constexpr unsigned beside = 32 / sizeof(Word);  // worms whose words lie together: a group
  static constexpr std::uint64_t all_free = (std::uint64_t{1} << beside) - 1;
  using Of = Word[beside];

  struct alignas(sizeof(Of)) Group {
    Of stored[digits] = {};   // flits in the buffer at the far end
    Of left = {};             // flits at the source: a number
    Of reach = {};            // all of its lanes, and those before
    Of low = {};              // the first lane that has flits left to send
    Of out = {}, fresh = {};  // the lane that leads to the node; the one that the head has not crossed
    Of moved = {};            // has sent since it was put down at its wire who sent last
    Of late = {};             // the passes come to its wire before they come to the next one, or that is the same
    // Of this tick: has a flit at hand and a place for it; has no place, and sends if the next one does; the next flit
    // is the last; does not send, or the passes say whether it does; sends, as far as is known.
    Of ready = {}, tied = {}, tail = {}, lost = {}, moves = {};
  };
  static_assert(sizeof(Group) == 512);
  /// What is seldom looked at.
  struct Rest {
    std::uint64_t passed = ~std::uint64_t{0};  // when the tail crossed a link last
    Word ordered = 0;                          // in this tick the passes say of it whether it sends
    std::uint32_t message = events::no_index;
    std::uint16_t first_hop = 0;    // of the first bit
    std::uint8_t top = 0, low = 0;  // the last lane; the first that has flits left
    std::uint8_t lanes = 0;         // that it has
    bool may_go_on = false;         // the head may be given a lane within the tick
  };
  /// A worm's words.
  struct Train {
    Group& group;
    const unsigned at;
    Word& operator[](Of Group::* property) const { return (group.*property)[at]; }
    [[nodiscard]] bool stores_one(Word lane) const {
      return ((group.stored[0][at] & ~(group.stored[1][at] | group.stored[2][at] | group.stored[3][at])) & lane) != 0;
    }
  };
  [[nodiscard]] static constexpr Word bit(unsigned lane) { return Word{1} << (lanes - 1) >> lane; }
  [[nodiscard]] static unsigned first_of(Word lanes) { return static_cast<unsigned>(std::countl_zero(lanes)); }
  [[nodiscard]] Train operator[](std::uint32_t train) { return {groups_[train / beside], train % beside}; }
  /// All words, and where a worm's are.
  [[nodiscard]] Word* words() { return &groups_[0].stored[0][0]; }
  static std::uint32_t place(std::uint32_t train) {
    return train / beside * static_cast<std::uint32_t>(sizeof(Group) / sizeof(Word)) + train % beside;
  }
  [[nodiscard]] Rest& rest(std::uint32_t train) { return rest_[train]; }
  [[nodiscard]] const Rest& rest(std::uint32_t train) const { return rest_[train]; }

  /// All buffers take so many flits.
  void buffer(std::uint32_t flits) {
    for (unsigned digit = 0; digit < digits; ++digit) full_[digit] = (flits >> digit & 1) != 0 ? ~Word{0} : 0;
    few_digits_ = full_[digits - 1] == 0;
  }
  /// The lane of a worm with this bit: what it was put in as. Known of the last one, and of those with flits left or in
  /// their buffers.
  [[nodiscard]] std::uint32_t& path(std::uint32_t train, unsigned lane) {
    return paths_[train * std::size_t{stride_} + (lane & (stride_ - 1))];
  }
  [[nodiscard]] std::uint32_t path(std::uint32_t train, unsigned lane) const {
    return paths_[train * std::size_t{stride_} + (lane & (stride_ - 1))];
  }

  /// A worm of so many flits that gets its first lane.
  std::uint32_t add(std::uint32_t message, std::uint32_t flits) {
    while (lowest_ < free_.size() && free_[lowest_] == 0) ++lowest_;
    if (lowest_ == free_.size()) grow();
    const std::uint32_t number = lowest_ * 64 + static_cast<std::uint32_t>(std::countr_zero(free_[lowest_]));
    free_[lowest_] &= free_[lowest_] - 1;
    used_ = std::max(used_, number / beside + 1);
    const Train train = (*this)[number];
    for (unsigned digit = 0; digit < digits; ++digit) train.group.stored[digit][train.at] = 0;
    for (Of Group::* property : {&Group::out, &Group::fresh, &Group::moved, &Group::late, &Group::ready, &Group::tied,
                                 &Group::tail, &Group::lost, &Group::moves})
      train[property] = 0;
    train[&Group::left] = flits;
    train[&Group::reach] = train[&Group::low] = bit(0);
    rest_[number] = {};
    rest_[number].message = message;
    return number;
  }
  /// It gets one more. True if its other ones have other bits from now on.
  bool lengthen(std::uint32_t number) {
    Rest& rest = rest_[number];
    const bool dropped = rest.top == lanes - 1;
    if (dropped) drop_low(number, rest);
    if (rest.top + 3U - rest.low > stride_) widen();
    ++rest.top;
    (*this)[number][&Group::reach] |= bit(rest.top);
    return dropped;
  }
  /// All its flits are gone. What it last sent must not be counted once more: words of a worm that comes within a tick
  /// bring those beside them into the tick's count, though they were not looked at when it began.
  void remove(std::uint32_t number) {
    const Train train = (*this)[number];
    for (Of Group::* property : {&Group::reach, &Group::ready, &Group::tied, &Group::tail, &Group::moves})
      train[property] = 0;
    free_[number / 64] |= std::uint64_t{1} << number % 64;
    lowest_ = std::min(lowest_, number / 64);
    while (used_ != 0 && (free_[(used_ - 1) * beside / 64] >> (used_ - 1) * beside % 64 & all_free) == all_free)
      --used_;
  }

  /// What each can send in this tick if no other one is in its way; whether any can.
  bool prepare() {
    more_tails_.count = 0;
    return few_digits_ ? prepare_all<digits - 1>() : prepare_all<digits>();
  }
  /// Of one that has been given a lane since: its head is at hand, and has a place. Its tail may have crossed a link in
  /// this tick.
  void prepare_last(std::uint32_t number, std::uint64_t tick) {
    const Rest& rest = rest_[number];
    const Train train = (*this)[number];
    const Word here = bit(rest.top), more = here | chain(train[&Group::tied], here << 1);
    train[&Group::ready] |= here;
    train[&Group::moves] |= more;
    if (rest.low == rest.top && rest.passed != tick)
      if (rest.top == 0 ? train[&Group::left] == 1 : train.stores_one(here << 1)) train[&Group::tail] = here;
    if ((train[&Group::tail] & more) != 0) put_tail(number);
  }
  /// The tail of this one crosses a link as well in this tick, if every lane sends that has a flit and a place for it.
  void put_tail(std::uint32_t number) { more_tails_.put(number); }
  /// Calls with each worm of which that is so, those included that are put down meanwhile.
  template <class Call>
  void each_tail(Call call) {
    const std::uint32_t blocks = (used_ * beside + 63) / 64;
    for (std::uint32_t block = 0; block < blocks; ++block)
      for (std::uint64_t some = tails_[block]; some != 0; some &= some - 1) call(block * 64 + lowest_of(some));
    for (std::size_t i = 0; i < more_tails_.count; ++i) call(more_tails_.all[i]);
  }
  /// What sends without those that lost. Calls with each worm whose head crosses a link, then with each whose tail
  /// does.
  template <class Head, class Tail>
  void find_moves(Head head_crosses, Tail tail_crosses) {
    for (std::uint32_t begin = 0; begin < used_; begin += 64 / beside) {
      const std::uint32_t end = std::min(begin + 64 / beside, used_);
      std::uint64_t heads = 0, tails = 0;
      for (std::uint32_t at = begin; at < end; ++at) {  // without branches, which nothing would foretell
        Group& group = groups_[at];
        const Words kept = ~in(group.lost), moves = following(in(group.ready) & kept, in(group.tied) & kept);
        in(group.moves) = moves;
        heads |= which(nonzero(in(group.fresh) & moves)) << (at - begin) * beside;
        tails |= which(nonzero(in(group.tail) & moves)) << (at - begin) * beside;
      }
      for (; heads != 0; heads &= heads - 1) head_crosses(begin * beside + lowest_of(heads));
      for (; tails != 0; tails &= tails - 1) tail_crosses(begin * beside + lowest_of(tails));
    }
  }
  /// Those of `tied` that send if the one behind the last of them does, and which have none between that does not.
  static Word chain(Word tied, Word last) { return tied & ~(tied + (tied & last)); }
  /// The flits are where `moves` brings them; whether any has moved.
  bool count() { return few_digits_ ? count_all<digits - 1>() : count_all<digits>(); }
  [[nodiscard]] std::size_t memory() const {
    return groups_.capacity() * sizeof(Group) + rest_.capacity() * sizeof(Rest) + paths_.capacity() * 4 +
           (free_.capacity() + tails_.capacity()) * 8 + more_tails_.memory();
  }

 private:
  using Vector = VectorOf<Word>;
  using Words = typename Vector::Words;
  static Words& in(Of& group) { return *reinterpret_cast<Words*>(group); }
  [[gnu::always_inline]] static inline Words all(Word word) { return Words{} + word; }
  [[gnu::always_inline]] static inline Words nonzero(Words words) { return reinterpret_cast<Words>(words != 0); }
  [[gnu::always_inline]] static inline bool any_of(Words words) {
    Word some = 0;
    for (unsigned at = 0; at < beside; ++at) some |= words[at];
    return some != 0;
  }
  /// A bit for each word that is not 0 but all ones.
  [[gnu::always_inline]] static inline std::uint64_t which(Words words) {
#ifdef __AVX__
    if constexpr (beside == 4)
      return static_cast<std::uint32_t>(__builtin_ia32_movmskpd256(reinterpret_cast<typename Vector::Floats>(words)));
    else
      return static_cast<std::uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<typename Vector::Floats>(words)));
#else
    std::uint64_t found = 0;
    for (unsigned at = 0; at < beside; ++at) found |= std::uint64_t{words[at] & 1} << at;
    return found;
#endif
  }
  [[nodiscard]] static std::uint32_t lowest_of(std::uint64_t some) {
    return static_cast<std::uint32_t>(std::countr_zero(some));
  }
  struct Digits {
    Words word[digits];
  };
  [[nodiscard]] Digits full_digits() const { return {{all(full_[0]), all(full_[1]), all(full_[2]), all(full_[3])}}; }
  /// Of a group: those that are ready. `used`: digits that are not 0 in all buffers.
  template <unsigned used>
  [[gnu::always_inline]] static Words prepare(Group& group, const Digits& of_full) {
    const Words lowest = in(group.stored[0]);
    Words above = {}, unlike = lowest ^ of_full.word[0];
    for (unsigned digit = 1; digit < used; ++digit) {
      above |= in(group.stored[digit]);
      unlike |= in(group.stored[digit]) ^ of_full.word[digit];
    }
    const Words left = in(group.left), first = all(bit(0));
    const Words hand = ((lowest | above) >> 1 | (first & nonzero(left))) & in(group.reach);
    const Words ready = hand & unlike, tied = hand & ~unlike;
    const Words last = (lowest & ~above) >> 1 | (first & reinterpret_cast<Words>(left == 1));
    in(group.ready) = ready;
    in(group.tied) = tied;
    in(group.tail) = in(group.low) & last & hand;
    in(group.moves) = following(ready, tied);
    return ready;
  }
  template <unsigned used>
  bool prepare_all() {
    Words any = {};
    const Digits full = full_digits();
    for (std::uint32_t begin = 0; begin < used_; begin += 64 / beside) {
      const std::uint32_t end = std::min(begin + 64 / beside, used_);
      std::uint64_t tails = 0;
      for (std::uint32_t at = begin; at < end; ++at) {  // without branches
        Group& group = groups_[at];
        any |= prepare<used>(group, full);
        tails |= which(nonzero(in(group.tail) & in(group.moves))) << (at - begin) * beside;
      }
      tails_[begin * beside / 64] = tails;
    }
    return any_of(any);
  }
  template <unsigned used>
  bool count_all() {
    Words any = {};
    for (Group *next = groups_.data(), *const end = next + used_; next != end; ++next) {
      Group& group = *next;
      const Words moves = in(group.moves), into = moves & ~in(group.out), out = moves << 1;
      any |= moves;
      Words more = into & ~out, less = out & ~into;
      for (unsigned digit = 0; digit < used; ++digit) {
        const Words before = in(group.stored[digit]), changes = more | less;
        in(group.stored[digit]) = before ^ changes;
        more &= before;
        less &= ~before;
      }
      const Words left = in(group.left);
      in(group.left) = left - (moves >> (lanes - 1) & nonzero(left));
      in(group.moved) |= moves;
      in(group.lost) = Words{};
    }
    return any_of(any);
  }
  /// Those that are ready, and those behind them whose buffers are full: a run of bits upwards, through which a carry
  /// goes.
  template <class Some>
  [[gnu::always_inline]] static inline Some following(Some ready, Some tied) {
    return ready | (tied & ~(tied + (tied & ready << 1)));
  }
  void grow() {
    const std::size_t size = groups_.size();
    if (size == groups_.capacity()) {
      groups_.reserve(size + size / 8 + 1);  // room for an eighth more
      rest_.reserve(groups_.capacity() * beside);
      paths_.reserve(groups_.capacity() * beside * stride_);
    }
    groups_.emplace_back();
    rest_.resize(groups_.size() * beside);
    paths_.resize(rest_.size() * stride_);
    const auto first = static_cast<std::uint32_t>(rest_.size()) - beside;
    if (first / 64 == free_.size()) free_.push_back(0), tails_.push_back(0);
    free_[first / 64] |= all_free << first % 64;
    lowest_ = std::min(lowest_, first / 64);
  }
  /// Makes room: lanes through which all flits have gone need no bits.
  void drop_low(std::uint32_t number, Rest& rest) {
    if (rest.low < 2 || rest.first_hop > 0xff00) throw LongWorm("a worm holds more lanes than its words have bits");
    const unsigned dropped = rest.low - 1U;
    std::uint32_t kept[lanes];
    for (unsigned at = dropped; at <= rest.top; ++at) kept[at] = path(number, at);
    for (unsigned at = dropped; at <= rest.top; ++at) path(number, at - dropped) = kept[at];
    const Train train = (*this)[number];
    for (Of& digit : train.group.stored) digit[train.at] <<= dropped;
    for (Of Group::* property : {&Group::reach, &Group::moved, &Group::late, &Group::ready, &Group::tied, &Group::tail,
                                 &Group::lost, &Group::moves, &Group::out})
      train[property] <<= dropped;
    train[&Group::low] = bit(1);
    rest.first_hop = static_cast<std::uint16_t>(rest.first_hop + dropped);
    rest.top = static_cast<std::uint8_t>(rest.top - dropped);
    rest.low = 1;
  }
  /// Room for twice as many lanes of each.
  void widen() {
    std::vector<std::uint32_t> wider(rest_.size() * 2 * stride_);
    for (std::size_t train = 0; train < rest_.size(); ++train)
      for (unsigned at = 0; at < stride_ && at <= rest_[train].top; ++at) {
        const unsigned number = rest_[train].top - at;
        wider[train * 2 * stride_ + (number & (2 * stride_ - 1))] = paths_[train * stride_ + (number & (stride_ - 1))];
      }
    paths_ = std::move(wider);
    stride_ *= 2;
  }

  std::vector<Group> groups_;
  std::vector<Rest> rest_;
  std::vector<std::uint64_t> free_;      // a bit for each that is free; the lowest one is taken
  std::uint32_t lowest_ = 0, used_ = 0;  // the first word of these that is not 0; behind the last group in use
  std::vector<std::uint64_t> tails_;     // a bit for each whose tail may cross a link (each_tail)
  Numbers more_tails_;                   // those for which that was found later
  std::vector<std::uint32_t> paths_;     // by worm: its lanes, `stride_` of them
  std::uint32_t stride_ = 8;
  Word full_[digits] = {};   // the digits of a full buffer
  bool few_digits_ = false;  // the last one is 0
};

}  // namespace assay::network
