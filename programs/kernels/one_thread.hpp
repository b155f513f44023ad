// What the records of historical kernels on one thread say alike: which profiles measure them, how long, and that the
// best of their blocks is a figure beside the median.
#pragma once

#include <string_view>

namespace assay::kernels {

inline constexpr std::string_view one_thread_fragment = R"fragment(
historical = true
profiles = ["standard", "full"]
statistics = ["median", "best"]
slice_quick = 0.01
slice_standard = 0.02
slice_full = 0.1
blocks_quick = 2
blocks_standard = 2
blocks_full = 4
)fragment";

}  // namespace assay::kernels
