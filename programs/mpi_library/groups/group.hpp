// Groups of ranks: an ordered set of ranks of MPI_COMM_WORLD.
#pragma once

#include <unordered_map>
#include <vector>

#include "mpi_library/objects/object.hpp"

namespace assay::abi {

class Group : public Object {
 public:
  static constexpr Kind kind_of = Kind::group;
  explicit Group(std::vector<int> members) : Object(kind_of), members_(std::move(members)) {}

  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<int>& members() const { return members_; }
  // The rank in MPI_COMM_WORLD of one within the group.
  int world(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  // The rank within the group of one of MPI_COMM_WORLD; MPI_UNDEFINED where it is no member.
  int rank_of(int world) const;
  int own_rank() const;  // of this process

 private:
  std::vector<int> members_;
  mutable std::unordered_map<int, int>
      places_;  // of each member; made when first asked for, where they are not in order
};

inline Group& group(MPI_Group handle) { return object<Group>(handle); }
// The group with these members, MPI_GROUP_EMPTY where there are none.
MPI_Group handle_of_group(std::vector<int> members);

}  // namespace assay::abi
