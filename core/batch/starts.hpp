// When the jobs that wait are to start, in order of time and then of their places. They lie in blocks, so that one is
// found, added and removed by looking at two short pieces of memory.
#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch/job.hpp"

namespace assay::batch {

struct Start {
  Seconds at = 0;
  std::uint32_t place = 0;
  std::int32_t processors = 0;

  friend auto operator<=>(const Start&, const Start&) = default;
};

class Starts {
 public:
  bool empty() const { return blocks_.empty(); }
  const Start& front() const { return blocks_.front().front(); }

  void add(const Start& start) {
    if (blocks_.empty()) {
      firsts_.push_back(start);
      blocks_.push_back({start});
      return;
    }
    const std::size_t at = block_of(start);
    std::vector<Start>& block = blocks_[at];
    block.insert(std::lower_bound(block.begin(), block.end(), start), start);
    firsts_[at] = block.front();
    if (block.size() < 2 * half) return;
    const std::vector<Start> second(block.begin() + half, block.end());
    block.resize(half);
    firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(at) + 1, second.front());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, second);
  }

  /// It must be there.
  void remove(const Start& start) {
    const std::size_t at = block_of(start);
    std::vector<Start>& block = blocks_[at];
    block.erase(std::lower_bound(block.begin(), block.end(), start));
    if (!block.empty()) {
      firsts_[at] = block.front();
      return;
    }
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  /// `visit` each start in (after, until], in order.
  template <class Visit>
  void visit(Seconds after, Seconds until, Visit&& visit) const {
    if (blocks_.empty()) return;
    const Start from{after + 1, 0, 0};
    std::size_t at = block_of(from);
    const std::vector<Start>& first = blocks_[at];
    for (auto each = std::lower_bound(first.begin(), first.end(), from);;) {
      for (; each != blocks_[at].end(); ++each) {
        if (each->at > until) return;
        visit(*each);
      }
      if (++at == blocks_.size()) return;
      each = blocks_[at].begin();
    }
  }

 private:
  static constexpr std::size_t half = 32;  // a block is divided at twice as many

  std::size_t block_of(const Start& start) const {
    return static_cast<std::size_t>(std::upper_bound(firsts_.begin() + 1, firsts_.end(), start) - firsts_.begin()) - 1;
  }

  std::vector<Start> firsts_;               // of each block
  std::vector<std::vector<Start>> blocks_;  // ascending; none is empty
};

}  // namespace assay::batch
