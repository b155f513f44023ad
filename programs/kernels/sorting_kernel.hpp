// Keys of 64 bits sorted by their bytes, the least first, each pass stable (Knuth 1973, section 5.2.5); compiled apart
// (loops/sorting.cpp), so that other flags touch nothing but it.
#pragma once

#include <cstdint>

namespace assay::kernels {

// Sorts `keys`; `spare` is as long. One reading counts all eight bytes, and a byte that all keys share takes no pass.
// Where the sorted keys are: in `keys` or in `spare`.
std::uint64_t* sort_by_bytes(std::uint64_t* keys, std::uint64_t* spare, std::int64_t count);

}  // namespace assay::kernels
