// What the records of EuroBen's module 3 say alike: which profiles solve them, and how long.
#pragma once

#include <string_view>

namespace assay::solvers {

inline constexpr std::string_view budget_fragment = R"fragment(
historical = true
profiles = ["standard", "full"]
statistics = ["median", "best"]
slice_quick = 0.005
slice_standard = 0.01
slice_full = 0.05
blocks_quick = 2
blocks_standard = 2
blocks_full = 5
)fragment";

}  // namespace assay::solvers
