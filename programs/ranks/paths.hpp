// Where ranks are, by the hops between them; where a machine does not know its hops, ranks are in their order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

// The hop counts that there are from rank 0 to others, ascending; empty where hops are unknown.
template <Communicator C>
std::vector<std::int64_t> hop_counts(const C& comm) {
  std::vector<std::int64_t> all;
  for (int to = 1; to < comm.size(); ++to) {
    const auto hops = comm.hops(0, to);
    if (hops && *hops > 0 && std::ranges::find(all, *hops) == all.end()) all.push_back(*hops);
  }
  std::ranges::sort(all);
  return all;
}

// The first rank so many hops from `from`, or -1.
template <Communicator C>
int at_hops(const C& comm, int from, std::int64_t hops) {
  for (int to = 0; to < comm.size(); ++to) {
    if (to != from && comm.hops(from, to) == hops) return to;
  }
  return -1;
}

// Ranks one hop from `from`; all the others where hops are unknown.
template <Communicator C>
std::vector<int> neighbours(const C& comm, int from) {
  std::vector<int> all;
  for (int to = 0; to < comm.size(); ++to) {
    if (to != from && comm.hops(from, to).value_or(1) == 1) all.push_back(to);
  }
  return all;
}

// The neighbours; where no rank is one hop away, as behind switches, the nearest ranks behind other routers; where all
// are behind one, the ranks of other nodes.
template <Communicator C>
std::vector<int> nearest(const C& comm, int from) {
  std::vector<int> all = neighbours(comm, from);
  if (!all.empty()) return all;
  int least = 0;
  for (int to = 0; to < comm.size(); ++to) {
    if (to == from || comm.same_node(from, to)) continue;
    const int hops = comm.hops(from, to).value_or(0);
    if (least > 0 && (hops == 0 || hops > least)) continue;
    if (hops != least) all.clear();
    least = hops;
    all.push_back(to);
  }
  return all;
}

// Ranks on some shortest way from a to b, one hop from a: with two hops between, those that route for them.
template <Communicator C>
std::vector<int> between(const C& comm, int a, int b) {
  std::vector<int> all;
  const auto whole = comm.hops(a, b);
  if (!whole) return all;
  for (const int each : neighbours(comm, a)) {
    if (each != b && comm.hops(each, b) == *whole - 1) all.push_back(each);
  }
  return all;
}

// A straight line of four ranks, each a hop from the next and the ends three hops apart: where a message from the first
// to the last shares the middle channel with one from the second to the third. Empty where there is none.
template <Communicator C>
std::vector<int> line_of_four(const C& comm) {
  for (const int b : neighbours(comm, 0)) {
    for (const int c : neighbours(comm, b)) {
      if (comm.hops(0, c) != 2) continue;
      for (const int d : neighbours(comm, c)) {
        if (comm.hops(0, d) == 3) return {0, b, c, d};
      }
    }
  }
  return {};
}

// How many of `most`: each up to 8, beyond that powers of two, and all.
inline std::vector<std::int64_t> steps_up_to(std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t each = 1; each < most; each += each < 8 ? 1 : each) all.push_back(each);
  if (most > 0) all.push_back(most);
  return all;
}

// Why a program passes over more than `most` pairs of ranks.
inline Reason more_pairs_than(int most) {
  return {"more pairs than its ranks make", "pairs", "0 (in steps), 1 to " + std::to_string(most)};
}

}  // namespace assay::ranks
