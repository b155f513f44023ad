// What the records of kernels on 1 to p threads say alike: a speedup is fitted, OpenMP is one who makes the threads.
#pragma once

#include <string_view>

namespace assay::kernels {

inline constexpr std::string_view by_threads_fragment = R"fragment(
model = "speedup"
flags = ["-fopenmp"]
slice_quick = 0.01
slice_standard = 0.02
blocks_quick = 2
blocks_standard = 3
)fragment";

}  // namespace assay::kernels
