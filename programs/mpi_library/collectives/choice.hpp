// Which algorithm carries out a collective call: the table of the described machine's MPI library.
#pragma once

#include <cstdint>

namespace assay::abi {

enum class Collective : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce_scatter,
  scan
};
enum class Way : std::uint8_t {
  linear,
  binomial,
  dissemination,
  doubling,
  ring,
  bruck,
  pairwise,
  halving,
  rabenseifner,
  scattered_doubling,
  scattered_ring,
  rooted
};

// `bytes`: of a broadcast, a reduction or a scan the message; of an allgather and a reduce-scatter all ranks' parts; of
// an alltoall one part. Ways that need a power of two of ranks are chosen only there.
Way way_of(Collective call, std::int64_t bytes, int ranks);

}  // namespace assay::abi
