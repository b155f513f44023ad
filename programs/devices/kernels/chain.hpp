// One work item follows a chain: each load gives the place of the next.
#pragma once

#include <string_view>

namespace assay::devices {

inline constexpr std::string_view chain_kernel = R"kernel(
KERNEL void chain(GLOBAL unsigned int* state, GLOBAL const unsigned int* next, Index loads) {
  if (ITEM != 0) return;
  unsigned int at = state[0];
  for (Index done = 0; done < loads; ++done) at = next[at];
  state[0] = at;
}
)kernel";

}  // namespace assay::devices
