// Deliberate errors, compiled in one at a time with -DASSAY_MUTANT=n, by which the comparison with the twin is itself
// tested: 1 a channel is released one cycle late; 2 requests of one cycle are served in the order in which they turn
// up, not by message; 3 a link of several channels grants its earliest known release although one not yet known may
// come before it; 4 the tail of a worm that buffers hold back is one tick late where its head is links ahead.
#pragma once

#ifndef ASSAY_MUTANT
#define ASSAY_MUTANT 0
#endif

namespace assay::network {
inline constexpr int mutant = ASSAY_MUTANT;
}
