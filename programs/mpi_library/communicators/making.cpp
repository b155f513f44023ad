// What the members of new communicators agree on.
#include <algorithm>
#include <cstring>

#include "mpi_library/collectives/all.hpp"
#include "mpi_library/communicators/communicator.hpp"

namespace assay::abi {

std::vector<std::vector<int>> gather_all(Communicator& comm, const std::vector<int>& mine) {
  Steps steps(comm);
  const std::size_t each = mine.size() * sizeof(int);
  const Place all = steps.room(static_cast<std::int64_t>(each) * comm.size());
  std::memcpy(at(all) + each * static_cast<std::size_t>(comm.rank), mine.data(), each);
  allgather_bruck(steps, all, static_cast<std::int64_t>(each));
  std::vector<std::vector<int>> gathered;
  steps.then([&] {
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto& one = gathered.emplace_back(mine.size());
      std::memcpy(one.data(), at(all) + each * static_cast<std::size_t>(rank), each);
    }
  });
  steps.finish();
  return gathered;
}

int greatest_of_all(Communicator& comm, int mine) {
  for (const auto& each : gather_all(comm.inner ? *comm.inner : comm, {mine})) mine = std::max(mine, each[0]);
  if (!comm.inner) return mine;
  // The two groups' first ranks exchange theirs.
  Steps between(comm);
  const Place own = between.room(sizeof mine), other = between.room(sizeof mine);
  std::memcpy(at(own), &mine, sizeof mine);
  if (comm.rank == 0) between.sendrecv(own, sizeof mine, 0, other, sizeof mine, 0);
  between.then([&] {
    int theirs = 0;
    if (comm.rank == 0) std::memcpy(&theirs, at(other), sizeof theirs);
    mine = std::max(mine, theirs);
  });
  between.finish();
  for (const auto& each : gather_all(*comm.inner, {mine})) mine = std::max(mine, each[0]);
  return mine;
}

}  // namespace assay::abi
