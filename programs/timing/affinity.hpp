// Sets of hardware threads of any size: the C library's own, cpu_set_t, ends at 1,024.
#pragma once

#include "timing/topology.hpp"

namespace assay::timing {

// The hardware threads that the calling thread may use, ascending; empty where the kernel does not say.
Cpus own_affinity();

// Have the calling thread use these alone; 0, or the errno with which the kernel refuses.
int bind_to(const Cpus& cpus);

}  // namespace assay::timing
