// What a communicator's ranks are to each other: a grid, a graph that all ranks know, or each rank's own neighbours.
#pragma once

#include <vector>

#include "mpi_library/abi/mpi.h"

namespace assay::abi {

struct Topology {
  int kind = MPI_CART;
  std::vector<int> sizes, periods;                  // of a grid's dimensions
  std::vector<int> ends, edges;                     // of a graph: the end of each rank's neighbours, and all of them
  std::vector<int> sources, targets;                // of a distributed graph
  std::vector<int> source_weights, target_weights;  // empty: unweighted
  bool weighted = false;

  // Of a grid, slowest dimension first.
  std::vector<int> place_of(int rank) const;
  int rank_at(std::vector<int> place) const;  // MPI_PROC_NULL beyond an end that is not periodic

  // Whom rank `rank` receives from and sends to in neighbourhood collectives, in their order.
  struct Neighbours {
    std::vector<int> sources, targets;
  };
  Neighbours neighbours(int rank) const;
};

// As even as can be, largest first, where `sizes` has zeros; the others are kept. An Error where there is no such grid.
void fill_grid(int ranks, std::vector<int>& sizes);

}  // namespace assay::abi
