// The words that kernels are written in, which each way has its own meaning of. A kernel's source stands behind them:
//
//   KERNEL void name(GLOBAL Value* a, …)    ITEM, ITEMS: which work item of how many; GROUP, GROUPS, IN_GROUP,
//   GROUP_SIZE LOCAL Real shared[256]; MEET            memory of a group, and its barrier Real, Value, LANES an
//   element, a vector of LANES of them, which adds and multiplies lane by lane FMA(a, b, c) a b + c of Values, rounded
//   once; of int32 plainly
#pragma once

#include <string>

#include "devices/device.hpp"

namespace assay::devices {

std::string opencl_prelude(Element type, int lanes);
std::string cuda_prelude(Element type, int lanes);

}  // namespace assay::devices
