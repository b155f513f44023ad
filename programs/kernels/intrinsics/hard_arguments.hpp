// Arguments of float64 functions whose errors are known to be large.
//
// Where nothing else stands beside them they are those that the GNU C library's own tests keep (math/auto-libm-test-in,
// "the next value generates larger error bounds on x86_64 (binary64)"). "2026": Gladman, Innocente, Mather, Ozaki and
// Zimmermann, "Accuracy of Mathematical Functions in Single, Double, Double Extended, and Quadruple Precision", edition
// of February 2026, table 4, GNU libc 2.43. "libmvec", "fdlibm": the same authors' list of worst arguments by library
// (binary64/check_sample.c of their programs, September 2026), of vector forms by SSE4, AVX2 and AVX-512, and of the
// older algorithms that some releases still have. Errors that they state beside an argument are in the tests.
#pragma once

namespace assay::kernels {

struct HardArgument {
  const char* function;
  double x, y;
};

constexpr HardArgument hard_arguments[] = {
    {"acos", 0x1.fffff3634acd6p-1, 0},
    {"acos", 0x1.dffffb3488a4p-1, 0},   // 2026
    {"acos", 0x1.35a0de2b038fep-1, 0},  // libmvec, three
    {"acos", 0x1.ffc00159839aep-1, 0},
    {"acos", 0x1.35b9bac9f42c6p-1, 0},
    {"asin", 0x1.f6041ffe89d7dp-4, 0},
    {"asin", -0x1.0000045b2c904p-3, 0},  // 2026
    {"asin", 0x1.000c80481e7f9p-1, 0},   // libmvec, three
    {"asin", 0x1.000fb59dbb7ffp-1, 0},
    {"asin", -0x1.0312655c1d169p-1, 0},
    {"atan", 0x1.f9004c4fef9eap-4, 0},  // 2026
    {"atan", 0x1.000a5e848c0dp-3, 0},   // libmvec, three
    {"atan", 0x1.0029e0e2db7dp-3, 0},
    {"atan", -0x1.0010aea41501p-3, 0},
    {"atan2", 0x1.bcab29da0e947p-54, 0x1.bc41f4d2294b8p-54},
    {"atan2", 0x1.a11891ec004d4p-348, 0x1.814830510be26p-348},
    {"atan2", 0x1.b836ed678be29p-588, 0x1.b7be6f5a03a8cp-588},
    {"atan2", 0x1.a83f842ef3f73p-633, 0x1.a799d8a6677ep-633},
    {"cbrt", -0x1.7cec1dab41272p-230, 0},
    {"cbrt", 0x1.7a337e1ba1ec2p-257, 0},    // of several releases of the GNU C library
    {"cbrt", -0x0.bd54cbc41f0b9p-1022, 0},  // libmvec, three
    {"cbrt", 0x0.bdf2e4b035cc5p-1022, 0},
    {"cbrt", 0x1.477fc84889eabp-511, 0},
    {"cos", -0x1.7120161c92674p+0, 0},  // 2026
    {"cos", 0x1.852e715836081p+18, 0},  // libmvec, three
    {"cos", -0x1.f5ec1ef4d1fb8p+3, 0},
    {"cos", -0x1.9a4f79002782p-6, 0},
    {"cosh", 0x1.633c457f1e66bp+9, 0},
    {"cosh", -0x1.633c654fee2bap+9, 0},  // 2026
    {"cosh", -0x1.2b3088f4a6e98p+4, 0},  // libmvec
    {"erf", -0x1.c57541b55c8ebp-16, 0},  // fdlibm
    {"erf", 0x1.0000b7af4dcdp-8, 0},     // libmvec, three
    {"erf", 0x1.00005abf94234p-8, 0},
    {"erf", 0x1.00001d2920fb7p-8, 0},
    {"erfc", 0x1.3ffcbf39febb4p+0, 0},
    {"erfc", 0x1.5182d8799b84bp+0, 0},  // fdlibm
    {"erfc", 0x1.78afff6f3044cp+4, 0},  // libmvec, three
    {"erfc", 0x1.78affead86a26p+4, 0},
    {"erfc", 0x1.78afff9d452cp+4, 0},
    {"exp", -0x1.0c4af1ad4ee36p+9, 0},
    {"exp", -0x1.49f33ad2c1c58p+9, 0},  // 2026
    {"exp", -0x1.205968aae119fp-8, 0},  // libmvec, three
    {"exp", -0x1.2059763f8882bp-8, 0},
    {"exp", -0x1.205968a73d4abp-8, 0},
    {"exp2", -0x1.1a4ce073ea908p-5, 0},  // of several releases of the GNU C library
    {"exp2", -0x1.4c31866f6d3bbp-6, 0},  // libmvec, three
    {"exp2", -0x1.4c3c931a5de98p-6, 0},
    {"exp2", -0x1.8000e569a5545p-3, 0},
    {"expm1", 0x1.63e063d87938p-2, 0},  // 2026
    {"expm1", 0x1.86f57e8de4a5p-9, 0},  // libmvec, three
    {"expm1", 0x1.856b41d86994cp-9, 0},
    {"expm1", 0x1.c3b7c858f0575p-6, 0},
    {"log", 0x1.d405118796bd8p-1, 0},
    {"log", 0x1.1211bef8f68e9p+0, 0},  // 2026
    {"log", 0x1.00e000c7fa1c3p+0, 0},  // libmvec, three
    {"log", 0x1.002001ffaa4ap+0, 0},
    {"log", 0x1.001f01ac83b3p+0, 0},
    {"log10", 0x1.de02157073b31p-1, 0},  // 2026
    {"log10", 0x1.00201204555c8p+0, 0},  // libmvec, three
    {"log10", 0x1.001fffbd3f495p+0, 0},
    {"log10", 0x1.f03ebdaea826bp-1, 0},
    {"log1p", -0x1.2bf183e0344b2p-2, 0},  // 2026
    {"log1p", 0x1.000bcdec306p-11, 0},    // libmvec, three
    {"log1p", 0x1.fff86f9b9acp-12, 0},
    {"log1p", 0x1.075745181aabp-6, 0},
    {"log2", 0x1.1406d79e1b574p+0, 0},  // 2026
    {"log2", 0x1.002000d8e91c5p+0, 0},  // libmvec, three
    {"log2", 0x1.002003e5a80e3p+0, 0},
    {"log2", 0x1.ede4ac763282bp-1, 0},
    {"sin", -0x1.f8b791cafcdefp+4, 0},  // 2026
    {"sin", 0x1.a5a68e24971a3p+20, 0},  // libmvec, three
    {"sin", 0x1.9977bea4253f1p+0, 0},
    {"sin", -0x1.99631ed67b43fp+0, 0},
    {"sinh", -0x1.633c62890fa14p+9, 0},
    {"sinh", -0x1.633c654fee2bap+9, 0},  // 2026
    {"sinh", -0x1.c5c9440e9422dp-9, 0},  // libmvec
    {"tan", -0x1.317cd745dd37cp+9, 0},   // 2026
    {"tan", 0x1.72e90b4651593p+15, 0},   // libmvec, three
    {"tan", 0x1.3fab696843fbfp+8, 0},
    {"tan", -0x1.780c9aeca907cp+17, 0},
    {"tanh", -0x1.e11025010ba1cp-3, 0},  // 2026
    {"tanh", -0x1.000a02c5a8b47p-2, 0},  // libmvec, three
    {"tanh", -0x1.00010c3967f16p-2, 0},
    {"tanh", -0x1.001bf41f56582p-1, 0},
    {"tgamma", -0x1.62b8c36c7180bp+4, 0},
    {"tgamma", -0x1.62c4d519e8677p+3, 0},
    {"tgamma", -0x1.c033cc426752fp+2, 0},
};

}  // namespace assay::kernels
