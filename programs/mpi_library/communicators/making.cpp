// What the members of new communicators agree on.
#include <algorithm>
#include <cstring>

#include "mpi_library/collectives/between.hpp"
#include "mpi_library/communicators/communicator.hpp"

namespace assay::abi {
namespace {

using Numbers = std::vector<int>;

// So many ranks' numbers, one after another in a block.
std::vector<Numbers> read(Place all, int ranks, std::size_t count) {
  std::vector<Numbers> gathered;
  const std::size_t each = count * sizeof(int);
  for (int rank = 0; rank < ranks; ++rank) {
    auto& one = gathered.emplace_back(count);
    std::memcpy(one.data(), at(all) + each * static_cast<std::size_t>(rank), each);
  }
  return gathered;
}

}  // namespace

std::vector<Numbers> gather_all(Communicator& comm, const Numbers& mine) {
  Steps steps(comm);
  const std::size_t each = mine.size() * sizeof(int);
  const Place all = steps.room(static_cast<std::int64_t>(each) * comm.size());
  std::memcpy(at(all) + each * static_cast<std::size_t>(comm.rank), mine.data(), each);
  allgather_bruck(steps, all, static_cast<std::int64_t>(each));
  std::vector<Numbers> gathered;
  steps.then([&] { gathered = read(all, comm.size(), mine.size()); });
  steps.finish();
  return gathered;
}

std::vector<Numbers> gather_remote(Communicator& comm, const Numbers& mine) {
  Steps steps(comm);
  const auto each = static_cast<std::int64_t>(mine.size() * sizeof(int));
  const Place own = steps.room(each), all = steps.room(each * steps.peers());
  std::memcpy(at(own), mine.data(), mine.size() * sizeof(int));
  between::allgather(steps, own, each, all, each * steps.peers());
  std::vector<Numbers> gathered;
  steps.then([&] { gathered = read(all, steps.peers(), mine.size()); });
  steps.finish();
  return gathered;
}

int greatest_of_all(Communicator& comm, int mine) {
  for (const auto& each : gather_all(comm.inner ? *comm.inner : comm, {mine})) mine = std::max(mine, each[0]);
  if (!comm.inner) return mine;
  for (const auto& each : gather_remote(comm, {mine})) mine = std::max(mine, each[0]);
  return mine;
}

}  // namespace assay::abi
