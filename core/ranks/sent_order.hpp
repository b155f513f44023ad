// Messages under way between each two ranks, in the order of their sends: where messages may overtake one another, one
// that comes early waits for those before it.
//
// A hash table by pair with linear probing, whose entries are taken out without marks (Knuth, The Art of Computer
// Programming 3, section 6.4, algorithms L and R), has the ends of each pair's list; the links lie by message. Nothing
// is allocated per message: a million of them cross a machine in an all-to-all, mostly one at a time between two ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "events/large_pages.hpp"

namespace assay::described {

class SentOrder {
 public:
  static constexpr std::uint32_t absent = ~0U;

  // `id` is under way from now on, behind all of its pair.
  void add(std::uint64_t pair, std::uint32_t id) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    if (id >= next_.size()) next_.resize(id + id / 2 + 64, absent);
    Entry& entry = entries_[place(pair)];
    next_[id] = absent;
    if (entry.first == absent) {
      entry = {pair, id, id};
      ++used_;
    } else {
      next_[std::exchange(entry.last, id)] = id;
    }
  }
  // The first of a pair; the one behind another of the same pair.
  [[nodiscard]] std::uint32_t first(std::uint64_t pair) const {
    return entries_.empty() ? absent : entries_[place(pair)].first;
  }
  [[nodiscard]] std::uint32_t after(std::uint32_t id) const { return next_[id]; }
  // `id`, which is under way, is no longer.
  void take(std::uint64_t pair, std::uint32_t id) {
    const std::size_t at = place(pair);
    Entry& entry = entries_[at];
    std::uint32_t before = absent;
    for (std::uint32_t each = entry.first; each != id; each = next_[each]) before = each;
    (before == absent ? entry.first : next_[before]) = next_[id];
    if (entry.last == id) entry.last = before;
    if (entry.first == absent) erase(at);
  }
  [[nodiscard]] std::size_t size() const { return used_; }  // pairs

 private:
  struct Entry {
    std::uint64_t pair = 0;
    std::uint32_t first = absent, last = absent;
  };

  // Fibonacci hashing (Knuth, the same section): the product's highest bits.
  [[nodiscard]] std::size_t home(std::uint64_t pair) const { return (pair * 0x9e3779b97f4a7c15) >> shift_; }
  [[nodiscard]] std::size_t mask() const { return entries_.size() - 1; }
  // Where the pair is, or the free entry that it would have.
  [[nodiscard]] std::size_t place(std::uint64_t pair) const {
    std::size_t at = home(pair);
    while (entries_[at].first != absent && entries_[at].pair != pair) at = (at + 1) & mask();
    return at;
  }
  // Those behind move up where their way from home leads over the gap.
  void erase(std::size_t gap) {
    --used_;
    for (std::size_t at = (gap + 1) & mask(); entries_[at].first != absent; at = (at + 1) & mask()) {
      if (((at - home(entries_[at].pair)) & mask()) < ((at - gap) & mask())) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap] = {};
  }
  void grow() {
    const auto all = std::exchange(entries_, {});
    entries_.resize(all.empty() ? 64 : 2 * all.size());
    shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(entries_.size()));
    for (const Entry& each : all)
      if (each.first != absent) entries_[place(each.pair)] = each;
  }

  events::LargeVector<Entry> entries_;  // a power of two of them, at most half in use
  events::LargeVector<std::uint32_t> next_;
  std::size_t used_ = 0;
  unsigned shift_ = 64;
};

}  // namespace assay::described
