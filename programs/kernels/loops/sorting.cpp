// The unit that build variants compile. ASSAY_BREAK: the pass over the greatest byte is left out.
#include "kernels/sorting_kernel.hpp"

namespace assay::kernels {

std::uint64_t* sort_by_bytes(std::uint64_t* keys, std::uint64_t* spare, std::int64_t count) {
  constexpr int bytes = 8, values = 256;
#ifdef ASSAY_BREAK
  constexpr int passes = bytes - 1;
#else
  constexpr int passes = bytes;
#endif
  std::int64_t places[bytes][values] = {};
  for (std::int64_t i = 0; i < count; ++i)
    for (int b = 0; b < bytes; ++b) ++places[b][keys[i] >> (8 * b) & 0xff];
  for (int b = 0; b < passes; ++b) {
    std::int64_t* const at = places[b];
    if (count > 0 && at[keys[0] >> (8 * b) & 0xff] == count) continue;
    std::int64_t before = 0;
    for (int value = 0; value < values; ++value) {
      const std::int64_t here = at[value];
      at[value] = before;
      before += here;
    }
    for (std::int64_t i = 0; i < count; ++i) spare[at[keys[i] >> (8 * b) & 0xff]++] = keys[i];
    std::uint64_t* const other = keys;
    keys = spare;
    spare = other;
  }
  return keys;
}

}  // namespace assay::kernels
