// Grids and graphs of ranks.
#include <algorithm>
#include <memory>
#include <numeric>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/collectives/all.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/topologies/topology.hpp"

using namespace assay::abi;

namespace {

const Topology& topology(MPI_Comm handle, int kind) {
  const Communicator& comm = communicator(handle);
  if (!comm.topology || comm.topology->kind != kind)
    fail(MPI_ERR_TOPOLOGY, kind == MPI_CART ? "the communicator is no grid" : "the communicator has no such graph");
  return *comm.topology;
}

// The first `ranks` of a communicator, with a topology; ranks keep their order, which `reorder` allows.
Communicator* with_topology(Communicator& comm, int ranks, Topology topology) {
  std::vector<int> members(comm.local->members().begin(), comm.local->members().begin() + ranks);
  Communicator* made = make_communicator(comm, std::move(members), greatest_of_all(comm, free_context()));
  if (made) made->topology = std::make_unique<Topology>(std::move(topology));
  return made;
}

Topology grid(const Communicator& comm, int dimensions, const int sizes[], const int periods[]) {
  if (dimensions < 0) fail(MPI_ERR_DIMS, "dimensions below zero");
  Topology made;
  made.kind = MPI_CART;
  long long ranks = 1;
  for (int k = 0; k < dimensions; ++k) {
    if (sizes[k] < 1) fail(MPI_ERR_DIMS, "a dimension below one");
    ranks *= sizes[k];
    if (ranks > comm.size()) break;
    made.sizes.push_back(sizes[k]);
    made.periods.push_back(periods[k] != 0);
  }
  if (ranks > comm.size())
    fail(MPI_ERR_TOPOLOGY, "a grid of more ranks than the communicator's " + std::to_string(comm.size()));
  return made;
}
int ranks_of(const Topology& grid) {
  return std::accumulate(grid.sizes.begin(), grid.sizes.end(), 1, std::multiplies<>());
}

}  // namespace

MPI_FUNCTION(MPI_Dims_create, (int ranks, int dimensions, int sizes[])) {
  return call(__func__, [&] {
    std::vector<int> all(sizes, sizes + dimensions);
    fill_grid(ranks, all);
    std::ranges::copy(all, sizes);
  });
}
MPI_FUNCTION(MPI_Cart_create,
             (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    Topology made = grid(parent, dimensions, sizes, periods);
    const int ranks = ranks_of(made);
    *out = handle_or_null(with_topology(parent, ranks, std::move(made)));
  });
}
MPI_FUNCTION(MPI_Cart_map, (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int* rank)) {
  return call(__func__, comm, [&] {
    const Communicator& of = communicator(comm);
    *rank = of.rank < ranks_of(grid(of, dimensions, sizes, periods)) ? of.rank : int{MPI_UNDEFINED};
  });
}
MPI_FUNCTION(MPI_Cartdim_get, (MPI_Comm comm, int* dimensions)) {
  return call(__func__, comm, [&] { *dimensions = static_cast<int>(topology(comm, MPI_CART).sizes.size()); });
}
MPI_FUNCTION(MPI_Cart_get, (MPI_Comm comm, int room, int sizes[], int periods[], int place[])) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_CART);
    check_argument(room >= std::ssize(of.sizes), "fewer dimensions than the grid has");
    std::ranges::copy(of.sizes, sizes);
    std::ranges::copy(of.periods, periods);
    std::ranges::copy(of.place_of(communicator(comm).rank), place);
  });
}
MPI_FUNCTION(MPI_Cart_rank, (MPI_Comm comm, const int place[], int* rank)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_CART);
    *rank = of.rank_at({place, place + of.sizes.size()});
    if (*rank == MPI_PROC_NULL) fail(MPI_ERR_RANK, "a place outside of the grid");
  });
}
MPI_FUNCTION(MPI_Cart_coords, (MPI_Comm comm, int rank, int room, int place[])) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_CART);
    if (rank < 0 || rank >= communicator(comm).size()) wrong_peer(communicator(comm), rank);
    check_argument(room >= std::ssize(of.sizes), "fewer dimensions than the grid has");
    std::ranges::copy(of.place_of(rank), place);
  });
}
MPI_FUNCTION(MPI_Cart_shift, (MPI_Comm comm, int dimension, int distance, int* source, int* target)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_CART);
    check_argument(dimension >= 0 && dimension < std::ssize(of.sizes), "no such dimension");
    const auto moved = [&](int by) {
      auto place = of.place_of(communicator(comm).rank);
      place[static_cast<std::size_t>(dimension)] += by;
      return of.rank_at(place);
    };
    *target = moved(distance);
    *source = moved(-distance);
  });
}
MPI_FUNCTION(MPI_Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_CART);
    Communicator& parent = communicator(comm);
    Topology made;
    made.kind = MPI_CART;
    for (std::size_t k = 0; k < of.sizes.size(); ++k) {
      if (!kept[k]) continue;
      made.sizes.push_back(of.sizes[k]);
      made.periods.push_back(of.periods[k]);
    }
    // Those whose places agree in all other dimensions, in order of rank.
    const auto own = of.place_of(parent.rank);
    std::vector<int> members;
    for (int rank = 0; rank < parent.size(); ++rank) {
      const auto place = of.place_of(rank);
      bool with = true;
      for (std::size_t k = 0; k < place.size(); ++k) with = with && (kept[k] || place[k] == own[k]);
      if (with) members.push_back(parent.world(rank));
    }
    Communicator* sub = make_communicator(parent, std::move(members), greatest_of_all(parent, free_context()));
    sub->topology = std::make_unique<Topology>(std::move(made));
    *out = handle_of(*sub);
  });
}
MPI_FUNCTION(MPI_Topo_test, (MPI_Comm comm, int* status)) {
  return call(__func__, comm, [&] {
    const Communicator& of = communicator(comm);
    *status = of.topology ? of.topology->kind : int{MPI_UNDEFINED};
  });
}

MPI_FUNCTION(MPI_Graph_create, (MPI_Comm comm, int ranks, const int ends[], const int edges[], int, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    check_argument(ranks >= 0 && ranks <= parent.size(), "a graph of more ranks than the communicator has");
    Topology made;
    made.kind = MPI_GRAPH;
    made.ends.assign(ends, ends + ranks);
    if (ranks > 0) made.edges.assign(edges, edges + ends[ranks - 1]);
    for (const int each : made.edges) check_argument(each >= 0 && each < ranks, "an edge to a rank that is none");
    *out = handle_or_null(with_topology(parent, ranks, std::move(made)));
  });
}
MPI_FUNCTION(MPI_Graph_map, (MPI_Comm comm, int ranks, const int[], const int[], int* rank)) {
  return call(__func__, comm, [&] {
    const Communicator& of = communicator(comm);
    *rank = of.rank < ranks ? of.rank : int{MPI_UNDEFINED};
  });
}
MPI_FUNCTION(MPI_Graphdims_get, (MPI_Comm comm, int* ranks, int* edges)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_GRAPH);
    *ranks = static_cast<int>(of.ends.size());
    *edges = static_cast<int>(of.edges.size());
  });
}
MPI_FUNCTION(MPI_Graph_get, (MPI_Comm comm, int max_ends, int max_edges, int ends[], int edges[])) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_GRAPH);
    std::copy_n(of.ends.begin(), std::min<std::ptrdiff_t>(max_ends, std::ssize(of.ends)), ends);
    std::copy_n(of.edges.begin(), std::min<std::ptrdiff_t>(max_edges, std::ssize(of.edges)), edges);
  });
}
namespace {
std::vector<int> graph_neighbours(MPI_Comm comm, int rank) {
  const Topology& of = topology(comm, MPI_GRAPH);
  if (rank < 0 || rank >= communicator(comm).size()) wrong_peer(communicator(comm), rank);
  return of.neighbours(rank).targets;
}
}  // namespace
MPI_FUNCTION(MPI_Graph_neighbors_count, (MPI_Comm comm, int rank, int* count)) {
  return call(__func__, comm, [&] { *count = static_cast<int>(graph_neighbours(comm, rank).size()); });
}
MPI_FUNCTION(MPI_Graph_neighbors, (MPI_Comm comm, int rank, int room, int neighbours[])) {
  return call(__func__, comm, [&] {
    const auto all = graph_neighbours(comm, rank);
    std::copy_n(all.begin(), std::min<std::ptrdiff_t>(room, std::ssize(all)), neighbours);
  });
}

namespace {
std::vector<int> weights_in(const int* weights, int count) {
  if (weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY || count == 0) return {};
  return {weights, weights + count};
}
}  // namespace
MPI_FUNCTION(MPI_Dist_graph_create_adjacent,
             (MPI_Comm comm, int indegree, const int sources[], const int* source_weights, int outdegree,
              const int targets[], const int* target_weights, MPI_Info, int, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    check_argument(indegree >= 0 && outdegree >= 0, "a degree below zero");
    Topology made;
    made.kind = MPI_DIST_GRAPH;
    made.sources.assign(sources, sources + indegree);
    made.targets.assign(targets, targets + outdegree);
    for (const auto* all : {&made.sources, &made.targets})
      for (const int each : *all) check_peer(parent, each);
    made.weighted = source_weights != MPI_UNWEIGHTED;
    made.source_weights = weights_in(source_weights, indegree);
    made.target_weights = weights_in(target_weights, outdegree);
    *out = handle_or_null(with_topology(parent, parent.size(), std::move(made)));
  });
}
// Any rank names any edges: all edges go to all ranks, and each keeps its own, in the order of those who named them.
MPI_FUNCTION(MPI_Dist_graph_create, (MPI_Comm comm, int count, const int sources[], const int degrees[],
                                     const int targets[], const int* weights, MPI_Info, int, MPI_Comm* out)) {
  return call(__func__, comm, [&] {
    Communicator& parent = communicator(comm);
    std::vector<int> edges;  // source, target, weight
    const bool weighted = weights != MPI_UNWEIGHTED;
    for (int i = 0, next = 0; i < count; ++i)
      for (int k = 0; k < degrees[i]; ++k, ++next) {
        check_peer(parent, sources[i]);
        check_peer(parent, targets[next]);
        edges.insert(edges.end(), {sources[i], targets[next], weighted ? weights[next] : 1});
      }
    const int most = greatest_of_all(parent, static_cast<int>(edges.size()));
    edges.resize(static_cast<std::size_t>(most), -1);
    Topology made;
    made.kind = MPI_DIST_GRAPH;
    made.weighted = weighted;
    for (const auto& of_one : gather_all(parent, edges))
      for (std::size_t i = 0; i + 2 < of_one.size() && of_one[i] >= 0; i += 3) {
        if (of_one[i + 1] == parent.rank)
          made.sources.push_back(of_one[i]), made.source_weights.push_back(of_one[i + 2]);
        if (of_one[i] == parent.rank)
          made.targets.push_back(of_one[i + 1]), made.target_weights.push_back(of_one[i + 2]);
      }
    *out = handle_or_null(with_topology(parent, parent.size(), std::move(made)));
  });
}
MPI_FUNCTION(MPI_Dist_graph_neighbors_count, (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_DIST_GRAPH);
    *indegree = static_cast<int>(of.sources.size());
    *outdegree = static_cast<int>(of.targets.size());
    *weighted = of.weighted;
  });
}
MPI_FUNCTION(MPI_Dist_graph_neighbors, (MPI_Comm comm, int max_in, int sources[], int* source_weights, int max_out,
                                        int targets[], int* target_weights)) {
  return call(__func__, comm, [&] {
    const Topology& of = topology(comm, MPI_DIST_GRAPH);
    const auto give = [](const std::vector<int>& from, int most, int* to) {
      if (to != MPI_UNWEIGHTED && to != MPI_WEIGHTS_EMPTY)
        std::copy_n(from.begin(), std::min<std::ptrdiff_t>(most, std::ssize(from)), to);
    };
    give(of.sources, max_in, sources);
    give(of.targets, max_out, targets);
    if (of.weighted) {
      give(of.source_weights, max_in, source_weights);
      give(of.target_weights, max_out, target_weights);
    }
  });
}
