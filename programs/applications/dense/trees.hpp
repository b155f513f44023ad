// Messages among some of the ranks: those of a row or a column of a grid, or all.
#pragma once

#include <cstddef>

#include "applications/choices.hpp"
#include "ranks/communicator.hpp"
#include "ranks/task.hpp"

namespace assay::applications::dense {

// `count` ranks, `step` apart from `first` on; `me`: this rank's place among them.
struct Line {
  int first, step, count, me;
  int rank(int place) const { return first + place * step; }
};

// A place as seen from the root: a power of two of them as the corners of a cube, where each step of the tree is along
// an edge, others in turn. The way back is the same function for a cube.
inline int seen_from(int root, int place, int count) {
  return is_power_of_two(count) ? place ^ root : (place - root + count) % count;
}
inline int place_of(int root, int seen, int count) {
  return is_power_of_two(count) ? seen ^ root : (seen + root) % count;
}

// From the root down a binomial tree.
template <ranks::Communicator C>
ranks::Task spread(C& comm, Line line, int root, void* data, std::size_t bytes, int tag) {
  const int seen = seen_from(root, line.me, line.count);
  int bit = 1;
  while (bit < line.count && (seen & bit) == 0) bit *= 2;
  if (seen != 0) co_await comm.recv(data, bytes, line.rank(place_of(root, seen & ~bit, line.count)), tag);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (seen + bit < line.count)
      co_await comm.send(data, bytes, line.rank(place_of(root, seen + bit, line.count)), tag);
  }
}

// Sums to the root up the same tree; `room` is as large.
template <ranks::Communicator C, class Real>
ranks::Task sum_up(C& comm, Line line, int root, Real* values, Real* room, std::size_t count, int tag) {
  const int seen = seen_from(root, line.me, line.count);
  for (int bit = 1; bit < line.count; bit *= 2) {
    if ((seen & bit) != 0) {
      co_await comm.send(values, count * sizeof(Real), line.rank(place_of(root, seen & ~bit, line.count)), tag);
      co_return;
    }
    if (seen + bit >= line.count) continue;
    co_await comm.recv(room, count * sizeof(Real), line.rank(place_of(root, seen + bit, line.count)), tag);
    if (values) {
      for (std::size_t i = 0; i < count; ++i) values[i] += room[i];
    }
  }
}

}  // namespace assay::applications::dense
