// Groups of ranks on the described machine: their members, and the context that separates their messages.
//
// A split takes no time but that all ranks of the parent must have come. The groups that it makes share no rank, so
// that one context serves them all. A message's tag and its context are one word, 15 bits and 16, so that matching is
// the same for every group. A context is used again once all its groups have been released. Group 0 is all ranks.
#pragma once

#include <coroutine>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/message_model.hpp"

namespace assay::described {

class World;
using GroupId = std::uint32_t;

inline constexpr int tag_bits = 15;
static_assert(ranks::greatest_tag == (1 << tag_bits) - 1);
// The tag of a word; those below zero are one-sided messages', which have no context.
inline constexpr int plain_tag(int word) { return word < 0 ? word : word & ranks::greatest_tag; }
// A receive's word for any tag of a context, and back.
inline constexpr int any_tag_of(int context) { return ~context; }
inline constexpr int context_of(int word) { return word < 0 ? ~word : word >> tag_bits; }

class Groups {
 public:
  static constexpr int contexts = 1 << 16;
  struct Place {
    GroupId group = 0;
    int rank = 0;  // within the group
  };

  explicit Groups(World& world) : world_(world) {}

  int size(GroupId group) const { return static_cast<int>(at(group).members.size()); }
  // The rank among all that rank `within` of a group is; std::out_of_range where there is none, with the asking rank.
  int member(GroupId group, int within, int caller, const char* does) const;
  int rank_in(GroupId group, int rank) const;
  int word(GroupId group, int tag) const { return at(group).context << tag_bits | tag; }
  int any_word(GroupId group) const { return any_tag_of(group == 0 ? 0 : at(group).context); }

  // A program's own communicator where several share the world (jobs.hpp): its ranks among all, in order, and when it
  // began, which its clock counts from. It stays, and so does its context: nothing that it left behind matches later.
  GroupId program(const std::vector<int>& ranks, Time begun);
  GroupId program_of(GroupId group) const { return group == 0 ? 0 : at(group).program; }
  Time begun(GroupId group) const { return at(group).begun; }
  // Nobody of it will come to a split any more.
  void forget(GroupId program);

  // Rank `place` of its group comes to a split; when the last has come all go on, and `made` says where each is.
  void split(Place place, int colour, int key, Place* made, std::coroutine_handle<> caller);
  void release(GroupId group);  // by one of its ranks
  // Who waits in a split, as ranks among all.
  std::vector<int> waiting() const;

 private:
  struct Group {
    int context = 0;
    int left = 0;         // ranks that have not released it
    GroupId program = 0;  // of which it is a part; 0: of all ranks
    Time begun = 0;
    std::vector<int> members;
    std::unordered_map<int, int> places;  // of each member
  };
  struct Entry {
    int colour, key, within, rank;
    Place* made;
    std::coroutine_handle<> caller;
  };
  const Group& at(GroupId group) const { return groups_[group - 1]; }
  int all(GroupId parent) const;
  GroupId open(int context);
  int free_context();

  World& world_;
  std::vector<Group> groups_;
  std::vector<GroupId> free_groups_;
  std::vector<int> in_use_{1};  // groups of each context; context 0 is all ranks'
  std::unordered_map<GroupId, std::vector<Entry>> splitting_;
};

}  // namespace assay::described
