// What the nodes did during a launch, at rank 0: each node's looks from its first rank, gathered after all is measured.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/communicator.hpp"
#include "timing/launch.hpp"
#include "timing/node_looks.hpp"

namespace assay::mpi {

// Every rank calls it; at rank 0 the events of every look of every node, elsewhere nothing.
inline std::vector<timing::Json> gather_looks(const Communicator& comm, const std::vector<timing::Placement>& places,
                                              const std::vector<bool>& leads) {
  constexpr int tag = 4;
  std::vector<timing::NodeLook> mine = timing::node_looks().end();
  std::vector<timing::Json> events;
  const auto bytes = [](const std::vector<timing::NodeLook>& looks) {
    return static_cast<int>(looks.size() * sizeof(timing::NodeLook));
  };
  if (comm.rank() != 0) {
    if (leads[static_cast<std::size_t>(comm.rank())])
      MPI_Send(mine.data(), bytes(mine), MPI_BYTE, 0, tag, comm.handle());
    return events;
  }
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (!leads[at]) continue;
    if (rank > 0) {
      MPI_Status status;
      int size = 0;
      MPI_Probe(rank, tag, comm.handle(), &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      mine.resize(static_cast<std::size_t>(size) / sizeof(timing::NodeLook));
      MPI_Recv(mine.data(), size, MPI_BYTE, rank, tag, comm.handle(), MPI_STATUS_IGNORE);
    }
    for (const timing::NodeLook& look : mine) events.push_back(timing::node_event(places[at].host, look));
  }
  return events;
}

}  // namespace assay::mpi
