// Multiply-adds in registers: eight chains of Values in a work item, so that none waits for another. `scale` and `step`
// are arguments, of which the compiler can assume nothing; the host knows what so many of them give.
#pragma once

#include <string_view>

namespace assay::devices {

inline constexpr std::string_view peak_kernel = R"kernel(
KERNEL void peak(GLOBAL Value* out, GLOBAL const Value* given, unsigned int times) {
  const Value scale = given[0], step = given[1];
  Value v0 = given[2], v1 = given[3], v2 = given[4], v3 = given[5];
  Value v4 = given[6], v5 = given[7], v6 = given[8], v7 = given[9];
  for (unsigned int at = 0; at < times; ++at) {
    v0 = FMA(v0, scale, step);
    v1 = FMA(v1, scale, step);
    v2 = FMA(v2, scale, step);
    v3 = FMA(v3, scale, step);
    v4 = FMA(v4, scale, step);
    v5 = FMA(v5, scale, step);
    v6 = FMA(v6, scale, step);
    v7 = FMA(v7, scale, step);
  }
  GLOBAL Value* own = out + ITEM * 8;
  own[0] = v0; own[1] = v1; own[2] = v2; own[3] = v3;
  own[4] = v4; own[5] = v5; own[6] = v6; own[7] = v7;
}
)kernel";

}  // namespace assay::devices
