// The algorithm that the table of the described machine's MPI library chooses.
#pragma once

#include "mpi_library/collectives/barriers.hpp"
#include "mpi_library/collectives/choice.hpp"
#include "mpi_library/collectives/reductions.hpp"

namespace assay::abi {

inline void barrier(Steps& s) {
  switch (way_of(Collective::barrier, 0, s.size())) {
    case Way::doubling:
      return barrier_doubling(s);
    case Way::linear:
      return barrier_linear(s);
    default:
      return barrier_dissemination(s);
  }
}

inline void broadcast(Steps& s, Place block, std::int64_t bytes, int root) {
  switch (way_of(Collective::broadcast, bytes, s.size())) {
    case Way::linear:
      return broadcast_linear(s, block, bytes, root);
    case Way::scattered_doubling:
      return broadcast_scattered(s, block, bytes, root, true);
    case Way::scattered_ring:
      return broadcast_scattered(s, block, bytes, root, false);
    default:
      return broadcast_binomial(s, block, bytes, root);
  }
}

inline bool may_part(const Fold& f) {  // the elements among the ranks
  return f.operation.commutative && !f.operation.own() && f.count >= f.s.size();
}
// The block with the result, at the root.
inline Place reduce(const Fold& f, Place own, int root) {
  Way way = way_of(Collective::reduce, f.bytes(), f.s.size());
  if (way == Way::rabenseifner && !may_part(f)) way = Way::binomial;
  return way == Way::rabenseifner ? reduce_rabenseifner(f, own, root)
         : way == Way::linear     ? reduce_linear(f, own, root)
                                  : reduce_binomial(f, own, root);
}

}  // namespace assay::abi
