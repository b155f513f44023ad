// The worst so many of many arguments, wherever they lie: a heap of them whose top is the least of the worst. Of equal
// errors the first argument of the sample stands, so that it does not matter which thread found which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/intrinsics/argument.hpp"

namespace assay::kernels {

class Worst {
 public:
  explicit Worst(std::size_t most) : most_(most) {}

  // `at`: the argument's place in the sample.
  void add(const Argument& argument, std::int64_t at) {
    const Placed found{argument, at};
    if (heap_.size() == most_) {
      if (!worse(found, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      heap_.pop_back();
    }
    heap_.push_back(found);
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }
  void add(const Worst& other) {
    for (const Placed& each : other.heap_) add(each.argument, each.at);
  }
  std::vector<Argument> descending() const {
    std::vector<Placed> sorted = heap_;
    std::sort(sorted.begin(), sorted.end(), worse);
    std::vector<Argument> arguments;
    for (const Placed& each : sorted) arguments.push_back(each.argument);
    return arguments;
  }

 private:
  struct Placed {
    Argument argument;
    std::int64_t at;
  };
  static bool worse(const Placed& a, const Placed& b) {
    return a.argument.ulp != b.argument.ulp ? a.argument.ulp > b.argument.ulp : a.at < b.at;
  }

  std::size_t most_;
  std::vector<Placed> heap_;
};

}  // namespace assay::kernels
