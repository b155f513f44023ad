#include "batch/placed/nodes.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>

namespace assay::batch {

Nodes::Nodes(const Layout& layout)
    : layout_(&layout),
      places_(std::make_shared<const WholeNodes>(layout)),
      state_(static_cast<std::size_t>(layout.nodes), Node{layout.cpus}),
      empty_(layout.nodes, true),
      open_cpus_(std::int64_t{layout.nodes} * layout.cpus),
      free_(open_cpus_),
      empties_(layout.nodes) {}

void Nodes::close(std::int32_t number) {
  Node& node = state_[static_cast<std::size_t>(number)];
  if (node.closed++ > 0) return;
  open_cpus_ -= layout_->cpus;
  free_ -= node.free;
  note(number);
}
void Nodes::open(std::int32_t number) {
  Node& node = state_[static_cast<std::size_t>(number)];
  if (--node.closed > 0) return;
  open_cpus_ += layout_->cpus;
  free_ += node.free;
  note(number);
}

std::optional<Placement> Nodes::find(std::int32_t processors, const Needs& needs) const {
  if (takes_whole(needs)) return find_whole({empty_, running_, alone_}, processors, needs);
  if (alone_ || (needs.sharing == Sharing::own_machine && running_ > 0)) return std::nullopt;
  if (!needs.list.empty()) return listed(processors, needs);
  const std::string& how = layout_->allocation;
  if (how == "scattered") return scattered(processors, needs);
  if (how == "contiguous") return adjacent(processors, needs, false);
  if (how == "bestfit") return adjacent(processors, needs, true);
  throw std::invalid_argument("there is no allocation " + how);
}

std::optional<Placement> Nodes::find_whole(const Whole& among, std::int32_t processors, const Needs& needs) const {
  if (among.alone || (needs.sharing == Sharing::own_machine && among.running > 0)) return std::nullopt;
  const auto nodes = places_->find(among.empty, wanted(processors, needs));
  if (!nodes) return std::nullopt;
  Placement made;
  for (const std::int32_t node : *nodes) made.emplace_back(node, layout_->cpus);
  return made;
}

void Nodes::change(const Placement& at, const Needs& needs, std::int32_t sign) {
  for (const auto& [number, cpus] : at) {
    Node& node = state_[static_cast<std::size_t>(number)];
    node.free -= sign * cpus;
    if (node.closed == 0) free_ -= sign * cpus;
    node.jobs += sign;
    node.ports ^= needs.ports;
    if (node.free < 0 || node.free > layout_->cpus) throw std::logic_error("a node has not so many processors");
    note(number);
  }
  running_ += sign;
  if (needs.sharing == Sharing::own_machine) alone_ = sign > 0;
}

void Nodes::worst_of(const Nodes& other) {
  for (std::size_t at = 0; at < state_.size(); ++at) {
    Node& node = state_[at];
    const Node& than = other.state_[at];
    node.free = std::min(node.free, than.free);
    node.jobs = std::max(node.jobs, than.jobs);
    node.closed = std::max(node.closed, than.closed);
    node.ports |= than.ports;
  }
  empty_ &= other.empty_;
  running_ = std::max(running_, other.running_);
  alone_ = alone_ || other.alone_;
}

// How many processors of a node the job could use.
std::int32_t Nodes::room(std::int32_t number, const Needs& needs) const {
  const Node& node = state_[static_cast<std::size_t>(number)];
  if (node.closed || (node.ports & needs.ports) || (wholly(needs) && node.jobs > 0)) return 0;
  return needs.per_node > 0 ? std::min(node.free, needs.per_node) : node.free;
}

std::int32_t Nodes::wanted(std::int32_t processors, const Needs& needs) const {
  const std::int32_t each = needs.per_node > 0 ? std::min(layout_->cpus, needs.per_node) : layout_->cpus;
  return std::max(needs.nodes, (processors + each - 1) / each);
}

namespace {

// Share a job's processors among nodes with so much room, in order; whole nodes are held wholly.
std::optional<Placement> filled(const std::vector<std::pair<std::int32_t, std::int32_t>>& rooms,
                                std::int32_t processors, std::int32_t least, std::int32_t held) {
  Placement made;
  std::int32_t left = processors;
  for (const auto& [node, room] : rooms) {
    const auto had = static_cast<std::int32_t>(made.size());
    if (left == 0 && had >= least) break;
    // Of a node that is only asked for, nothing is used; of the others as much as there is.
    const std::int32_t spare = std::max(0, least - had - 1);
    const std::int32_t used = std::min(room, std::max(std::min(left, 1), left - spare));
    made.emplace_back(node, held > 0 ? held : used);
    left -= used;
  }
  if (left > 0 || static_cast<std::int32_t>(made.size()) < least) return std::nullopt;
  return made;
}

}  // namespace

std::optional<Placement> Nodes::listed(std::int32_t processors, const Needs& needs) const {
  std::vector<std::pair<std::int32_t, std::int32_t>> rooms;
  for (const std::int32_t node : needs.list) {
    const std::int32_t here = node < 0 || node >= layout_->nodes ? 0 : room(node, needs);
    if (here == 0) return std::nullopt;
    rooms.emplace_back(node, here);
  }
  return filled(rooms, processors, static_cast<std::int32_t>(rooms.size()), wholly(needs) ? layout_->cpus : 0);
}

std::optional<Placement> Nodes::scattered(std::int32_t processors, const Needs& needs) const {
  std::vector<std::pair<std::int32_t, std::int32_t>> rooms;
  std::int64_t sum = 0;
  for (std::int32_t node = 0; node < layout_->nodes; ++node) {
    if (sum >= processors && static_cast<std::int32_t>(rooms.size()) >= needs.nodes) break;
    if (const std::int32_t here = room(node, needs); here > 0) {
      rooms.emplace_back(node, here);
      sum += here;
    }
  }
  return filled(rooms, processors, needs.nodes, wholly(needs) ? layout_->cpus : 0);
}

std::optional<Placement> Nodes::adjacent(std::int32_t processors, const Needs& needs, bool best) const {
  std::optional<Placement> found;
  std::size_t shortest = 0;
  for (std::int32_t node = 0; node < layout_->nodes;) {
    std::vector<std::pair<std::int32_t, std::int32_t>> gap;
    for (; node < layout_->nodes; ++node) {
      const std::int32_t here = room(node, needs);
      if (here == 0) break;
      gap.emplace_back(node, here);
    }
    ++node;
    if (found && gap.size() >= shortest) continue;
    auto made = filled(gap, processors, needs.nodes, wholly(needs) ? layout_->cpus : 0);
    if (!made) continue;
    found = std::move(made);
    shortest = gap.size();
    if (!best) break;
  }
  return found;
}

}  // namespace assay::batch
