// Deliberate errors, by which the comparison with the twin is itself tested; compiled with -DASSAY_MUTANTS, the engine
// takes the one of the environment's ASSAY_MUTANT: 1 a channel is released one cycle late; 2 requests of one cycle are
// served in the order in which they turn up, not by message; 3 a link of several channels grants its earliest known
// release although one not yet known may come before it; 4 the tail of a worm that buffers hold back is one tick late
// where its head is links ahead.
#pragma once

#ifdef ASSAY_MUTANTS
#include <cstdlib>
#endif

namespace assay::network {
#ifdef ASSAY_MUTANTS
inline const int mutant = std::getenv("ASSAY_MUTANT") ? std::atoi(std::getenv("ASSAY_MUTANT")) : 0;
#else
inline constexpr int mutant = 0;
#endif
}  // namespace assay::network
