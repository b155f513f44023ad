// The hardware threads that this process may use: those of its affinity mask, the first of every core before any second
// hardware thread, and how many of them a cgroup's quota of time allows to work at once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::threads {

struct Processors {
  std::vector<int> cpus;  // in the order in which threads take them
  std::size_t cores = 0;  // distinct ones among them
  double quota = 0;       // hardware threads' worth of time, 0 without a limit
  std::string limited;    // by which file

  int usable() const;
};

Processors find_processors(const std::string& system = "/");

}  // namespace assay::threads
