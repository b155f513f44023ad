// The collectives of MPICH 1.2 on the described machine ([mpi] personality = "mpich-1.2"), made of its own messages.
//
// As that release's sources make them, whatever the length: broadcast and reduction by binomial trees in one piece,
// allreduce by a reduction to rank 0 and a broadcast, gather and scatter by the root's messages in turn, reduce-scatter
// by a reduction and a scatter, allgather round a ring, alltoall with every message posted at once, a scan from rank to
// rank, barrier by recursive doubling with the surplus ranks folded onto the first ones. MPICH-GM took these over.
#include <vector>

#include "ranks/algorithms/rows.hpp"
#include "ranks/inside.hpp"

namespace assay::described {
namespace {

using Library = Inside<ranks::last_tag + 200>;

constexpr ranks::Algorithm algorithm(ranks::Operation operation) {
  using ranks::Algorithm;
  using ranks::Operation;
  switch (operation) {
    case Operation::barrier:
      return Algorithm::recursive_doubling;
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::allreduce:
      return Algorithm::binomial;
    case Operation::allgather:
      return Algorithm::ring;
    default:
      return Algorithm::linear;
  }
}

// Everything to rank 0, and a block of the sum to each.
ranks::Task reduce_and_scatter(Library& comm, ranks::Exchange x) {
  const std::size_t all = x.block * static_cast<std::size_t>(comm.size());
  std::vector<std::byte> sum(x.in ? all : 0), spare(2 * sum.size());
  co_await ranks::reduce_binomial(comm, {x.in, x.in ? sum.data() : nullptr, x.in ? spare.data() : nullptr, all, 0});
  co_await ranks::scatter_linear(comm, {x.in ? sum.data() : nullptr, x.out, nullptr, x.block, 0});
}

}  // namespace

ranks::Task Simulated::collective(ranks::Operation operation, const void* in, void* out, std::size_t block, int root) {
  using ranks::Operation;
  if (!describes_collectives()) throw NotDescribed("it has no [mpi] personality, whose collectives these would be");
  Library own(*this);
  const bool sums = operation == Operation::reduce || operation == Operation::allreduce || operation == Operation::scan;
  std::vector<std::byte> sum, spare(sums && in ? 2 * block : 0);
  auto* into = static_cast<std::byte*>(out);
  if (operation == Operation::reduce && in && !into) {  // MPI takes a result at the root alone
    sum.resize(block);
    into = sum.data();
  }
  const ranks::Exchange x{static_cast<const std::byte*>(in), into, spare.empty() ? nullptr : spare.data(), block, root};
  if (operation == Operation::reduce_scatter)
    co_await reduce_and_scatter(own, x);
  else
    co_await ranks::row_of<Library>(operation, algorithm(operation))->all(own, x);
}

}  // namespace assay::described
