// A fixed piece of integer work, timed before and after what a launch measures. Where a hypervisor changes the speed of
// a core, or another guest works on the other hardware thread of its core, no counter of this host shows it, but
// the time of work that is always the same does. It shows the core's clock and of its arithmetic, not of its caches
// or of memory.
#pragma once

namespace assay::timing {

// Seconds of one pass; the median of several, a millisecond in all. The same for every program of one build.
double time_reference();

}  // namespace assay::timing
