// The words that kernels are written in, which each way gives its own meaning. A kernel's source follows them:
//
// clang-format off
//   KERNEL void name(GLOBAL Value* a, …)
//   ITEM, ITEMS                            which work item of how many
//   GROUP, GROUPS, IN_GROUP, GROUP_SIZE    its group, of how many; its place in the group, of how many
//   LOCAL Real shared[256]; MEET           memory of a group, and its barrier
//   Real, Value, LANES                     an element; a vector of LANES of them, which adds and multiplies by lanes
//   FMA(a, b, c)                           a b + c of Values, rounded once; of int32 as integers
// clang-format on
#pragma once

#include <string>

#include "devices/device.hpp"

namespace assay::devices {

std::string opencl_prelude(Element type, int lanes);
std::string cuda_prelude(Element type, int lanes);

}  // namespace assay::devices
