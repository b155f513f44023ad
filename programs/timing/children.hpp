// Children that go on working from block to block: of children the kernel counts only those that ended.
#pragma once

#include <sys/types.h>

namespace assay::timing {

// From now on the CPU time of this child is our own (accounting.cpp).
void count_as_own(pid_t child);

}  // namespace assay::timing
