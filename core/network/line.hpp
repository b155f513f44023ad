// A line of messages that wait, first come first served: a circular list through the messages themselves, of which the
// last is known. `next(number)` is the place in which a message holds the number of the one behind it.
#pragma once
#include <cstdint>

#include "events/wheel.hpp"

namespace assay::network {

struct Line {
  std::uint32_t last = events::no_index;

  [[nodiscard]] bool empty() const { return last == events::no_index; }
  // Both without a branch, since nothing foretells whether anybody waits.
  template <class Next>
  void put(std::uint32_t message, Next next) {
    next(message) = message;
    const std::uint32_t before = empty() ? message : last;
    const std::uint32_t first = next(before);
    next(before) = message;
    next(message) = first;
    last = message;
  }
  /// Takes the first out of a line that is not empty.
  template <class Next>
  std::uint32_t take(Next next) {
    const std::uint32_t first = next(last);
    next(last) = next(first);
    last = first == last ? events::no_index : last;
    return first;
  }
};

/// A line that knows how many stand in it.
struct CountedLine : Line {
  std::uint32_t waiting = 0;

  template <class Next>
  void put(std::uint32_t message, Next next) {
    ++waiting;
    Line::put(message, next);
  }
  template <class Next>
  std::uint32_t take(Next next) {
    --waiting;
    return Line::take(next);
  }
};

}  // namespace assay::network
