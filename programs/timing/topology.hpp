// The host's topology as the Linux kernel shows it: the one reader of /sys/devices/system/cpu and .../node for
// programs. Hardware threads are the kernel's CPU numbers; what is offline is not shown. The front reads the same files
// by the same rules in src/assay/machine/topology.py; tests/test_topology.py holds both to hwloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::timing {

using Cpus = std::vector<std::int64_t>;

// A file's first line; "" where it cannot be read.
std::string line_of_file(const std::string& path);

// "0-3,8" as numbers; what is not understood ends it.
Cpus cpu_list(const std::string& text);

// "00000000,0000000f" as numbers: hexadecimal words of 32 bits, the highest first; none where it is garbled.
Cpus cpu_mask(const std::string& text);

// The hardware threads that are online. In all functions here `system` is "/" but in tests.
Cpus online_cpus(const std::string& system = "/");

// The hardware threads of the core that one is on, ascending; itself alone where the kernel does not say.
Cpus core_of(std::int64_t cpu, const std::string& system = "/");

// A number of its socket: the first hardware thread of the set that the kernel shows, else the kernel's own number; -1
// where neither is known.
std::int64_t socket_of(std::int64_t cpu, const std::string& system = "/");

// How many cores and sockets a set of hardware threads touches, and how many hardware threads those cores have.
struct Span {
  std::int64_t cores = 0, sockets = 0, threads = 0;
};
Span span_of(const Cpus& cpus, const std::string& system = "/");

// What is above a socket, or between a socket and a core: "drawer" and "book" of s390, "die", "cluster".
struct Level {
  std::string name;
  std::vector<Cpus> sets;  // the hardware threads of each, ascending
};

// The largest first, for hardware threads `cpus`. Left out are those that are only the sockets, the cores or the whole
// machine over again, and those that not every hardware thread has.
std::vector<Level> levels_of(const Cpus& cpus, const std::string& system = "/");

// One cache: `type` is Data, Instruction or Unified, `id` the kernel's number of it (-1: none), `cpus` that share it.
struct CacheInstance {
  int level = 0;
  std::string type;
  std::int64_t bytes = 0, id = -1;
  Cpus cpus;
};

// The caches of one hardware thread, nearest first; none where the kernel hides them.
std::vector<CacheInstance> caches_of(std::int64_t cpu, const std::string& system = "/");

// A NUMA node: its hardware threads, its memory in bytes, and its distances to all nodes in their order (10 is its
// own).
struct MemoryNode {
  std::int64_t id = 0, memory = 0;
  Cpus cpus;
  std::vector<std::int64_t> distances;
};

// In order of their numbers, without those that are the memory of a GPU; none where the kernel shows none.
std::vector<MemoryNode> memory_nodes(const std::string& system = "/");

}  // namespace assay::timing
