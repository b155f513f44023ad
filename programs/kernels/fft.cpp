// The one-dimensional complex Fourier transform, forwards, from one array to another: FFTW's, and our own by radix 4
// with one step of radix 2 where the length asks for it, sorted as it goes (Stockham), the factors made beforehand.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>

#include "kernels/line_aligned.hpp"
#include "kernels/radix4.hpp"
#include "kernels/short_text.hpp"
#include "libraries/code.hpp"
#include "libraries/fftw.hpp"
#include "memory/caches.hpp"
#include "threads/processors.hpp"
#include "timing/memory_limits.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "fft"
title = "Fourier transform (EuroBen mod2f)"
part = "kernels"
kind = "node"
summary = "one-dimensional complex transform of 2^k numbers on one thread: FFTW, and plain C++ of radix 4 and 2"
cost = "5 n log2 n flops by convention, whatever the algorithm does; 32 n bytes in and out"
check = "32 of its numbers (8 beyond 2^20) against the sum in long double (all of them up to 64), the sum of squares (Parseval), and the way back by a second transform, each within rounding times log2 n"
source = "Cooley and Tukey 1965; Stockham 1966; Frigo and Johnson 2005; van der Steen 2000, Table 6.13: EuroBen mod2f, of radix 4 from 256 numbers up"
published = ["euroben.mod2f"]
libraries = ["fftw"]
statistics = ["median", "best"]
slice_quick = 0.02
slice_standard = 0.03
blocks_quick = 2
blocks_standard = 2
takes = "0.05 + size * 3e-7"

[unit.radix4]
source = "kernels/radix4.cpp"

[parameter.code]
from = "libraries/code.hpp"
described = "ours"
help = "library: FFTW, planned by measuring for five seconds at most; ours: radix 4 and 2 as the compiler makes it"

[parameter.size]
type = "integer"
default = [256, 1024, 2048, 65536]
quick = [256, 2048, 4096]
full = [64, 256, 1024, 2048, 16384, 65536, 1048576, 4194304]
min = 2
max = 16777216
unit = "1"
sweep = true
help = "complex numbers, a power of two; sizes that take more than four times the last cache in and out are left out"

[described]
kernel = "fft"
memory = "32 * size"
only = { code = ["ours"] }
metric = { time = "unit * 5 * size * log2(size)" }

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

template <class Real>
std::complex<Real> root(std::int64_t k, std::int64_t n) {  // exp(-2 pi i k / n)
  const Real angle = -2 * std::numbers::pi_v<Real> * static_cast<Real>(k % n) / static_cast<Real>(n);
  return {std::cos(angle), std::sin(angle)};
}

// The roots of unity of the check, in long double: a product of two that stand in tables of about sqrt(n), so that 32
// sums over n numbers do not take 32 n sines.
class Roots {
 public:
  explicit Roots(std::int64_t n) : n_(n), fine_(std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(n)) / 2) {
    for (std::int64_t k = 0; k < fine_; ++k) low_.push_back(root<long double>(k, n));
    for (std::int64_t k = 0; k < n; k += fine_) high_.push_back(root<long double>(k, n));
  }
  std::complex<long double> operator()(std::int64_t k) const {
    const std::int64_t place = k % n_;
    return high_[at(place / fine_)] * low_[at(place % fine_)];
  }

 private:
  std::int64_t n_, fine_;
  std::vector<std::complex<long double>> low_, high_;
};

struct Transform {
  explicit Transform(std::int64_t size) : n(size), given(at(n)), from(given), to(given), spare(given), factors(given) {
    std::uint64_t state = 1;
    const auto any = [&] { return std::ldexp(static_cast<double>(random_bits(state) >> 11), -52) - 1; };
    for (Number& value : given) value = {any(), any()};
    for (std::int64_t k = 0; k < n; ++k) factors[at(k)] = Number(root<long double>(k, n));
  }

  std::int64_t n;
  kernels::LineAlignedArray<Number> given, from, to, spare, factors;
};

// The worst of three errors, each as a share of what `log2 n` steps of rounding explain.
template <class Work>
[[gnu::cold]] double share_of_bound(Transform& of, const Work& work) {
  const std::int64_t n = of.n;
  of.from = of.given;
  std::fill(of.to.begin(), of.to.end(), Number{});
  work(1);
  const kernels::LineAlignedArray<Number> found = of.to;
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
  const Roots roots(n);
  const std::int64_t numbers = n <= 64 ? n : n <= 1 << 20 ? 32 : 8;  // each takes n steps
  for (std::int64_t i = 0; i < numbers; ++i) {
    const std::int64_t k = n <= 64 ? i : static_cast<std::int64_t>(random_bits(state) % static_cast<std::uint64_t>(n));
    std::complex<long double> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += std::complex<long double>(of.given[at(j)]) * roots(j * k);
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
  const memory::LastLevel last = memory::find_last_level({threads::find_processors().cpus.front()});
  return run_program(record, argc, argv, [&](Case& on) __attribute__((cold)) {
    const std::int64_t n = on.integer("size");
    if (n & (n - 1)) throw refused_value("size", "is no power of two", n, "powers of two");
    const std::int64_t moved = 2 * n * static_cast<std::int64_t>(sizeof(Number));
    const memory::Headroom room = memory::read_headroom();
    const std::int64_t telling = std::max<std::int64_t>(4 * last.bytes, 64 << 20), fitting = room.bytes / 10;
    const auto most = std::bit_floor(static_cast<std::uint64_t>(std::min(telling, fitting)) / (2 * sizeof(Number)));
    const std::string accepted = "size up to " + std::to_string(most);
    if (moved > telling)
      return on.skip("transforms of more than four times the last cache, where nothing changes any more", "size",
                     accepted);
    if (moved > fitting)
      return on.skip("transforms whose arrays take more than a quarter of what " + room.by + " leaves", "size",
                     accepted);
    if (on.choice("code") == "ours")
      return measure(on, std::make_shared<Transform>(n), [](Transform& of) {
        const auto plain = [](kernels::LineAlignedArray<Number>& of) {
          return reinterpret_cast<kernels::Number*>(of.data());
        };
        kernels::transform(of.n, plain(of.from), plain(of.to), plain(of.spare), plain(of.factors));
      });
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
    on.skip(libraries::no_fftw);
#endif
  });
}
