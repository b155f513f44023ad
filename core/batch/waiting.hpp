// The jobs that wait, in the order in which a policy looks at them, indexed: the next one of the order that fits is
// found without looking at each. A tree over all places of the order keeps, of the jobs that wait below a node, the
// least number of processors and the shortest request; a subtree in which no job can fit is never entered.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

class Waiting {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  explicit Waiting(std::size_t places) : leaves_(std::bit_ceil(places + 1)), tree_(2 * leaves_) {}

  std::size_t size() const { return count_; }

  void add(std::size_t place, std::int32_t processors, Seconds requested) {
    ++count_;
    set(place, {processors, requested});
  }
  void remove(std::size_t place) {
    --count_;
    set(place, {});
  }

  /// The first from `from` on that needs at most `processors` and either requests at most `time` or needs at most
  /// `extra` processors; none where there is none.
  std::size_t next(std::size_t from, std::int32_t processors, Seconds time, std::int32_t extra) const {
    return from >= leaves_ ? none : search(1, 0, leaves_, from, processors, time, extra);
  }

 private:
  struct Least {
    std::int32_t processors = std::numeric_limits<std::int32_t>::max();
    Seconds requested = std::numeric_limits<Seconds>::max();
  };

  void set(std::size_t place, Least value) {
    std::size_t at = leaves_ + place;
    for (tree_[at] = value; at > 1; at /= 2) {
      const Least &left = tree_[at & ~std::size_t{1}], &right = tree_[at | 1];
      tree_[at / 2] = {std::min(left.processors, right.processors), std::min(left.requested, right.requested)};
    }
  }

  static bool may(const Least& least, std::int32_t processors, Seconds time, std::int32_t extra) {
    return least.processors <= processors && (least.requested <= time || least.processors <= extra);
  }

  std::size_t search(std::size_t at, std::size_t begin, std::size_t width, std::size_t from, std::int32_t processors,
                     Seconds time, std::int32_t extra) const {
    if (begin + width <= from || !may(tree_[at], processors, time, extra)) return none;
    if (width == 1) return begin;
    const std::size_t left = search(2 * at, begin, width / 2, from, processors, time, extra);
    return left != none ? left : search(2 * at + 1, begin + width / 2, width / 2, from, processors, time, extra);
  }

  std::size_t leaves_, count_ = 0;
  std::vector<Least> tree_;
};

}  // namespace assay::batch
