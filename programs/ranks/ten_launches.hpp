// What the records of programs say alike that occupy every rank for long: only in full evaluations, few launches.
#pragma once

#include <string_view>

namespace assay::ranks {

inline constexpr std::string_view ten_launches_fragment = R"fragment(
ranks = "all"
profiles = ["full"]
launches = 10
blocks_quick = 3
blocks_standard = 3
blocks_full = 3
)fragment";

}  // namespace assay::ranks
