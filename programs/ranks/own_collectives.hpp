// Machines with collectives of their own: an MPI library's. What each takes and gives is said in algorithms/table.hpp.
//
//   co_await collective(operation, in, out, block, root)   the library's own, among all ranks; not the barrier, which
//                                                          is barrier() of an OwnBarrier
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ranks/communicator.hpp"

namespace assay::ranks {

enum class Operation : std::uint8_t { barrier, broadcast, reduce, allreduce, allgather, alltoall };
inline constexpr std::array<std::string_view, 6> operation_names = {"barrier",   "broadcast", "reduce",
                                                                    "allreduce", "allgather", "alltoall"};

template <class C>
concept OwnCollectives = OwnBarrier<C> && requires(C comm, const void* in, void* out, std::size_t n, int root) {
  { comm.collective(Operation::broadcast, in, out, n, root) } -> Awaitable;
};

}  // namespace assay::ranks
