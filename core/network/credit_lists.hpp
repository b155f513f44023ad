// When the slots of lanes' buffers are free again, as far as that is known: for each lane a list of ascending times,
// all lists in one pool, since most lanes have none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "events/wheel.hpp"

namespace assay::network {

class CreditLists {
 public:
  using Tick = std::uint64_t;
  struct List {
    std::uint32_t first = events::no_index;
    [[nodiscard]] bool empty() const { return first == events::no_index; }
  };

  /// The first of a list that is not empty.
  [[nodiscard]] Tick front(const List& list) const { return pool_[list.first].time; }
  void put(List& list, Tick time) {
    std::uint32_t number = free_;
    if (number == events::no_index) {
      number = static_cast<std::uint32_t>(pool_.size());
      pool_.emplace_back();
    } else {
      free_ = pool_[number].next;
    }
    std::uint32_t* place = &list.first;
    while (*place != events::no_index && pool_[*place].time <= time) place = &pool_[*place].next;
    pool_[number] = {time, *place};
    *place = number;
  }
  /// Takes out those that have come by `now`; how many.
  std::uint32_t forget(List& list, Tick now) {
    std::uint32_t count = 0;
    while (list.first != events::no_index && pool_[list.first].time <= now) {
      const std::uint32_t number = list.first;
      list.first = pool_[number].next;
      pool_[number].next = free_;
      free_ = number;
      ++count;
    }
    return count;
  }
  /// How many have come by `now`.
  [[nodiscard]] std::uint32_t come(const List& list, Tick now) const {
    std::uint32_t sum = 0;
    for (std::uint32_t at = list.first; at != events::no_index && pool_[at].time <= now; at = pool_[at].next) ++sum;
    return sum;
  }
  [[nodiscard]] std::size_t memory() const { return pool_.capacity() * sizeof(Credit); }

 private:
  struct Credit {
    Tick time = 0;
    std::uint32_t next = events::no_index;
  };
  std::vector<Credit> pool_;
  std::uint32_t free_ = events::no_index;
};

}  // namespace assay::network
