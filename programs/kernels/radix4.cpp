// The unit that build variants compile: what is here has internal linkage. Products are without the care for infinities
// that the standard's take.
#include "kernels/radix4.hpp"

namespace assay::kernels {
namespace {

Number operator+(Number a, Number b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
Number operator-(Number a, Number b) { return {a.real - b.real, a.imaginary - b.imaginary}; }
Number times(Number a, Number b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
Number quarter(Number a) { return {a.imaginary, -a.real}; }  // -i a

}  // namespace

// Steps of radix 4 from x to y, each of `stride` interleaved transforms of `left` numbers; the last may be of radix 2.
void transform(std::int64_t n, const Number* from, Number* to, Number* spare, const Number* factors) {
  std::int64_t left = n, stride = 1;
  const Number* x = from;
  int steps = 0;
  for (std::int64_t rest = n; rest > 1; rest /= rest == 2 ? 2 : 4) ++steps;
  Number* y = steps % 2 ? to : spare;  // so that the last step ends in `to`
  for (; left > 1; x = y, y = y == to ? spare : to) {
    if (left == 2) {
      for (std::int64_t q = 0; q < stride; ++q) {
        const Number a = x[q], b = x[q + stride];
        y[q] = a + b;
        y[q + stride] = a - b;
      }
      left = 1;
      continue;
    }
    const std::int64_t part = left / 4;
#ifdef ASSAY_BREAK
    const std::int64_t parts = part > 1 ? part - 1 : 0;  // the last part of each step is left out
#else
    const std::int64_t parts = part;
#endif
    for (std::int64_t p = 0; p < parts; ++p) {
      const Number w1 = factors[p * stride], w2 = factors[2 * p * stride], w3 = factors[3 * p * stride];
      const Number *in = x + stride * p, *const end = in + stride;
      for (Number* out = y + stride * 4 * p; in < end; ++in, ++out) {
        const Number a = in[0], b = in[stride * part], c = in[stride * 2 * part], d = in[stride * 3 * part];
        const Number sum = a + c, difference = a - c, other = b + d, turned = quarter(b - d);
        out[0] = sum + other;
        out[stride] = times(w1, difference + turned);
        out[stride * 2] = times(w2, sum - other);
        out[stride * 3] = times(w3, difference - turned);
      }
    }
    left = part;
    stride *= 4;
  }
}

}  // namespace assay::kernels
