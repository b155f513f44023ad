// A packet that is granted a wire as a whole: when its second and its last flit start to cross.
//
// With A(i) the head's start on link i, S(i) the second flit's, T(i) the last one's, L flits, f and w as in fabric.hpp:
//   S(i) = max(A(i) + f(i), S(i-1) + w(i-1)),   T(i) = max(S(i) + f(i) (L-2), T(i-1) + w(i-1)),
// and T(i) = A(i) for a message of one flit, which is its own tail, whatever h and w. Where no head is faster than its
// body (h >= w), S(i) falls out: T(i) = max(A(i) + f(i) (L-1), T(i-1) + w(i-1)). A sink is one more such link.
#pragma once
#include <algorithm>
#include <cstdint>

namespace assay::network {

struct Passage {
  std::uint64_t second = 0, last = 0;

  /// Over the first link of a way.
  static Passage begin(std::uint64_t head, std::uint32_t flit, std::uint32_t flits) {
    return {head + flit, head + std::uint64_t{flit} * (flits - 1)};
  }
  /// Over the next link, after one whose body flits may move on `body` ticks after their start.
  [[nodiscard, gnu::always_inline]] Passage next(std::uint32_t body, std::uint64_t head, std::uint32_t flit,
                                                 std::uint32_t flits) const {
    const std::uint64_t then = std::max(head + flit, second + body);
    if (flits == 1) return {then, head};
    return {then, std::max(then + std::uint64_t{flit} * (flits - 2), last + body)};
  }
};

}  // namespace assay::network
