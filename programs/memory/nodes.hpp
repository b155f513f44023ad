// The nodes of a machine whose memory is not equally near to all cores (NUMA), as the kernel lists them in sysfs,
// and memory that is bound to one of them by system calls (mbind(2), get_mempolicy(2)); no library is needed.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "memory/cycle.hpp"
#include "timing/memory_limits.hpp"
#include "timing/opaque.hpp"

namespace assay::memory {

struct Node {
  std::int64_t id = 0;
  std::vector<int> cpus;           // that this process may use
  bool memory = false;             // has some, and this process may take it
  std::vector<std::int64_t> away;  // distances to all nodes, in their order; 10 is its own
};

// In order of their numbers; where the kernel lists none, one that holds everything. `usable`: hardware threads of this
// process; `system` is "/" but in tests.
std::vector<Node> read_nodes(const std::vector<int>& usable, const std::string& system = "/");

// The sides of the matrix: nodes that have hardware threads for us, and nodes that have memory for us.
std::vector<std::int64_t> with_processors(const std::vector<Node>& nodes);
std::vector<std::int64_t> with_memory(const std::vector<Node>& nodes);
const Node* find_node(const std::vector<Node>& nodes, std::int64_t id);

// Memory that is bound to one node before it is touched. MeasurementFault where there is none.
class BoundPages {
 public:
  BoundPages(std::int64_t node, std::size_t bytes) : bytes_(bytes) {
    at_ = mmap(nullptr, mapped(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED)
      throw timing::MeasurementFault("the system refuses a mapping of " + std::to_string(mapped()) + " bytes");
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(at_) % huge;
    data = static_cast<char*>(at_) + (beyond ? huge - beyond : 0);
    madvise(at_, mapped(), MADV_HUGEPAGE);
    unsigned long mask[64] = {};  // 4096 nodes
    mask[node / 64] |= 1UL << node % 64;
    constexpr int bind = 2;  // MPOL_BIND
    bound = syscall(SYS_mbind, at_, mapped(), bind, mask, 8 * sizeof mask, 0UL) == 0;
  }
  ~BoundPages() { munmap(at_, mapped()); }
  BoundPages(const BoundPages&) = delete;
  BoundPages& operator=(const BoundPages&) = delete;

  // How many of some pages lie on `node`, of how many; none of none where the kernel does not say.
  std::pair<int, int> placed(std::int64_t node) const {
    constexpr unsigned long of_address = 3;  // MPOL_F_NODE | MPOL_F_ADDR
    int here = 0, queried = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      int found = -1;
      char* page = data + (bytes_ / 64 * k) / 4096 * 4096;
      if (syscall(SYS_get_mempolicy, &found, nullptr, 0UL, page, of_address) != 0) return {0, 0};
      ++queried;
      here += found == node;
    }
    return {here, queried};
  }

  char* data = nullptr;
  bool bound = false;

 private:
  static constexpr std::size_t huge = std::size_t{2} << 20;
  std::size_t mapped() const { return (bytes_ + huge - 1) / huge * huge + huge; }
  std::size_t bytes_;
  void* at_ = nullptr;
};

// Lines of memory on one node, each with the byte offset of the next in one random cycle (Sattolo 1986) in its first
// word, and ones in the others: to be chased through, or read through.
class BoundMemory : public BoundPages {
 public:
  static constexpr std::size_t line = 64;

  BoundMemory(std::int64_t node, std::int64_t bytes, std::uint64_t seed)
      : BoundPages(node, static_cast<std::size_t>(bytes) / line * line),
        lines(static_cast<std::size_t>(bytes) / line),
        stages{lines} {
    const std::vector<std::uint32_t> order = random_cycle(lines, seed);
    for (std::size_t i = 0; i < lines; ++i) {
      auto* words = reinterpret_cast<std::uint64_t*>(data + order[i] * line);
      words[0] = line * order[(i + 1) % lines];
      std::fill(words + 1, words + 8, 1);
    }
    for (std::size_t k = 0; k <= stages.count; ++k) stage[k] = line * order[stages.begin(k) % lines];
  }

  // The sum of all words, whatever the order of the cycle.
  std::uint64_t sum() const { return line * (static_cast<std::uint64_t>(lines) * (lines - 1) / 2) + 7 * lines; }

  // Whether the cycle leads from each of its eight places to the next.
  bool round() const {
    std::uint64_t at[Stages::count];
    std::copy(stage, stage + Stages::count, at);
    stages.walk(at, [&](std::uint64_t here) {
      std::memcpy(&here, data + here, sizeof here);
      return here;
    });
    return std::equal(std::begin(at), std::end(at), stage + 1);
  }

  const std::size_t lines;
  const Stages stages;
  std::uint64_t stage[Stages::count + 1];  // offsets of places of the cycle, the first again as the last
};

}  // namespace assay::memory
