// c = a b of square matrices, row after row, n a multiple of 64: a group of 256 work items makes a tile of 64 by 64,
// each item 4 by 4 of it, from slices of 16 that the group shares. Plainly written: what is reached without tuning.
#pragma once

#include <string_view>

namespace assay::devices {

inline constexpr std::string_view product_kernel = R"kernel(
KERNEL void product(GLOBAL const Real* a, GLOBAL const Real* b, GLOBAL Real* c, unsigned int n) {
  LOCAL Real slice_a[16 * 65];
  LOCAL Real slice_b[16 * 64];
  const unsigned int tiles = n / 64, item = IN_GROUP, x = item % 16, y = item / 16;
  const Index row = (Index)(GROUP / tiles) * 64, column = (Index)(GROUP % tiles) * 64;
  Real sum[16];
  for (int at = 0; at < 16; ++at) sum[at] = 0;
  for (unsigned int from = 0; from < n; from += 16) {
    for (unsigned int at = item; at < 1024; at += 256) {
      slice_a[at % 16 * 65 + at / 16] = a[(row + at / 16) * n + from + at % 16];
      slice_b[at] = b[(Index)(from + at / 64) * n + column + at % 64];
    }
    MEET;
    for (int k = 0; k < 16; ++k) {
      Real left[4], right[4];
      for (int at = 0; at < 4; ++at) {
        left[at] = slice_a[k * 65 + y * 4 + at];
        right[at] = slice_b[k * 64 + at * 16 + x];
      }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i * 4 + j] = FMA(left[i], right[j], sum[i * 4 + j]);
    }
    MEET;
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row + y * 4 + i) * n + column + j * 16 + x] = sum[i * 4 + j];
}
)kernel";

}  // namespace assay::devices
