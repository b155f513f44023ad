// The collective calls: each blocking, non-blocking and persistent, with counts of both sizes.
#include "mpi_library/collectives/bodies.hpp"
#include "mpi_library/collectives/forms.hpp"

using namespace assay::abi;

// PARAMETERS(Count, Displacement) are those before the communicator; `body` runs with a Steps `s` on each rank.
#define COLLECTIVE_OF(Name, Iname, suffix, Count, Displacement, PARAMETERS, body)                             \
  MPI_FUNCTION(MPI_##Name##suffix, (PARAMETERS(Count, Displacement) MPI_Comm comm)) {                         \
    return blocking(Function::MPI_##Name##suffix, comm, [&](Steps& s) { body; });                             \
  }                                                                                                           \
  MPI_FUNCTION(MPI_##Iname##suffix, (PARAMETERS(Count, Displacement) MPI_Comm comm, MPI_Request * request)) { \
    return started(Function::MPI_##Iname##suffix, comm, request, [&](Steps& s) { body; });                    \
  }                                                                                                           \
  MPI_FUNCTION(MPI_##Name##_init##suffix,                                                                     \
               (PARAMETERS(Count, Displacement) MPI_Comm comm, MPI_Info, MPI_Request * request)) {            \
    return persistent(Function::MPI_##Name##_init##suffix, comm, request, [=](Steps& s) { body; });           \
  }
#define COLLECTIVE(Name, Iname, PARAMETERS, body)          \
  COLLECTIVE_OF(Name, Iname, , int, int, PARAMETERS, body) \
  COLLECTIVE_OF(Name, Iname, _c, MPI_Count, MPI_Aint, PARAMETERS, body)

#define BCAST(Count, Displacement) void *data, Count count, MPI_Datatype type, int root,
COLLECTIVE(Bcast, Ibcast, BCAST, bcast(s, data, count, type, root))

#define ROOTED(Count, Displacement) \
  const void *from, Count n, MPI_Datatype t, void *to, Count m, MPI_Datatype u, int root,
COLLECTIVE(Gather, Igather, ROOTED, gather(s, from, n, t, to, m, u, root))
COLLECTIVE(Scatter, Iscatter, ROOTED, scatter(s, from, n, t, to, m, u, root))
#define GATHERV(Count, Displacement)                                                                      \
  const void *from, Count n, MPI_Datatype t, void *to, const Count counts[], const Displacement places[], \
      MPI_Datatype u, int root,
COLLECTIVE(Gatherv, Igatherv, GATHERV, gatherv(s, from, n, t, to, counts, places, u, root))
#define SCATTERV(Count, Displacement)                                                                     \
  const void *from, const Count counts[], const Displacement places[], MPI_Datatype t, void *to, Count m, \
      MPI_Datatype u, int root,
COLLECTIVE(Scatterv, Iscatterv, SCATTERV, scatterv(s, from, counts, places, t, to, m, u, root))

#define ALL(Count, Displacement) const void *from, Count n, MPI_Datatype t, void *to, Count m, MPI_Datatype u,
COLLECTIVE(Allgather, Iallgather, ALL, allgather(s, from, n, t, to, m, u))
COLLECTIVE(Alltoall, Ialltoall, ALL, alltoall(s, from, n, t, to, m, u))
#define ALLGATHERV(Count, Displacement)                                                                   \
  const void *from, Count n, MPI_Datatype t, void *to, const Count counts[], const Displacement places[], \
      MPI_Datatype u,
COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV, allgatherv(s, from, n, t, to, counts, places, u))
#define ALLTOALLV(Count, Displacement)                                                                              \
  const void *from, const Count sent[], const Displacement out[], MPI_Datatype t, void *to, const Count received[], \
      const Displacement in[], MPI_Datatype u,
COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV, alltoallv(s, from, sent, out, t, to, received, in, u))
#define ALLTOALLW(Count, Displacement)                                                              \
  const void *from, const Count sent[], const Displacement out[], const MPI_Datatype t[], void *to, \
      const Count received[], const Displacement in[], const MPI_Datatype u[],
COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW, alltoallw(s, from, sent, out, t, to, received, in, u))

#define REDUCE(Count, Displacement) const void *from, void *to, Count count, MPI_Datatype type, MPI_Op op, int root,
COLLECTIVE(Reduce, Ireduce, REDUCE, reduce_call(s, from, to, count, type, op, root))
#define ALLREDUCE(Count, Displacement) const void *from, void *to, Count count, MPI_Datatype type, MPI_Op op,
COLLECTIVE(Allreduce, Iallreduce, ALLREDUCE, allreduce_call(s, from, to, count, type, op))
COLLECTIVE(Scan, Iscan, ALLREDUCE, scan_call(s, from, to, count, type, op, false))
COLLECTIVE(Exscan, Iexscan, ALLREDUCE, scan_call(s, from, to, count, type, op, true))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, ALLREDUCE, reduce_scatter_block(s, from, to, count, type, op))
#define REDUCE_SCATTER(Count, Displacement) \
  const void *from, void *to, const Count counts[], MPI_Datatype type, MPI_Op op,
COLLECTIVE(Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, reduce_scatter_each(s, from, to, counts, type, op))

#define NOTHING(Count, Displacement)

COLLECTIVE_OF(Barrier, Ibarrier, , int, int, NOTHING, barrier_call(s))
