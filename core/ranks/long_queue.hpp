// Receives or messages that wait, of a rank that has very many of them: found by source and tag, where a walk along the
// queue would make an all-to-all of thousands of ranks quadratic. Those of one key form a chain in order of arrival;
// all together are linked in that order as well.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace assay::described {

class LongQueue {
 public:
  static constexpr std::uint32_t absent = ~0U;
  static constexpr std::size_t from = 32;  // a queue that is longer is kept so
  // Receives for any source or any tag have one chain.
  static constexpr std::uint64_t wild = ~std::uint64_t{0};
  static std::uint64_t key(int source, int word) {
    return std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(word);
  }

  bool empty() const { return chains_.empty(); }

  void add(std::uint64_t key, std::uint32_t id) {
    std::uint32_t place = free_;
    if (place == absent) {
      place = static_cast<std::uint32_t>(pool_.size());
      pool_.emplace_back();
    } else {
      free_ = pool_[place].next;
    }
    pool_[place] = {arrived_++, id, absent, last_, absent};
    (last_ == absent ? first_ : pool_[last_].after) = place;
    last_ = place;
    const auto [found, fresh] = chains_.try_emplace(key, Chain{place, place});
    if (!fresh) {
      pool_[found->second.tail].next = place;
      found->second.tail = place;
    }
  }

  // The first of a chain, and of those that `fits` accepts; the order of its arrival.
  struct Found {
    std::uint32_t id = absent;
    std::uint64_t arrived = ~std::uint64_t{0};
  };
  Found first(std::uint64_t key) const {
    return first(key, [](std::uint32_t) { return true; });
  }
  template <class Fits>
  Found first(std::uint64_t key, Fits fits) const {
    const auto found = chains_.find(key);
    if (found == chains_.end()) return {};
    for (std::uint32_t at = found->second.head; at != absent; at = pool_[at].next)
      if (fits(pool_[at].id)) return {pool_[at].id, pool_[at].arrived};
    return {};
  }
  // Of all chains.
  template <class Fits>
  Found first_of_all(Fits fits) const {
    for (std::uint32_t at = first_; at != absent; at = pool_[at].after)
      if (fits(pool_[at].id)) return {pool_[at].id, pool_[at].arrived};
    return {};
  }

  // False where it is not in that chain.
  bool remove(std::uint64_t key, std::uint32_t id) {
    const auto found = chains_.find(key);
    if (found == chains_.end()) return false;
    Chain& chain = found->second;
    std::uint32_t before = absent, at = chain.head;
    for (; at != absent && pool_[at].id != id; at = pool_[at].next) before = at;
    if (at == absent) return false;
    const Entry entry = pool_[at];
    (before == absent ? chain.head : pool_[before].next) = entry.next;
    if (chain.tail == at) chain.tail = before;
    if (chain.head == absent) chains_.erase(found);
    (entry.before == absent ? first_ : pool_[entry.before].after) = entry.after;
    (entry.after == absent ? last_ : pool_[entry.after].before) = entry.before;
    pool_[at].next = free_;
    free_ = at;
    return true;
  }

 private:
  struct Entry {
    std::uint64_t arrived = 0;
    std::uint32_t id = absent, next = absent, before = absent, after = absent;
  };
  struct Chain {
    std::uint32_t head, tail;
  };
  std::unordered_map<std::uint64_t, Chain> chains_;
  std::vector<Entry> pool_;
  std::uint32_t free_ = absent, first_ = absent, last_ = absent;
  std::uint64_t arrived_ = 0;
};

}  // namespace assay::described
