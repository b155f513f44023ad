#include "mpi_library/topologies/topology.hpp"

#include <algorithm>
#include <functional>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {

std::vector<int> Topology::place_of(int rank) const {
  std::vector<int> place(sizes.size());
  for (std::size_t k = sizes.size(); k-- > 0; rank /= sizes[k]) place[k] = rank % sizes[k];
  return place;
}

int Topology::rank_at(std::vector<int> place) const {
  int rank = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (place[k] < 0 || place[k] >= sizes[k]) {
      if (!periods[k]) return MPI_PROC_NULL;
      place[k] = (place[k] % sizes[k] + sizes[k]) % sizes[k];
    }
    rank = rank * sizes[k] + place[k];
  }
  return rank;
}

Topology::Neighbours Topology::neighbours(int rank) const {
  if (kind == MPI_DIST_GRAPH) return {sources, targets};
  std::vector<int> all;
  if (kind == MPI_GRAPH) {
    const auto at = static_cast<std::size_t>(rank);
    all.assign(edges.begin() + (at == 0 ? 0 : ends[at - 1]), edges.begin() + ends[at]);
  } else {
    for (std::size_t k = 0; k < sizes.size(); ++k)
      for (const int step : {-1, 1}) {
        auto place = place_of(rank);
        place[k] += step;
        all.push_back(rank_at(place));
      }
  }
  return {all, all};
}

namespace {

// The divisors of `ranks` in falling order for `dimensions` sizes, none above `most`: the grid whose sizes differ
// least.
struct Search {
  std::vector<int> best, now;
  int spread = 0;
  void go(int ranks, std::size_t dimensions, int most) {
    if (dimensions == 1) {
      if (ranks > most) return;
      now.push_back(ranks);
      const int here = now.front() - now.back();
      if (best.empty() || here < spread || (here == spread && now < best)) best = now, spread = here;
      now.pop_back();
      return;
    }
    for (int size = std::min(ranks, most); size >= 1; --size) {
      if (ranks % size != 0) continue;
      double room = 1;  // that the other dimensions have at most
      for (std::size_t k = 0; k < dimensions && room < ranks; ++k) room *= size;
      if (room < ranks) break;
      now.push_back(size);
      go(ranks / size, dimensions - 1, size);
      now.pop_back();
    }
  }
};

}  // namespace

void fill_grid(int ranks, std::vector<int>& sizes) {
  int left = ranks;
  std::size_t open = 0;
  for (const int size : sizes) {
    if (size < 0) fail(MPI_ERR_DIMS, "a dimension below zero");
    if (size == 0) {
      ++open;
      continue;
    }
    if (left % size != 0) fail(MPI_ERR_DIMS, std::to_string(ranks) + " ranks do not fill a grid of these dimensions");
    left /= size;
  }
  if (open == 0) {
    if (left != 1) fail(MPI_ERR_DIMS, std::to_string(ranks) + " ranks do not fill a grid of these dimensions");
    return;
  }
  if (ranks < 1) fail(MPI_ERR_ARG, "fewer than one rank");
  Search search;
  search.go(left, open, left);
  std::size_t next = 0;
  for (int& size : sizes)
    if (size == 0) size = search.best[next++];
}

}  // namespace assay::abi
