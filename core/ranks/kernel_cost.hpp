#pragma once

#include <limits>
#include <vector>

namespace assay::described {

// What a unit of a kernel's work takes (src/assay/described/node_model.py), in seconds, while a processor's data are no
// more than `up_to` bytes: of the processor, and of the bus that the processors of a node share.
struct KernelLevel {
  double up_to = std::numeric_limits<double>::infinity(), own = 0, bus = 0;
};
struct KernelCost {
  std::vector<KernelLevel> levels;  // from the first cache on
  double half = 0;                  // elements of a vector at which half of the rate is reached
  double shared = 0;                // s a unit takes at least of what all ranks of a node do together
};

}  // namespace assay::described
