// The parameter that programs which may call a library have in common: whose code does the work. Its name and choices
// are what src/assay/execute/libraries.py asks for; each record says in its own `help` which library and which code.
#pragma once

#include <string_view>

namespace assay::libraries {

inline constexpr std::string_view code_fragment = R"fragment(
[parameter.code]
type = "choice"
default = ["library", "ours"]
choices = ["library", "ours"]
sweep = true
)fragment";

}  // namespace assay::libraries
