// The one-dimensional complex Fourier transform, forwards, from one array to another: FFTW's, and our own by radix 4
// with one step of radix 2 where the length asks for it, sorted as it goes (Stockham), the factors made beforehand.
#include <cmath>
#include <map>
#include <numbers>

#include "kernels/short_text.hpp"
#include "libraries/fftw.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "fft"
title = "Fourier transform"
part = "kernels"
kind = "node"
summary = "one-dimensional complex transform of 2^k numbers on one thread: FFTW, and plain C++ of radix 4 and 2"
cost = "5 n log2 n flops by convention, whatever the algorithm does; 32 n bytes in and out"
check = "32 of its numbers against the sum in long double (all of them up to 64), the sum of squares (Parseval), and the way back by a second transform, each within rounding times log2 n"
source = "Cooley and Tukey 1965; Stockham 1966; Frigo and Johnson 2005"
libraries = ["fftw"]
statistics = ["median", "best"]
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 2
blocks_standard = 3

[parameter.code]
type = "choice"
default = ["library", "ours"]
choices = ["library", "ours"]
sweep = true
help = "library: FFTW, planned by measuring; ours: radix 4 and 2 as the compiler makes it"

[parameter.size]
type = "integer"
default = [1024, 65536]
full = [64, 1024, 16384, 65536, 1048576]
min = 2
max = 16777216
unit = "1"
sweep = true
help = "complex numbers, a power of two"

[metric.time]
unit = "s"
help = "time of a transform"

[figure.rate]
metric = "time"
formula = "5 * size * log2(size) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "5 n log2 n flops"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a transform"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using Number = std::complex<double>;

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

Number times(Number a, Number b) {  // without the care for infinities that the standard's product takes
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
std::complex<Real> root(std::int64_t k, std::int64_t n) {  // exp(-2 pi i k / n)
  const Real angle = -2 * std::numbers::pi_v<Real> * static_cast<Real>(k % n) / static_cast<Real>(n);
  return {std::cos(angle), std::sin(angle)};
}

struct Transform {
  explicit Transform(std::int64_t size) : n(size), given(at(n)), from(given), to(given), spare(given), factors(given) {
    std::uint64_t state = 1;
    const auto any = [&] { return std::ldexp(static_cast<double>(random_bits(state) >> 11), -52) - 1; };
    for (Number& value : given) value = {any(), any()};
    for (std::int64_t k = 0; k < n; ++k) factors[at(k)] = Number(root<long double>(k, n));
  }

  std::int64_t n;
  std::vector<Number> given, from, to, spare, factors;
};

// Steps of radix 4 from x to y, each of `stride` interleaved transforms of `left` numbers; the last may be of radix 2.
void transform(Transform& of) {
  std::int64_t left = of.n, stride = 1;
  const Number* x = of.from.data();
  int steps = 0;
  for (std::int64_t rest = of.n; rest > 1; rest /= rest == 2 ? 2 : 4) ++steps;
  Number* y = steps % 2 ? of.to.data() : of.spare.data();  // so that the last step ends in `to`
  for (; left > 1; x = y, y = y == of.to.data() ? of.spare.data() : of.to.data()) {
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
      const Number w1 = of.factors[at(p * stride)], w2 = of.factors[at(2 * p * stride)],
                   w3 = of.factors[at(3 * p * stride)];
      const Number *in = x + stride * p, *const end = in + stride;
      for (Number* out = y + stride * 4 * p; in < end; ++in, ++out) {
        const Number a = in[0], b = in[stride * part], c = in[stride * 2 * part], d = in[stride * 3 * part];
        const Number sum = a + c, difference = a - c, other = b + d, turned{(b - d).imag(), -(b - d).real()};
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

// The worst of three errors, each as a share of what `log2 n` steps of rounding explain.
template <class Work>
double share_of_bound(Transform& of, const Work& work) {
  const std::int64_t n = of.n;
  of.from = of.given;
  std::fill(of.to.begin(), of.to.end(), Number{});
  work(1);
  const std::vector<Number> found = of.to;
  const long double steps = std::max(1.0, std::log2(static_cast<double>(n)));
  const long double allowed = 8 * steps * std::numeric_limits<double>::epsilon();
  long double energy = 0, kept = 0, worst = 0;
  const auto judge = [&](long double share) {
    if (!(share <= worst)) worst = share;  // a NaN stays
  };
  for (const Number& value : of.given) energy += std::norm(std::complex<long double>(value));
  for (const Number& value : found) kept += std::norm(std::complex<long double>(value));
  judge(std::abs(kept / static_cast<long double>(n) - energy) / (allowed * energy));
  std::uint64_t state = 2;
  for (std::int64_t i = 0; i < (n <= 64 ? n : 32); ++i) {
    const std::int64_t k = n <= 64 ? i : static_cast<std::int64_t>(random_bits(state) % static_cast<std::uint64_t>(n));
    std::complex<long double> sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
      sum += std::complex<long double>(of.given[at(j)]) * root<long double>(j * k % n, n);
    judge(std::abs(sum - std::complex<long double>(found[at(k)])) / (allowed * std::sqrt(energy)));
  }
  for (std::int64_t j = 0; j < n; ++j) of.from[at(j)] = std::conj(found[at(j)]);
  work(1);  // the conjugate's transform is n times the conjugate of what was given
  long double off = 0;
  for (std::int64_t j = 0; j < n; ++j)
    off += std::norm(std::conj(std::complex<long double>(of.to[at(j)])) / static_cast<long double>(n) -
                     std::complex<long double>(of.given[at(j)]));
  judge(std::sqrt(off / energy) / (2 * allowed));
  of.from = of.given;
  return static_cast<double>(worst);
}

template <class Once>
void measure(Case& on, const std::shared_ptr<Transform>& of, const Once& once) {
  of->from = of->given;
  const auto work = [=](std::int64_t operations) {
    for (; operations > 0; --operations) once(*of);
  };
  on.measure("time", work);
  on.check([=] {
    const double share = share_of_bound(*of, work);
    return Check{share <= 1,
                 "numbers, sum of squares and the way back within " + kernels::short_text(share) + " of the bound"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& on) {
    const std::int64_t n = on.integer("size");
    if (n & (n - 1)) throw InputFault("parameter 'size': '" + std::to_string(n) + "'; accepted: powers of two");
    if (on.choice("code") == "ours") return measure(on, std::make_shared<Transform>(n), transform);
#ifdef ASSAY_FFTW
    const auto of = std::make_shared<Transform>(n);
    [[maybe_unused]] const libraries::FftwPlan plan(static_cast<int>(n), of->from.data(), of->to.data());
    on.note("library: " + libraries::fftw_name());
    measure(on, of, [plan](Transform&) {
#ifndef ASSAY_BREAK
      plan.execute();
#endif
    });
#else
    on.leave_out(libraries::no_fftw);
#endif
  });
}
