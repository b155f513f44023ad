// Arguments of float64 functions whose errors are known to be large: those that the GNU C library's own tests keep
// (math/auto-libm-test-in, "the next value generates larger error bounds on x86_64 (binary64)"), most of them found by
// Zimmermann et al., "Accuracy of Mathematical Functions".
#pragma once

namespace assay::kernels {

struct HardArgument {
  const char* function;
  double x, y;
};

constexpr HardArgument hard_arguments[] = {
    {"acos", 0x1.fffff3634acd6p-1, 0},
    {"asin", 0x1.f6041ffe89d7dp-4, 0},
    {"atan2", 0x1.bcab29da0e947p-54, 0x1.bc41f4d2294b8p-54},
    {"atan2", 0x1.a11891ec004d4p-348, 0x1.814830510be26p-348},
    {"atan2", 0x1.b836ed678be29p-588, 0x1.b7be6f5a03a8cp-588},
    {"atan2", 0x1.a83f842ef3f73p-633, 0x1.a799d8a6677ep-633},
    {"cbrt", -0x1.7cec1dab41272p-230, 0},
    {"cosh", 0x1.633c457f1e66bp+9, 0},
    {"erfc", 0x1.3ffcbf39febb4p+0, 0},
    {"exp", -0x1.0c4af1ad4ee36p+9, 0},
    {"log", 0x1.d405118796bd8p-1, 0},
    {"sinh", -0x1.633c62890fa14p+9, 0},
    {"tgamma", -0x1.62b8c36c7180bp+4, 0},
    {"tgamma", -0x1.62c4d519e8677p+3, 0},
    {"tgamma", -0x1.c033cc426752fp+2, 0},
};

}  // namespace assay::kernels
