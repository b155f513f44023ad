// The least that a kernel can do and be seen to have done: one work item adds one.
#pragma once

#include <string_view>

namespace assay::devices {

inline constexpr std::string_view count_kernel = R"kernel(
KERNEL void count(GLOBAL Index* counter) {
  if (ITEM == 0) counter[0] += 1;
}
)kernel";

}  // namespace assay::devices
