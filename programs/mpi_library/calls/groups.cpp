// Groups: set algebra, ranges and translation.
#include <algorithm>
#include <array>
#include <vector>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/groups/group.hpp"

using namespace assay::abi;

namespace {

int checked_rank(const Group& of, int rank) {
  if (rank < 0 || rank >= of.size())
    fail(MPI_ERR_RANK, "no rank " + std::to_string(rank) + " in a group of " + std::to_string(of.size()));
  return rank;
}

// The ranks that a list of (first, last, stride) names, each once.
std::vector<int> ranks_in(const Group& of, int n, const int ranges[][3]) {
  check_argument(n >= 0, "a number of ranges below zero");
  std::vector<int> ranks;
  std::vector<bool> named(static_cast<std::size_t>(of.size()));
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = std::to_array({ranges[i][0], ranges[i][1], ranges[i][2]});
    check_argument(stride != 0, "a range with stride zero");
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      const auto place = static_cast<std::size_t>(checked_rank(of, rank));
      if (named[place]) fail(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is named twice");
      named[place] = true;
      ranks.push_back(rank);
    }
  }
  return ranks;
}
std::vector<int> ranks_in(const Group& of, int n, const int ranks[]) {
  check_argument(n >= 0, "a number of ranks below zero");
  std::vector<bool> named(static_cast<std::size_t>(of.size()));
  for (int i = 0; i < n; ++i) {
    const auto place = static_cast<std::size_t>(checked_rank(of, ranks[i]));
    if (named[place]) fail(MPI_ERR_RANK, "rank " + std::to_string(ranks[i]) + " is named twice");
    named[place] = true;
  }
  return {ranks, ranks + n};
}
MPI_Group those(const Group& of, const std::vector<int>& ranks) {
  std::vector<int> members;
  for (const int rank : ranks) members.push_back(of.world(rank));
  return handle_of_group(std::move(members));
}
MPI_Group others(const Group& of, const std::vector<int>& ranks) {
  std::vector<bool> out(static_cast<std::size_t>(of.size()));
  for (const int rank : ranks) out[static_cast<std::size_t>(rank)] = true;
  std::vector<int> members;
  for (int rank = 0; rank < of.size(); ++rank)
    if (!out[static_cast<std::size_t>(rank)]) members.push_back(of.world(rank));
  return handle_of_group(std::move(members));
}
// Those of `first` that are, or are not, in `second`.
std::vector<int> filtered(const Group& first, const Group& second, bool in) {
  std::vector<int> members;
  for (const int each : first.members())
    if ((second.rank_of(each) != MPI_UNDEFINED) == in) members.push_back(each);
  return members;
}

}  // namespace

MPI_FUNCTION(MPI_Group_size, (MPI_Group handle, int* size)) {
  return call(__func__, [&] { *size = group(handle).size(); });
}
MPI_FUNCTION(MPI_Group_rank, (MPI_Group handle, int* rank)) {
  return call(__func__, [&] { *rank = group(handle).own_rank(); });
}
MPI_FUNCTION(MPI_Group_translate_ranks, (MPI_Group from, int n, const int ranks[], MPI_Group to, int out[])) {
  return call(__func__, [&] {
    const Group &source = group(from), &target = group(to);
    for (int i = 0; i < n; ++i)
      out[i] = ranks[i] == MPI_PROC_NULL ? static_cast<int>(MPI_PROC_NULL)
                                         : target.rank_of(source.world(checked_rank(source, ranks[i])));
  });
}
MPI_FUNCTION(MPI_Group_compare, (MPI_Group a, MPI_Group b, int* result)) {
  return call(__func__, [&] {
    const Group &first = group(a), &second = group(b);
    if (first.members() == second.members())
      *result = MPI_IDENT;
    else
      *result = first.size() == second.size() && filtered(first, second, false).empty() ? MPI_SIMILAR : MPI_UNEQUAL;
  });
}
MPI_FUNCTION(MPI_Group_union, (MPI_Group a, MPI_Group b, MPI_Group* out)) {
  return call(__func__, [&] {
    auto members = group(a).members();
    const auto added = filtered(group(b), group(a), false);
    members.insert(members.end(), added.begin(), added.end());
    *out = handle_of_group(std::move(members));
  });
}
MPI_FUNCTION(MPI_Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group* out)) {
  return call(__func__, [&] { *out = handle_of_group(filtered(group(a), group(b), true)); });
}
MPI_FUNCTION(MPI_Group_difference, (MPI_Group a, MPI_Group b, MPI_Group* out)) {
  return call(__func__, [&] { *out = handle_of_group(filtered(group(a), group(b), false)); });
}
MPI_FUNCTION(MPI_Group_incl, (MPI_Group handle, int n, const int ranks[], MPI_Group* out)) {
  return call(__func__, [&] { *out = those(group(handle), ranks_in(group(handle), n, ranks)); });
}
MPI_FUNCTION(MPI_Group_excl, (MPI_Group handle, int n, const int ranks[], MPI_Group* out)) {
  return call(__func__, [&] { *out = others(group(handle), ranks_in(group(handle), n, ranks)); });
}
MPI_FUNCTION(MPI_Group_range_incl, (MPI_Group handle, int n, int ranges[][3], MPI_Group* out)) {
  return call(__func__, [&] { *out = those(group(handle), ranks_in(group(handle), n, ranges)); });
}
MPI_FUNCTION(MPI_Group_range_excl, (MPI_Group handle, int n, int ranges[][3], MPI_Group* out)) {
  return call(__func__, [&] { *out = others(group(handle), ranks_in(group(handle), n, ranges)); });
}
MPI_FUNCTION(MPI_Group_free, (MPI_Group * handle)) {
  return call(__func__, [&] {
    release(group(*handle));
    *handle = MPI_GROUP_NULL;
  });
}
