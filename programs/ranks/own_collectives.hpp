// Machines with collectives of their own: an MPI library's. What each takes and gives is said in algorithms/table.hpp.
//
//   co_await collective(operation, in, out, block, root)   the library's own, among all ranks; not the barrier, which
//                                                          is barrier() of an OwnBarrier
//   co_await start(operation, in, out, block, root)        begins the same, the barrier too, and gives a
//                                                          CollectiveRequest: to be waited for or tested as a
//                                                          send's; `in` and `out` are its own until it is over
//   describes_collectives()                                whether there are any: a described machine may not say
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ranks/communicator.hpp"

namespace assay::ranks {

enum class Operation : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  reduce_scatter,
  alltoall,
  alltoallv,
  scan
};
inline constexpr std::array<std::string_view, 11> operation_names = {
    "barrier",   "broadcast",      "reduce",   "allreduce", "gather", "scatter",
    "allgather", "reduce-scatter", "alltoall", "alltoallv", "scan"};

// An alltoallv's message, in bytes: of mean length `block`, every rank sends as much, but not every one receives as
// much; messages of no bytes occur. In `in` and in `out` those of consecutive ranks lie 2 * block apart.
inline constexpr std::size_t uneven(std::size_t block, int from, int to, int ranks) {
  const auto place =
      (2 * static_cast<std::size_t>(from) + static_cast<std::size_t>(to)) % static_cast<std::size_t>(ranks);
  return ranks == 1 ? block : 2 * block * place / static_cast<std::size_t>(ranks - 1);
}

template <class C>
concept OwnCollectives = OwnBarrier<C> && requires(C comm, const void* in, void* out, std::size_t n, int root) {
  { comm.describes_collectives() } -> std::convertible_to<bool>;
  comm.collective(Operation::broadcast, in, out, n, root);  // to be awaited
};

template <class C>
concept OwnNonBlocking = OwnCollectives<C> && requires(C comm, const void* in, void* out, std::size_t n, int root,
                                                       typename C::CollectiveRequest& request) {
  { comm.start(Operation::broadcast, in, out, n, root) } -> AwaitableOf<typename C::CollectiveRequest>;
  { comm.test(request) } -> AwaitableOf<bool>;
  { comm.wait(request) } -> Awaitable;
};

template <class C>
bool has_collectives(const C& comm) {
  if constexpr (OwnCollectives<C>) return comm.describes_collectives();
  return false;
}

}  // namespace assay::ranks
