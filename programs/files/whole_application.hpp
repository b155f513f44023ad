// What the records of EuroBen's programs with files say alike: an application runs whole, once in each of three
// launches.
#pragma once

#include <string_view>

namespace assay::files {

inline constexpr std::string_view whole_application_fragment = R"fragment(
historical = true
profiles = ["full"]
launches = 3
blocks_quick = 1
blocks_standard = 1
blocks_full = 1
)fragment";

}  // namespace assay::files
