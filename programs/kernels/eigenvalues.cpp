// EuroBen's mod2d: all eigenvalues and eigenvectors of a full symmetric matrix (van der Steen 2000, sections 6.2.2.1
// and 6.3.2.1, Table 6.13), which the paper says consists of axpy operations and flat rotations. Ours reduces by
// Householder's reflections and iterates by implicit QL; the library's is LAPACK's dsyev. Vectors are our reading: the
// paper prints "Ax = lambda x (dense)" and neither sizes nor a count of flops.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "kernels/eigenvalues_kernel.hpp"
#include "kernels/line_aligned.hpp"
#include "kernels/random_values.hpp"
#include "kernels/short_text.hpp"
#include "libraries/code.hpp"
#include "libraries/lapack.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "eigenvalues"
title = "Symmetric eigenvalues (EuroBen mod2d)"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "all eigenvalues and vectors of a full symmetric matrix on one thread: Householder and implicit QL in plain C++, and LAPACK's dsyev"
cost = "9 n^3 flops by convention (Golub and Van Loan's count with vectors), whatever the algorithm does; 8 n^2 bytes"
check = "the matrix is made from known eigenvalues: these found within 4 n eps |A|; |A V - V D| within 4 n eps |A| and |V' V - I| within 4 n eps, by products with a vector of random signs in long double"
source = "van der Steen 2000, sections 6.2.2.1 and 6.3.2.1, Table 6.13; Martin and Wilkinson 1968; Golub and Van Loan, section 8.3"
published = ["euroben.mod2d"]
libraries = ["lapack"]

[unit.kernel]
source = "kernels/loops/eigenvalues.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: dsyev of the LAPACK that was found; ours: plain C++ as the compiler makes it"

[parameter.size]
type = "integer"
default = [30, 100, 200]
full = [30, 100, 200, 500, 1000]
min = 1
max = 16384
unit = "1"
sweep = true
help = "rows and columns"

[metric.time]
unit = "s"
help = "time to find all eigenvalues and vectors, the copy of the matrix into place included"

[figure.rate]
metric = "time"
formula = "9 * size ** 3 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "9 n^3 flops by convention"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time to find all eigenvalues and vectors"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

struct Problem {
  explicit Problem(std::int64_t size);
  std::int64_t n;
  std::vector<double> known;  // eigenvalues, ascending, from -1 to 1; the first one twice
  kernels::LineAlignedArray<double> given, a, vectors;
  std::vector<double> work;
  std::vector<double> found, beside, room;  // the eigenvalues; their vectors stand in `vectors`, one after another
};

// Reflections on both sides of a diagonal matrix, in long double: its eigenvalues stay.
Problem::Problem(std::int64_t size)
    : n(size), known(at(n)), given(at(n * n)), a(given), vectors(given), found(at(n)), beside(found), room(at(3 * n)) {
  for (std::int64_t i = 0; i < n; ++i)
    known[at(i)] = n == 1 ? 1 : 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
  if (n > 2) known[1] = known[0];
  std::vector<long double> exact(at(n * n), 0);
  for (std::int64_t i = 0; i < n; ++i) exact[at(i * n + i)] = known[at(i)];
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto u = kernels::random_values(n, seed);
    std::vector<long double> w(at(n), 0);
    long double square = 0, along = 0;
    for (const long double each : u) square += each * each;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) w[at(i)] += 2 / square * exact[at(i * n + j)] * u[at(j)];
    for (std::int64_t i = 0; i < n; ++i) along += w[at(i)] * u[at(i)] / square;
    for (std::int64_t i = 0; i < n; ++i) w[at(i)] -= along * u[at(i)];
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) exact[at(i * n + j)] -= w[at(i)] * u[at(j)] + u[at(i)] * w[at(j)];
  }
  for (std::int64_t i = 0; i < n * n; ++i) given[at(i)] = static_cast<double>(exact[at(i)]);
}

// The worst of three errors as a share of 4 n eps |A|, |A| = 1: of the eigenvalues; of A V - V D; of V' V - I. The last
// two are seen in their products with a vector of random signs, whose length is that of the matrix's elements together:
// at most sqrt n times its norm.
double share_of_bound(const Problem& of) {
  const std::int64_t n = of.n;
  const long double bound = 4 * static_cast<long double>(n) * std::numeric_limits<double>::epsilon();
  std::vector<double> sorted = of.found;
  std::sort(sorted.begin(), sorted.end());
  long double worst = 0, off = 0, skew = 0;
  const auto judge = [&](long double share) {
    if (!(share <= worst)) worst = share;  // a NaN stays
  };
  for (std::int64_t i = 0; i < n; ++i)
    judge(std::abs(static_cast<long double>(sorted[at(i)]) - of.known[at(i)]) / bound);
  std::vector<long double> signs(at(n)), sum(at(n), 0), scaled(at(n), 0);
  std::uint64_t state = 9;
  for (auto& sign : signs) sign = random_bits(state) >> 63 ? 1 : -1;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      const long double each = of.vectors[at(i * n + k)] * signs[at(i)];
      sum[at(k)] += each;
      scaled[at(k)] += each * of.found[at(i)];
    }
  for (std::int64_t i = 0; i < n; ++i) {
    long double row = -scaled[at(i)], across = -signs[at(i)];
    for (std::int64_t k = 0; k < n; ++k) {
      row += of.given[at(i * n + k)] * sum[at(k)];
      across += of.vectors[at(i * n + k)] * sum[at(k)];
    }
    off += row * row;
    skew += across * across;
  }
  judge(std::sqrt(off / static_cast<long double>(n)) / bound);
  judge(std::sqrt(skew / static_cast<long double>(n)) / bound);
  return static_cast<double>(worst);
}

template <class Once>
void measure(Case& on, const std::shared_ptr<Problem>& of, const Once& once) {
  const auto work = [=](std::int64_t times) {
    for (; times > 0; --times) {
      once(*of);
      touched();
    }
  };
  on.measure("time", work);
  on.check([=] {
    std::fill(of->vectors.begin(), of->vectors.end(), 0);
    of->found.assign(at(of->n), 0);
    work(1);
    const double share = share_of_bound(*of);
    return Check{share <= 1,
                 "eigenvalues, residuals and orthogonality within " + kernels::short_text(share) + " of the bound"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::int64_t, std::shared_ptr<Problem>> kept;
  return run_program(record, argc, argv, [&](Case& on) {
    auto& of = kept[on.integer("size")];
    if (!of) of = std::make_shared<Problem>(on.integer("size"));
    if (on.choice("code") == "ours")
      return measure(on, of, [](Problem& problem) {
        problem.a = problem.given;
        const std::int64_t n = problem.n;
        double *const q = problem.vectors.data(), *const d = problem.found.data(), *const e = problem.beside.data();
        kernels::reduce_to_tridiagonal(n, problem.a.data(), q, d, e, problem.room.data());
        kernels::diagonalise(n, d, e, q, n);
      });
#ifdef ASSAY_LAPACK
    libraries::blas_threads(1);
    on.note("library: " + libraries::blas_version());
    measure(on, of, []([[maybe_unused]] Problem& problem) {
#ifndef ASSAY_BREAK
      problem.vectors = problem.given;
      libraries::syev(problem.n, problem.vectors.data(), problem.found.data(), problem.work);
#endif
    });
#else
    on.skip(libraries::no_lapack);
#endif
  });
}
