// The product of two square matrices, C = A B, rows one after another: the library's, and our own by blocks that stay
// in cache: a panel of B and blocks of A are copied into the order in which they are read, and a small block of C is
// summed in registers. Threads take turns at the blocks of rows.
#include <cmath>
#include <map>

#include "kernels/blocked_product.hpp"
#include "kernels/line_aligned.hpp"
#include "kernels/short_text.hpp"
#include "libraries/blas.hpp"
#include "libraries/code.hpp"
#include "processor/cycles_beside.hpp"
#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "gemm"
title = "Matrix product"
part = "kernels"
kind = "node"
summary = "product of two square matrices on 1 to p threads: the BLAS library that is here, and untuned C++ in blocks"
cost = "2 n^3 flops; of 3 n^2 elements A and B are read, and C is read and written, as blocks add to it: 32 n^2 bytes of float64 at least"
check = "with whole numbers the product is exact: multiplied by a random vector it is A (B x) modulo 2^64; the product that was measured, of real numbers, against A (B x) in long double within n units of rounding"
source = "Dongarra, Du Croz, Hammarling and Duff 1990; Freivalds 1979"
model = "speedup"
libraries = ["blas"]
statistics = ["median", "best"]
slice_quick = 0.02
slice_standard = 0.02
blocks_quick = 2
blocks_standard = 2

[unit.product]
source = "kernels/blocked_product.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: the BLAS that was found; ours: blocked C++ as the compiler makes it"

[parameter.type]
type = "choice"
default = ["float64", "float32"]
choices = ["float64", "float32"]
sweep = true
help = "precision"

[parameter.size]
type = "integer"
default = [128, 1024]
quick = 512
full = [64, 128, 256, 512, 1024, 2048, 4096]
min = 1
max = 32768
unit = "1"
sweep = true
help = "rows and columns of each matrix"

[parameter.threads]
from = "threads/parameters.hpp"

[metric.time]
unit = "s"
help = "time of a product"

[metric.clock]
from = "processor/cycles_beside.hpp"

[figure.clock]
from = "processor/cycles_beside.hpp"

[figure.rate]
metric = "time"
formula = "2 * size ** 3 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "2 n^3 flops"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a product"

[roof]
figure = "rate"
flops = "2 * size ** 3"
bytes = "32 * size ** 2"
where = "code=library type=float64"
clock = "clock"

[peak_share]
figure = "rate"

[headline.product]
figure = "rate"
where = "type=float64"
most = "threads"
title = "matrix product of {size} ({code}, float64, threads: {threads})"
says = "multiplies matrices at up to"
bound = "peak_measured"
advice = "another BLAS may reach more: the part on kernels names the one that ran"
order = 1
)record";

namespace {

using namespace assay;
using namespace assay::timing;

template <class T>
struct Product {
  [[gnu::cold]] explicit Product(std::int64_t size) : n(size), a(elements(n * n)), b(a.size()), c(a.size()) {
    panel.resize(elements(kernels::panel_elements(n, T{})));
    std::uint64_t state = 1;
    for (auto* matrix : {&a, &b})
      for (T& value : *matrix)
        value = static_cast<T>(std::ldexp(static_cast<double>(random_bits(state) >> 11), -52) - 1);
  }
  static std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }

  std::int64_t n;
  kernels::LineAlignedArray<T> a, b, c;
  kernels::LineAlignedArray<T> panel;  // of our own code
};

// A (B x) in long double beside C x, x of random signs: the most that a row is off, as a share of n units of rounding
// of the sum of |A| (|B| 1), which no order of summation passes.
template <class T>
[[gnu::cold]] double share_of_bound(const Product<T>& of) {
  const std::int64_t n = of.n;
  std::vector<long double> x(Product<T>::elements(n)), y(x.size(), 0), most(x.size(), 0);
  std::uint64_t state = 2;
  for (auto& value : x) value = random_bits(state) >> 63 ? 1 : -1;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const long double value = of.b[Product<T>::elements(i * n + j)];
      y[Product<T>::elements(i)] += value * x[Product<T>::elements(j)];
      most[Product<T>::elements(i)] += std::abs(value);
    }
  double worst = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    long double off = 0, bound = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::size_t at = Product<T>::elements(j), here = Product<T>::elements(i * n + j);
      off += of.c[here] * x[at] - of.a[here] * y[at];
      bound += std::abs(static_cast<long double>(of.a[here])) * most[at];
    }
    bound *= static_cast<long double>(n) * std::numeric_limits<T>::epsilon() / 2;
    const double share = static_cast<double>(std::abs(off) / bound);
    if (!(share <= worst)) worst = share;  // a NaN stays
  }
  return worst;
}

// Whole numbers from -4 to 4: every sum is exact, so C x is A (B x) for any x, here of 64 random bits and odd, so that
// not even one wrong element can hide. How many rows are wrong.
template <class T, class Multiply>
[[gnu::cold]] std::int64_t wrong_rows(std::int64_t n, const Multiply& product) {
  auto of = std::make_shared<Product<T>>(n);
  std::uint64_t state = 3;
  for (auto* matrix : {&of->a, &of->b})
    for (T& value : *matrix) value = static_cast<T>(static_cast<int>(random_bits(state) % 9) - 4);
  std::fill(of->c.begin(), of->c.end(), T{-7});  // what nothing overwrites is found
  product(of);
  std::vector<std::uint64_t> x(Product<T>::elements(n)), y(x.size(), 0);
  for (auto& value : x) value = random_bits(state) | 1;
  const auto whole = [](T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); };
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      y[Product<T>::elements(i)] += whole(of->b[Product<T>::elements(i * n + j)]) * x[Product<T>::elements(j)];
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t off = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const std::size_t at = Product<T>::elements(j), here = Product<T>::elements(i * n + j);
      off += whole(of->c[here]) * x[at] - whole(of->a[here]) * y[at];
    }
    wrong += off != 0;
  }
  return wrong;
}

using Made = std::map<std::int64_t, std::shared_ptr<void>>;

template <class T, class Multiply>
[[gnu::cold]] void measure(Case& at, Made& made, const Multiply& product) {
  const std::int64_t n = at.integer("size");
  auto& kept = made[n];
  if (!kept) kept = std::make_shared<Product<T>>(n);
  const auto of = std::static_pointer_cast<Product<T>>(kept);
  const auto work = [=](std::int64_t products) {
    for (; products > 0; --products) product(of);
  };
  at.measure("time", work, {.reading = threads::least_reading});
  at.add_metric("clock", processor::cycle_seconds);
  at.check([=] {
    std::fill(of->c.begin(), of->c.end(), T{0});
    work(1);
    const double share = share_of_bound(*of);
    const std::int64_t wrong = wrong_rows<T>(n, product);
    return Check{share <= 1 && wrong == 0, std::to_string(wrong) + " wrong rows of " + std::to_string(n) +
                                               " with whole numbers; with real ones " + kernels::short_text(share) +
                                               " of the bound"};
  });
}

template <class T>
[[gnu::cold]] void measure(Case& at, const std::shared_ptr<threads::Team>& team, Made& made) {
  const int members = static_cast<int>(at.integer("threads"));
  if (!team->holds(at, members)) return;
  if (at.choice("code") == "ours") {
    auto crew = std::make_shared<threads::PlainCrew>(team, members);
    measure<T>(at, made, [crew](const std::shared_ptr<Product<T>>& of) {
      crew->run([&](const auto& member) {
        using Member = std::decay_t<decltype(member)>;
        const auto meet = [](const void* of_crew) { static_cast<const Member*>(of_crew)->together(); };
        const kernels::Operands<T> operands{of->n, of->a.data(), of->b.data(), of->c.data(), of->panel.data()};
        kernels::multiply(operands, {member.rank, member.count, meet, &member});
      });
    });
    return;
  }
#ifdef ASSAY_BLAS
  if (!libraries::blas_threads(members)) return at.skip(libraries::no_such_threads(members));
  at.note("library: " + libraries::blas_version());
  measure<T>(at, made, [members]([[maybe_unused]] const std::shared_ptr<Product<T>>& of) {
    libraries::blas_threads(members);
#ifndef ASSAY_BREAK
    libraries::gemm(of->n, of->a.data(), of->b.data(), of->c.data());
#endif
  });
#else
  at.skip(libraries::no_blas);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  Made doubles, floats;
  return run_program(record, argc, argv, [&](Case& at) {
    at.choice("type") == "float64" ? measure<double>(at, team, doubles) : measure<float>(at, team, floats);
  });
}
