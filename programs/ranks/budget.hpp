// What most message-passing programs' records say alike: how long a block of measuring is, and how many there are.
#pragma once

#include <string_view>

namespace assay::ranks {

inline constexpr std::string_view budget_fragment = R"fragment(
slice_quick = 0.01
slice_standard = 0.03
slice_full = 0.05
blocks_quick = 3
blocks_standard = 6
blocks_full = 8
)fragment";

}  // namespace assay::ranks
