// The one table of collective algorithms: which operation each carries out, and its function. The library's own, which
// is not ours, has no row: it is the machine's barrier() and collective().
#pragma once

#include "ranks/algorithms/all.hpp"
#include "ranks/algorithms/alltoall.hpp"
#include "ranks/algorithms/barriers.hpp"
#include "ranks/algorithms/blocks.hpp"
#include "ranks/algorithms/halving.hpp"
#include "ranks/algorithms/level_blocks.hpp"
#include "ranks/algorithms/level_messages.hpp"
#include "ranks/algorithms/level_sums.hpp"
#include "ranks/algorithms/levels.hpp"
#include "ranks/algorithms/rooted.hpp"
#include "ranks/algorithms/sums.hpp"

namespace assay::ranks {

template <Communicator C>
struct Row {
  Operation operation;
  Algorithm algorithm;
  Task (*run)(C&, Exchange) = nullptr;
  Task (*by_node)(C&, Levels<C>&, Exchange) = nullptr;  // of a two-level algorithm, in place of `run`
  Task (*barriers)(C&, Barriers) = nullptr;             // of a barrier, in place of `run`

  // The operation among all ranks of `comm`, of an algorithm that knows no levels.
  Task all(C& comm, Exchange x) const { return barriers ? barriers(comm, {.among = comm.size()}) : run(comm, x); }
};

template <Communicator C>
inline constexpr std::array rows = {
    Row<C>{Operation::barrier, Algorithm::linear, nullptr, nullptr, barrier_linear<C>},
    Row<C>{Operation::barrier, Algorithm::binomial, nullptr, nullptr, barrier_binomial<C>},
    Row<C>{Operation::barrier, Algorithm::recursive_doubling, nullptr, nullptr, barrier_doubling<C>},
    Row<C>{Operation::barrier, Algorithm::dissemination, nullptr, nullptr, barrier_dissemination<C>},
    Row<C>{Operation::barrier, Algorithm::dimension_exchange, nullptr, nullptr, barrier_dimensions<C>},
    Row<C>{Operation::broadcast, Algorithm::linear, broadcast_linear<C>},
    Row<C>{Operation::broadcast, Algorithm::binomial, broadcast_binomial<C>},
    Row<C>{Operation::broadcast, Algorithm::scatter_allgather, broadcast_scattered<C>},
    Row<C>{Operation::reduce, Algorithm::linear, reduce_linear<C>},
    Row<C>{Operation::reduce, Algorithm::binomial, reduce_binomial<C>},
    Row<C>{Operation::reduce, Algorithm::rabenseifner, reduce_rabenseifner<C>},
    Row<C>{Operation::allreduce, Algorithm::binomial, allreduce_binomial<C>},
    Row<C>{Operation::allreduce, Algorithm::recursive_doubling, allreduce_doubling<C>},
    Row<C>{Operation::allreduce, Algorithm::rabenseifner, allreduce_rabenseifner<C>},
    Row<C>{Operation::allreduce, Algorithm::ring, allreduce_ring<C>},
    Row<C>{Operation::gather, Algorithm::linear, gather_linear<C>},
    Row<C>{Operation::gather, Algorithm::binomial, gather_binomial<C>},
    Row<C>{Operation::scatter, Algorithm::linear, scatter_linear<C>},
    Row<C>{Operation::scatter, Algorithm::binomial, scatter_binomial<C>},
    Row<C>{Operation::allgather, Algorithm::linear, allgather_linear<C>},
    Row<C>{Operation::allgather, Algorithm::ring, allgather_ring<C>},
    Row<C>{Operation::allgather, Algorithm::bruck, allgather_bruck<C>},
    Row<C>{Operation::reduce_scatter, Algorithm::recursive_halving, reduce_scatter_halving<C>},
    Row<C>{Operation::reduce_scatter, Algorithm::pairwise, reduce_scatter_pairwise<C>},
    Row<C>{Operation::reduce_scatter, Algorithm::ring, reduce_scatter_ring<C>},
    Row<C>{Operation::alltoall, Algorithm::linear, alltoall_linear<C>},
    Row<C>{Operation::alltoall, Algorithm::pairwise, alltoall_pairwise<C>},
    Row<C>{Operation::alltoall, Algorithm::bruck, alltoall_bruck<C>},
    Row<C>{Operation::alltoallv, Algorithm::linear, alltoallv_linear<C>},
    Row<C>{Operation::alltoallv, Algorithm::pairwise, alltoallv_pairwise<C>},
    Row<C>{Operation::scan, Algorithm::linear, scan_linear<C>},
    Row<C>{Operation::scan, Algorithm::recursive_doubling, scan_doubling<C>},
    Row<C>{Operation::barrier, Algorithm::two_level, nullptr, barrier_levels<C>},
    Row<C>{Operation::broadcast, Algorithm::two_level, nullptr, broadcast_levels<C>},
    Row<C>{Operation::reduce, Algorithm::two_level, nullptr, reduce_levels<C>},
    Row<C>{Operation::allreduce, Algorithm::two_level, nullptr, allreduce_levels<C>},
    Row<C>{Operation::gather, Algorithm::two_level, nullptr, gather_levels<C>},
    Row<C>{Operation::scatter, Algorithm::two_level, nullptr, scatter_levels<C>},
    Row<C>{Operation::allgather, Algorithm::two_level, nullptr, allgather_levels<C>},
    Row<C>{Operation::reduce_scatter, Algorithm::two_level, nullptr, reduce_scatter_levels<C>},
    Row<C>{Operation::alltoall, Algorithm::two_level, nullptr, alltoall_levels<C>},
    Row<C>{Operation::alltoallv, Algorithm::two_level, nullptr, alltoallv_levels<C>},
    Row<C>{Operation::scan, Algorithm::two_level, nullptr, scan_levels<C>},
};

// The row of a pair, null where the table has none.
template <Communicator C>
constexpr const Row<C>* row_of(Operation operation, Algorithm algorithm) {
  for (const Row<C>& row : rows<C>)
    if (row.operation == operation && row.algorithm == algorithm) return &row;
  return nullptr;
}

}  // namespace assay::ranks
