#include "ranks/groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "ranks/world.hpp"

namespace assay::described {

int Groups::member(GroupId group, int within, int caller, const char* does) const {
  const auto& members = at(group).members;
  if (static_cast<std::size_t>(within) < members.size()) return members[static_cast<std::size_t>(within)];
  throw std::out_of_range("rank " + std::to_string(caller) + " of a group " + does + " rank " + std::to_string(within) +
                          "; expected 0 to " + std::to_string(static_cast<int>(members.size()) - 1));
}
int Groups::rank_in(GroupId group, int rank) const {
  const auto& places = at(group).places;
  const auto found = places.find(rank);
  return found == places.end() ? -1 : found->second;
}

int Groups::all(GroupId parent) const { return parent == 0 ? world_.ranks() : size(parent); }

int Groups::free_context() {
  const auto found = std::ranges::find(in_use_, 0);
  if (found != in_use_.end()) return static_cast<int>(found - in_use_.begin());
  if (in_use_.size() == contexts) throw std::length_error("more than 65535 splits whose groups were not released");
  in_use_.push_back(0);
  return static_cast<int>(in_use_.size()) - 1;
}

GroupId Groups::open(int context) {
  if (free_groups_.empty()) {
    groups_.emplace_back();
    free_groups_.push_back(static_cast<GroupId>(groups_.size()));
  }
  const GroupId group = free_groups_.back();
  free_groups_.pop_back();
  groups_[group - 1].context = context;
  ++in_use_[static_cast<std::size_t>(context)];
  return group;
}

void Groups::split(Place place, int colour, int key, Place* made, std::coroutine_handle<> caller) {
  const int rank = place.group == 0 ? place.rank : at(place.group).members[static_cast<std::size_t>(place.rank)];
  if (colour < 0)
    throw std::out_of_range("rank " + std::to_string(rank) + " splits with colour " + std::to_string(colour) +
                            "; expected 0 or more");
  auto& entries = splitting_[place.group];
  entries.push_back({colour, key, place.rank, rank, made, caller});
  if (static_cast<int>(entries.size()) < all(place.group)) return;
  auto come = std::move(entries);
  splitting_.erase(place.group);
  std::ranges::sort(come, {}, [](const Entry& each) { return std::tuple(each.colour, each.key, each.within); });
  const int context = free_context();
  const GroupId program = program_of(place.group);
  const Time begins = place.group == 0 ? 0 : begun(place.group);
  GroupId group = 0;
  for (std::size_t i = 0; i < come.size(); ++i) {
    if (i == 0 || come[i].colour != come[i - 1].colour) group = open(context);
    Group& joined = groups_[group - 1];
    joined.program = program;
    joined.begun = begins;
    *come[i].made = {group, joined.left++};
    joined.places[come[i].rank] = come[i].made->rank;
    joined.members.push_back(come[i].rank);
  }
  for (const Entry& each : come) world_.goes_on(world_.now(), each.rank, each.caller);
}

GroupId Groups::program(const std::vector<int>& ranks, Time begun) {
  const GroupId group = open(free_context());
  Group& made = groups_[group - 1];
  made.members = ranks;
  made.left = static_cast<int>(ranks.size()) + 1;  // never released
  made.program = group;
  made.begun = begun;
  for (std::size_t i = 0; i < ranks.size(); ++i) made.places[ranks[i]] = static_cast<int>(i);
  return group;
}

void Groups::forget(GroupId program) {
  std::erase_if(splitting_, [&](const auto& each) { return program_of(each.first) == program; });
}

void Groups::release(GroupId group) {
  if (group == 0) throw std::logic_error("a group is released that no split made, or that was released before");
  Group& left = groups_[group - 1];
  if (--left.left > 0) return;
  --in_use_[static_cast<std::size_t>(left.context)];
  left = {};
  free_groups_.push_back(group);
}

std::vector<int> Groups::waiting() const {
  std::vector<int> found;
  for (const auto& [_, entries] : splitting_)
    for (const Entry& each : entries) found.push_back(each.rank);
  return found;
}

}  // namespace assay::described
