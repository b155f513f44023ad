// From the hardware threads of each node to the memory of each node: the rate of all of them reading, and the latency
// of one load. On a machine with one node that is one cell, and it says so.
//
// The memory is bound to its node before it is touched, and asked where it lies afterwards (method.md, rule 15). All
// hardware threads of a node read their parts of it, once per operation; one of them follows a chain through it.
#include <cstring>
#include <map>

#include "memory/caches.hpp"
#include "memory/nodes.hpp"
#include "memory/stream_kernels.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "numa"
title = "Memory by node"
part = "memory"
kind = "node"
summary = "bandwidth and latency from the hardware threads of each node to the memory of each node"
cost = "rate: 8 bytes per element, read once; latency: one dependent load of 8 bytes, each from another cache line"
check = "the sum that all hardware threads read together, with a closed form; the chain leads through eight places and back, and the measured loop from one to the next after as many loads as there are lines between, and not before; the kernel says that the pages lie on the node"
source = "Dunigan 1995, section 3 (KSR, BBN TC2000: local and remote memory); McVoy and Staelin 1996"
statistics = ["median", "best"]
matrix = ["from", "to"]
slice_quick = 0.02
slice_standard = 0.1
slice_full = 0.4
blocks_quick = 2
blocks_standard = 4

[parameter.from]
type = "integer"
default = "nodes"
words = ["nodes"]
min = 0
max = 4095
sweep = true
help = "the node whose hardware threads work; nodes: each that has hardware threads for this process"

[parameter.to]
type = "integer"
default = "memories"
words = ["memories"]
min = 0
max = 4095
sweep = true
help = "the node whose memory they read; memories: each that has memory for this process"

[parameter.size]
type = "integer"
default = 0
min = 0
max = 1099511627776
unit = "B"
help = "bytes on the node; 0: four times the last-level cache that the hardware threads in use can count on"

[metric.time]
unit = "s/B"
help = "time per byte read, all hardware threads of the node together"

[metric.load]
unit = "s"
help = "time of a load that waits for the one before"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "B/s"
better = "higher"
help = "bytes per second that the hardware threads of node `from` read from the memory of node `to`"

[figure.latency]
metric = "load"
unit = "s"
better = "lower"
help = "time of a dependent load by a hardware thread of node `from` from the memory of node `to`"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using memory::BoundMemory;

struct Cell {  // members of the team on one node, and memory on another
  std::vector<int> members;
  std::shared_ptr<BoundMemory> to;
  std::vector<std::uint64_t> sums = {};
  std::uint64_t at = 0;  // byte offset in the chain

  int last() const { return members.back() + 1; }
  void read(threads::Team& team) {
    sums.assign(members.size(), 0);
    const auto count = static_cast<std::int64_t>(to->lines * BoundMemory::line / 8 / memory::chunk);
    team.run(last(), [&](int rank) {
      const auto me = std::find(members.begin(), members.end(), rank);
      if (me == members.end()) return;
      const auto share = me - members.begin(), all = static_cast<std::ptrdiff_t>(members.size());
      const std::int64_t from = count * share / all * memory::chunk, end = count * (share + 1) / all * memory::chunk;
      memory::Part part{nullptr, reinterpret_cast<const double*>(to->data) + from, nullptr, end - from, 0};
#ifdef ASSAY_BREAK
      part.count -= memory::chunk;
#endif
      memory::find_loop(memory::Kernel::read, false, 0)(part);
      sums[static_cast<std::size_t>(share)] = static_cast<std::uint64_t>(part.sum);
    });
  }
  void chase(threads::Team& team, std::int64_t loads) {
    team.run(last(), [&](int rank) {
      if (rank != members.front()) return;
      const char* data = to->data;
      std::uint64_t here = at;
      for (; loads > 0; --loads) {
        std::memcpy(&here, data + here, sizeof here);
        opaque(here);
      }
      at = here;
    });
  }
};

Check verify(threads::Team& team, Cell& cell, std::int64_t node) {
  cell.read(team);
  std::uint64_t sum = 0;
  for (const std::uint64_t each : cell.sums) sum += each;
  cell.at = cell.to->stage[0];
  cell.chase(team, static_cast<std::int64_t>(cell.to->stages.begin(1)) - 1);
  const bool before = cell.at == cell.to->stage[1];
  cell.chase(team, 1);
  const bool closed = !before && cell.at == cell.to->stage[1] && cell.to->round();
  const auto [here, queried] = cell.to->placed(node);
  const bool passed = sum == cell.to->sum() && closed && here == queried;
  return {passed, "sum " + std::string(sum == cell.to->sum() ? "right" : "wrong") + ", chain of " +
                      std::to_string(cell.to->lines) + " lines " + (closed ? "closed" : "broken") + ", " +
                      std::to_string(here) + " of " + std::to_string(queried) + " pages asked about on node " +
                      std::to_string(node)};
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::vector<int> usable = team->processors().cpus;
  usable.resize(static_cast<std::size_t>(team->processors().usable()));
  const std::vector<memory::Node> nodes = memory::read_nodes(usable);
  name_values("nodes", [&] { return memory::with_processors(nodes); });
  name_values("memories", [&] { return memory::with_memory(nodes); });
  std::map<std::int64_t, std::shared_ptr<BoundMemory>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    const std::int64_t from = at.integer("from"), to = at.integer("to");
    const memory::Node *here = memory::find_node(nodes, from), *there = memory::find_node(nodes, to);
    if (nodes.size() == 1) at.note("this machine has one node: a matrix of one cell, in which nothing is far");
    if (!here || here->cpus.empty())
      return at.skip("node " + std::to_string(from) + " has no hardware threads for this process");
    if (!there || !there->memory) return at.skip("node " + std::to_string(to) + " has no memory for this process");
    if (!team->holds(at, team->processors().usable())) return;
    const memory::LastLevel last = memory::find_last_level(usable);
    const std::int64_t cache = last.bytes;
    if (!last.warning.empty()) at.note(last.warning);
    const std::int64_t bytes = std::max<std::int64_t>(at.integer("size") ? at.integer("size") : 4 * cache, 65536);
    if (!kept.count(to)) {
      const memory::Headroom room = memory::read_headroom();
      if (bytes > room.bytes / 2)
        return at.skip("memory of " + std::to_string(bytes) + " bytes: more than half of what " + room.by + " leaves");
      kept[to] = std::make_shared<BoundMemory>(to, bytes / 512 * 512, at.seed());
    }
    if (!kept[to]->bound) {
      if (nodes.size() > 1) return at.skip("the kernel refuses to bind memory to a node");
      at.note("the kernel refuses to bind memory to a node; there is but one");
    }
    if (bytes < 4 * cache) at.note("less than four times the last-level cache: part of this is not the rate of memory");
    auto cell = std::make_shared<Cell>(Cell{{}, kept[to]});
    for (std::size_t rank = 0; rank < usable.size(); ++rank)
      if (std::find(here->cpus.begin(), here->cpus.end(), usable[rank]) != here->cpus.end())
        cell->members.push_back(static_cast<int>(rank));
    const auto unit = static_cast<std::int64_t>(cell->to->lines * BoundMemory::line);
    const auto read = [=](std::int64_t operations) {
      for (; operations > 0; operations -= unit) cell->read(*team);
    };
    at.measure("time", read, {.unit = unit, .cache = "beyond the caches"});
    at.measure("load", [=](std::int64_t loads) { cell->chase(*team, loads); },
               {.cache = "beyond the caches", .reading = threads::least_reading});
    at.check([=] { return verify(*team, *cell, to); });
  });
}
