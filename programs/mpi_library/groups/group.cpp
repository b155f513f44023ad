#include "mpi_library/groups/group.hpp"

#include "mpi_library/transport/process.hpp"

namespace assay::abi {
namespace {
[[gnu::constructor]] void define_groups() {
  static Group empty({});
  predefine(reinterpret_cast<std::uintptr_t>(MPI_GROUP_EMPTY), empty);
}
}  // namespace

int Group::rank_of(int world) const {
  if (world < 0) return MPI_UNDEFINED;
  const auto place = static_cast<std::size_t>(world);
  if (place < members_.size() && members_[place] == world) return world;  // MPI_COMM_WORLD's, and many others
  if (places_.empty())
    for (std::size_t i = 0; i < members_.size(); ++i) places_.emplace(members_[i], static_cast<int>(i));
  const auto found = places_.find(world);
  return found == places_.end() ? MPI_UNDEFINED : found->second;
}

int Group::own_rank() const { return rank_of(process.rank); }

MPI_Group handle_of_group(std::vector<int> members) {
  if (members.empty()) return MPI_GROUP_EMPTY;
  return handle_of<MPI_Group>(*new Group(std::move(members)));
}

}  // namespace assay::abi
