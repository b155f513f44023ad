// The functions that are measured, and the form of a variant: one loop per function and type. This header is included
// by the kernels' own units, which are compiled with flags of their own (-ffast-math): it has no inline function and no
// template of a library, for the linker keeps one copy of such code for the whole program, whosever flags it had.
#pragma once

// Name, and the version of the GNU C library whose libmvec has vector forms on x86-64 (`compiler`: an instruction).
#define ASSAY_ONE_ARGUMENT(X) \
  X(exp, since_2_22)          \
  X(exp2, since_2_35)         \
  X(expm1, since_2_35)        \
  X(log, since_2_22)          \
  X(log2, since_2_35)         \
  X(log10, since_2_35)        \
  X(log1p, since_2_35)        \
  X(sin, since_2_22)          \
  X(cos, since_2_22)          \
  X(tan, since_2_35)          \
  X(asin, since_2_35)         \
  X(acos, since_2_35)         \
  X(atan, since_2_35)         \
  X(sinh, since_2_35)         \
  X(cosh, since_2_35)         \
  X(tanh, since_2_35)         \
  X(sqrt, compiler)           \
  X(cbrt, since_2_35)         \
  X(erf, since_2_35)          \
  X(erfc, since_2_35)         \
  X(lgamma, never)            \
  X(tgamma, never)

#define ASSAY_TWO_ARGUMENTS(X) \
  X(pow, since_2_22)           \
  X(hypot, since_2_35)         \
  X(atan2, since_2_35)

namespace assay::kernels {

// made[i] = function(x[i]) or function(x[i], y[i]) for `count` elements; the arrays do not overlap.
template <class T>
using Loop = void (*)(const T* x, const T* y, T* made, long count);

struct Entry {
  const char* name;    // null ends a table
  Loop<float> single;  // float32
  Loop<double> twice;  // float64
  const char* absent;  // why there is no such loop; null where there is one
};

// The tables of the four variants, from loops.cpp.
namespace scalar {
const Entry* entries();
}
namespace vector {
const Entry* entries();
}
namespace fast {
const Entry* entries();
}
namespace fast_vector {
const Entry* entries();
}

}  // namespace assay::kernels
