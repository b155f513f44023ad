// What is to be looked at in a tick, pass by pass: in a pass first sinks, then wires upwards.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay::network {

class Agenda {
 public:
  struct Entry {
    std::uint64_t pass;
    bool sink;
    std::uint32_t number;
  };
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  void put(std::uint64_t pass, std::uint32_t wire) { push(pass << 33 | std::uint64_t{1} << 32 | wire); }
  void put_sink(std::uint64_t pass, std::uint32_t stop) { push(pass << 33 | stop); }
  /// The next one; once, however often it was put in.
  Entry take() {
    const std::uint64_t key = heap_.front();
    do {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    } while (!heap_.empty() && heap_.front() == key);
    return {key >> 33, (key >> 32 & 1) == 0, static_cast<std::uint32_t>(key)};
  }

 private:
  void push(std::uint64_t key) {
    heap_.push_back(key);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  std::vector<std::uint64_t> heap_;
};

}  // namespace assay::network
