// The jobs that wait with a reservation each, in the order in which compression looks at them, indexed: the next one
// that what became free has room for, before its reservation, is found without looking at each. A tree over all places
// of the order, as waiting.hpp's, keeps what the jobs below a node need at least, and between which seconds they begin.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "batch/profile.hpp"

namespace assay::batch {

class Reserved {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  explicit Reserved(std::size_t places) : leaves_(std::bit_ceil(places + 1)), tree_(2 * leaves_) {}

  void set(std::size_t place, const Job& job, Seconds begins) {
    put(place, {job.processors, job.requested, job.requested, begins, begins});
  }
  void remove(std::size_t place) { put(place, {}); }

  std::int32_t narrowest() const { return tree_[1].processors; }
  Seconds longest() const { return tree_[1].longest; }

  /// The first from `from` on that one of `rooms` lets begin earlier; none where there is none. A job gives up its own
  /// reservation for it, so that a room that reaches to the reservation may be shorter than what the job requests.
  std::size_t next(std::size_t from, const std::vector<Room>& rooms) const {
    return from >= leaves_ ? none : search(1, 0, leaves_, from, rooms);
  }

 private:
  struct Below {
    std::int32_t processors = std::numeric_limits<std::int32_t>::max();  // the least
    Seconds shortest = Profile::endless, longest = 0;                    // requests
    Seconds first = Profile::endless, last = -1;                         // reservations' beginnings
  };

  void put(std::size_t place, Below value) {
    std::size_t at = leaves_ + place;
    for (tree_[at] = value; at > 1; at /= 2) {
      const Below &left = tree_[at & ~std::size_t{1}], &right = tree_[at | 1];
      tree_[at / 2] = {std::min(left.processors, right.processors), std::min(left.shortest, right.shortest),
                       std::max(left.longest, right.longest), std::min(left.first, right.first),
                       std::max(left.last, right.last)};
    }
  }

  static bool may(const Below& below, const std::vector<Room>& rooms) {
    return std::any_of(rooms.begin(), rooms.end(), [&](const Room& room) {
      return below.processors <= room.processors && below.last > room.from &&
             (below.shortest <= room.to - room.from || below.first <= room.to);
    });
  }

  std::size_t search(std::size_t at, std::size_t begin, std::size_t width, std::size_t from,
                     const std::vector<Room>& rooms) const {
    if (begin + width <= from || !may(tree_[at], rooms)) return none;
    if (width == 1) return begin;
    const std::size_t left = search(2 * at, begin, width / 2, from, rooms);
    return left != none ? left : search(2 * at + 1, begin + width / 2, width / 2, from, rooms);
  }

  std::size_t leaves_;
  std::vector<Below> tree_;
};

}  // namespace assay::batch
