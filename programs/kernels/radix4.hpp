// The Fourier transform of 2^k numbers by Stockham's steps of radix 4; compiled apart, so that other flags touch
// nothing but it.
#pragma once

#include <cstdint>

namespace assay::kernels {

// A std::complex<double> as memory holds it.
struct [[gnu::may_alias]] Number {
  double real, imaginary;
};

// From `from` to `to`, each of n numbers; `spare` (n) is overwritten, `factors` are exp(-2 pi i k / n).
void transform(std::int64_t n, const Number* from, Number* to, Number* spare, const Number* factors);

}  // namespace assay::kernels
