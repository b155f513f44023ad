// The neighbourhood collectives: each blocking, non-blocking and persistent, with counts of both sizes.
#include "mpi_library/collectives/forms.hpp"
#include "mpi_library/collectives/neighbours.hpp"

using namespace assay::abi;

#define NEIGHBOUR_OF(name, suffix, Count, Displacement, PARAMETERS, body)                                              \
  MPI_FUNCTION(MPI_Neighbor_##name##suffix, (PARAMETERS(Count, Displacement) MPI_Comm comm)) {                         \
    return blocking(Function::MPI_Neighbor_##name##suffix, comm, [&](Steps& s) { body; });                             \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Ineighbor_##name##suffix, (PARAMETERS(Count, Displacement) MPI_Comm comm, MPI_Request * request)) { \
    return started(Function::MPI_Ineighbor_##name##suffix, comm, request, [&](Steps& s) { body; });                    \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Neighbor_##name##_init##suffix,                                                                     \
               (PARAMETERS(Count, Displacement) MPI_Comm comm, MPI_Info, MPI_Request * request)) {                     \
    return persistent(Function::MPI_Neighbor_##name##_init##suffix, comm, request, [=](Steps& s) { body; });           \
  }
#define NEIGHBOUR(name, PARAMETERS, body)          \
  NEIGHBOUR_OF(name, , int, int, PARAMETERS, body) \
  NEIGHBOUR_OF(name, _c, MPI_Count, MPI_Aint, PARAMETERS, body)

#define EVEN(Count, Displacement) const void *from, Count n, MPI_Datatype t, void *to, Count m, MPI_Datatype u,
NEIGHBOUR(allgather, EVEN,
          neighbour_call(s, [&, one = even(from, n, t)](std::size_t) { return one(0); }, even(to, m, u)))
NEIGHBOUR(alltoall, EVEN, neighbour_call(s, even(from, n, t), even(to, m, u)))
#define ALLGATHERV(Count, Displacement)                                                                   \
  const void *from, Count n, MPI_Datatype t, void *to, const Count counts[], const Displacement places[], \
      MPI_Datatype u,
NEIGHBOUR(allgatherv, ALLGATHERV,
          neighbour_call(s, [&, one = even(from, n, t)](std::size_t) { return one(0); }, uneven(to, counts, places, u)))
#define ALLTOALLV(Count, Displacement)                                                                              \
  const void *from, const Count sent[], const Displacement out[], MPI_Datatype t, void *to, const Count received[], \
      const Displacement in[], MPI_Datatype u,
NEIGHBOUR(alltoallv, ALLTOALLV, neighbour_call(s, uneven(from, sent, out, t), uneven(to, received, in, u)))
#define ALLTOALLW(Count, Displacement)                                                          \
  const void *from, const Count sent[], const MPI_Aint out[], const MPI_Datatype t[], void *to, \
      const Count received[], const MPI_Aint in[], const MPI_Datatype u[],
NEIGHBOUR(alltoallw, ALLTOALLW, neighbour_call(s, typed(from, sent, out, t), typed(to, received, in, u)))
