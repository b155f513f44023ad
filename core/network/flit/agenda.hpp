// What is to be looked at in a tick, pass by pass: in a pass first sinks, then wires upwards.
//
// Nearly all of it are wires of the present pass: a bitmap of three levels. Sinks and later passes wait in a heap.
#pragma once
#include <algorithm>
#include <bit>
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
  explicit Agenda(std::size_t wires)
      : words_(wires / 64 + 1, 0), above_(wires / 4096 + 1, 0), top_(wires / 262144 + 1, 0) {}

  [[nodiscard]] bool empty() const { return marked_ == 0 && first_ == ~std::uint64_t{0}; }
  /// A tick is over, and nothing is left.
  void begin() { pass_ = 0; }
  void put(std::uint64_t pass, std::uint32_t wire) {
    if (pass == pass_)
      mark(wire);
    else
      push(pass << 33 | std::uint64_t{1} << 32 | wire);
  }
  void put_sink(std::uint64_t pass, std::uint32_t stop) { push(pass << 33 | stop); }
  /// The next one; once, however often it was put in.
  Entry take() {
    if (marked_ == 0) [[unlikely]]
      return take_waiting();
    const std::uint32_t wire = lowest();
    if (first_ <= (pass_ << 33 | std::uint64_t{1} << 32 | wire)) [[unlikely]]
      return take_waiting();
    clear(wire);
    return {pass_, false, wire};
  }
  [[nodiscard]] std::size_t memory() const {
    return (words_.capacity() + above_.capacity() + top_.capacity() + heap_.capacity()) * 8;
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << (number % 64); }
  void push(std::uint64_t key) {
    heap_.push_back(key);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    first_ = heap_.front();
  }
  void mark(std::uint32_t wire) {
    std::uint64_t& word = words_[wire / 64];
    marked_ += (word & bit(wire)) == 0;
    word |= bit(wire);
    above_[wire / 4096] |= bit(wire / 64);
    top_[wire / 262144] |= bit(wire / 4096);
  }
  /// Without branches, which nothing would foretell.
  void clear(std::uint32_t wire) {
    --marked_;
    const std::uint64_t word = words_[wire / 64] &= ~bit(wire);
    const std::uint64_t above = above_[wire / 4096] &= ~(std::uint64_t{word == 0} << (wire / 64 % 64));
    top_[wire / 262144] &= ~(std::uint64_t{above == 0} << (wire / 4096 % 64));
  }
  /// The lowest wire marked, where there is one.
  [[nodiscard]] std::uint32_t lowest() const {
    std::uint32_t at = 0;
    while (top_[at] == 0) ++at;
    at = at * 64 + static_cast<std::uint32_t>(std::countr_zero(top_[at]));
    at = at * 64 + static_cast<std::uint32_t>(std::countr_zero(above_[at]));
    return at * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[at]));
  }
  [[gnu::noinline]] Entry take_waiting() {
    const std::uint64_t key = heap_.front();
    do {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    } while (!heap_.empty() && heap_.front() == key);
    first_ = heap_.empty() ? ~std::uint64_t{0} : heap_.front();
    const Entry found{key >> 33, (key >> 32 & 1) == 0, static_cast<std::uint32_t>(key)};
    if (marked_ == 0)
      pass_ = found.pass;
    else if (!found.sink && found.pass == pass_ && (words_[found.number / 64] & bit(found.number)) != 0)
      clear(found.number);
    return found;
  }

  std::vector<std::uint64_t> words_, above_, top_, heap_;
  std::uint64_t pass_ = 0;                   // of the bitmap
  std::uint64_t first_ = ~std::uint64_t{0};  // of the heap
  std::uint32_t marked_ = 0;
};

}  // namespace assay::network
