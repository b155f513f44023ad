// The worst so many of a sample's arguments, wherever they lie: a heap of their places in the sample, whose top is the
// least of the worst. Of equal errors the first of the sample stands, so that it does not matter which thread found
// which.
//
// Two numbers each, in one register of 16 bytes: code compiled at -O1 leaves the upper halves of wider ones set, and a
// C library without AVX is then ten times as slow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::kernels {

class Worst {
 public:
  struct Placed {
    double ulp;
    std::int64_t at;  // in the sample
  };
  explicit Worst(std::size_t most) : most_(most) {}

  [[gnu::always_inline]] void add(double ulp, std::int64_t at) {
    if (heap_.size() < most_ || !(ulp < heap_.front().ulp)) keep({ulp, at});
  }
  void add(const Worst& other) {
    for (const Placed& each : other.heap_) add(each.ulp, each.at);
  }
  std::vector<Placed> descending() const {
    std::vector<Placed> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), worse);
    return sorted;
  }

 private:
  void keep(const Placed& found) {
    if (heap_.size() == most_) {
      if (!worse(found, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      heap_.pop_back();
    }
    heap_.push_back(found);
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }
  static bool worse(const Placed& a, const Placed& b) { return a.ulp != b.ulp ? a.ulp > b.ulp : a.at < b.at; }

  std::size_t most_;
  std::vector<Placed> heap_;
};

}  // namespace assay::kernels
