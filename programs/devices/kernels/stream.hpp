// The loops of STREAM (McCalpin 1995) and what reads or writes alone, in the prelude's words (prelude.hpp): a Value for
// each work item, of which there are exactly n, since a guard keeps compilers for CPUs from using vectors. `dot` and
// `read` leave a sum for each group, which the host adds up.
#pragma once

#include <string_view>

namespace assay::devices {

inline constexpr std::string_view stream_kernels = R"kernel(
KERNEL void stream_write(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) {
  a[ITEM] = (Value)(s);
}
KERNEL void stream_copy(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) {
  a[ITEM] = b[ITEM];
}
KERNEL void stream_scale(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) {
  a[ITEM] = (Value)(s) * b[ITEM];
}
KERNEL void stream_add(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) {
  a[ITEM] = b[ITEM] + c[ITEM];
}
KERNEL void stream_triad(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) {
  a[ITEM] = b[ITEM] + (Value)(s) * c[ITEM];
}

#define SUM_UP(TERM)                                                          \
  LOCAL Real shared[256];                                                     \
  const Index piece = (n + GROUPS - 1) / GROUPS;                              \
  const Index from = GROUP * piece, to = from + piece < n ? from + piece : n; \
  Value sum = (Value)((Real)0);                                               \
  for (Index i = from + IN_GROUP; i < to; i += GROUP_SIZE) sum = sum + TERM;  \
  Real own = 0;                                                               \
  for (int lane = 0; lane < LANES; ++lane) own += ((Real*)&sum)[lane];        \
  shared[IN_GROUP] = own;                                                     \
  for (unsigned int away = GROUP_SIZE / 2; away > 0; away /= 2) {             \
    MEET;                                                                     \
    if (IN_GROUP < away) shared[IN_GROUP] += shared[IN_GROUP + away];         \
  }                                                                           \
  if (IN_GROUP == 0) ((GLOBAL Real*)a)[GROUP] = shared[0];

KERNEL void stream_read(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) { SUM_UP(b[i]) }
KERNEL void stream_dot(GLOBAL Value* a, GLOBAL const Value* b, GLOBAL const Value* c, Real s, Index n) { SUM_UP(b[i] * c[i]) }
)kernel";

}  // namespace assay::devices
