// The parameters that programs with threads have in common, and the counts of threads that they are measured on where
// none are set: 1, 2, 4 … and all p hardware threads; and 3, of which the Paragon's tables are, and which gives a fit
// of three unknowns its fourth count on four hardware threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "threads/processors.hpp"
#include "timing/options.hpp"

namespace assay::threads {

inline constexpr std::string_view parameters_fragment = R"fragment(
[parameter.threads]
type = "integer"
default = "processors"
words = ["processors"]
min = 1
max = 4096
sweep = true
help = "threads, each on a hardware thread of its own; processors: 1, 2, 3, 4, 8 … and all that this process may use"

[parameter.by]
type = "choice"
default = ["threads", "openmp"]
choices = ["threads", "openmp"]
sweep = true
help = "who makes the threads: the program itself, or OpenMP"
)fragment";

inline std::vector<std::int64_t> counts_up_to(std::int64_t processors) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count < processors; count = count == 2 ? 3 : count == 3 ? 4 : 2 * count)
    counts.push_back(count);
  counts.push_back(processors);
  return counts;
}

inline const bool named_counts =
    timing::name_values("processors", [] { return counts_up_to(find_processors().usable()); });

}  // namespace assay::threads
