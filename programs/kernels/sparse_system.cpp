// EuroBen's mod2c: a sparse system of linear equations. The paper says no more than "solution of full and sparse linear
// systems" (van der Steen 2000, section 4.1.1) and prints no result of it; our reading is conjugate gradients on the
// five-point Laplacian of a square grid, the matrix by rows (CSR). An operation is an iteration; as in
// HPCG so many are made from the start, here 20, then all begins again, so that every size does the same.
//
// BLAS has no product with a sparse matrix: `library` means that the operations on vectors are its (ddot, daxpy, dscal)
// and the product is ours.
#include <cmath>
#include <map>
#include <memory>

#include "kernels/conjugate_gradients.hpp"
#include "kernels/short_text.hpp"
#include "kernels/sparse_laplacian.hpp"
#include "libraries/blas.hpp"
#include "libraries/code.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "sparse-system"
title = "Sparse linear system (EuroBen mod2c)"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "conjugate gradients on the five-point Laplacian of a square grid, the matrix by rows, on one thread: plain C++, and with the BLAS for the vectors"
cost = "an iteration: 2 flops for each of 5 m^2 - 4 m entries and 10 for each of m^2 unknowns; 12 bytes an entry and 96 an unknown"
check = "after 20 iterations the error's square in the matrix's norm has fallen by the sum that Hestenes and Stiefel's identity gives, within 20 m^2 eps, the residual is b - A x within rounding, and the next direction is conjugate to the last; on a grid of 24 x 24 the residual falls to 1e-10 within Chebyshev's bound of iterations, and the error is below it over the least eigenvalue; all by the stencil in long double"
source = "van der Steen 2000, section 4.1.1 (named, no more); Hestenes and Stiefel 1952; Strakos and Tichy 2002; HPCG"
libraries = ["blas"]

[unit.kernel]
source = "kernels/loops/sparse.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: the vectors by the BLAS that was found, the product with the matrix ours; ours: plain C++ as the compiler makes it"

[parameter.size]
type = "integer"
default = [32, 128, 400]
full = [32, 128, 400, 1000, 2000]
min = 8
max = 8192
unit = "1"
sweep = true
help = "m: points along a side of the grid; m^2 unknowns"

[metric.time]
unit = "s"
help = "time of an iteration"

[figure.rate]
metric = "time"
formula = "(20 * size ** 2 - 8 * size) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "20 m^2 - 8 m flops per iteration"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of an iteration"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using kernels::ConjugateGradients, kernels::LaplacianGrid;

constexpr std::int64_t iterations = 20;

#ifdef ASSAY_BLAS
struct LibraryVectors {
  static double dot(std::int64_t n, const double* x, const double* y) { return libraries::dot(n, x, 1, y); }
  static void add(std::int64_t n, double factor, const double* x, double* y) { libraries::axpy(n, factor, x, y); }
  static void add_to_multiple(std::int64_t n, double factor, const double* x, double* y) {
    libraries::scale(n, factor, y);
    libraries::axpy(n, 1, x, y);
  }
};
#endif

struct Problem {  // its solution is of whole numbers, so that the right side is exact
  explicit Problem(std::int64_t side)
      : grid{side, side}, matrix(kernels::laplacian(grid)), known(static_cast<std::size_t>(grid.points())) {
    std::uint64_t state = 1;
    for (double& value : known) value = static_cast<double>(random_bits(state) % 17) - 8;
    for (const long double value : kernels::stencil(grid, known)) right.push_back(static_cast<double>(value));
  }
  LaplacianGrid grid;
  kernels::SparseMatrix matrix;
  std::vector<double> known, right;
  ConjugateGradients state;
};

long double inner(const std::vector<long double>& x, const std::vector<long double>& y) {
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

std::vector<long double> error_of(const Problem& of) {
  std::vector<long double> found;
  for (std::size_t i = 0; i < of.known.size(); ++i)
    found.push_back(static_cast<long double>(of.known[i]) - of.state.x[i]);
  return found;
}

// The worst of three errors as a share of what rounding explains: the fall of |error|_A^2 against the identity's, b - A
// x against r, and the next direction against the last one, to which it is conjugate.
double share_of_bound(const Problem& of) {
  const long double unit = std::numeric_limits<double>::epsilon(), rounds = iterations;
  const auto points = static_cast<long double>(of.grid.points());
  const std::vector<long double> before(of.known.begin(), of.known.end()), error = error_of(of);
  const std::vector<long double> left = kernels::stencil(of.grid, error);  // b - A x
  const long double start = inner(before, kernels::stencil(of.grid, of.known)), fall = start - inner(error, left);
  long double gap = 0, worst = 0;
  const auto judge = [&](long double share) {
    if (!(share <= worst)) worst = share;  // a NaN stays
  };
  judge(std::abs(fall - of.state.decrease) / (rounds * points * unit * start));
  for (std::size_t i = 0; i < left.size(); ++i) gap += (left[i] - of.state.r[i]) * (left[i] - of.state.r[i]);
  // each iteration rounds x and r in units of |A| |x|, |A| < 8, and |x| grows to the solution's
  judge(std::sqrt(gap / inner(before, before)) / (rounds * 8 * unit));
  const std::vector<long double> r(of.state.r.begin(), of.state.r.end()), p(of.state.p.begin(), of.state.p.end());
  const std::vector<long double> q(of.state.q.begin(), of.state.q.end());  // A times the last direction
  judge(std::abs(inner(p, q) / inner(r, q)) / (rounds * points * unit));
  return static_cast<double>(worst);
}

// On a small grid, to the end: iterations and error as shares of their bounds.
template <class Vectors>
double share_of_convergence() {
  Problem of(24);
  const long double least = kernels::laplacian_eigenvalue(of.grid, 1, 1), most = 8 - least, wanted = 1e-10L;
  const long double root = std::sqrt(most / least);
  const auto bound = static_cast<int>(std::ceil(std::log(2 * root / wanted) / -std::log((root - 1) / (root + 1))));
  kernels::start_at_zero<Vectors>(of.right, of.state);
  const double start = of.state.square;
  int made = 0;
  while (made <= bound && !(of.state.square <= static_cast<double>(wanted * wanted) * start)) {
    kernels::iterate<Vectors>(of.matrix, of.state);
    ++made;
  }
  const std::vector<long double> error = error_of(of);
  const long double allowed = wanted * std::sqrt(static_cast<long double>(start)) / least * 1.01L;
  const long double off = std::sqrt(inner(error, error)) / allowed, taken = static_cast<long double>(made) / bound;
  return static_cast<double>(off <= taken ? taken : off);
}

template <class Vectors>
void measure(Case& at, const std::shared_ptr<Problem>& of) {
  const auto work = [=](std::int64_t operations) {
    for (; operations > 0; operations -= iterations) {
      kernels::start_at_zero<Vectors>(of->right, of->state);
      for (std::int64_t i = 0; i < iterations; ++i) kernels::iterate<Vectors>(of->matrix, of->state);
      touched();
    }
  };
  at.measure("time", work, {.unit = iterations});
  at.check([=] {
    work(iterations);
    const double share = share_of_bound(*of), convergence = share_of_convergence<Vectors>();
    return Check{share <= 1 && convergence <= 1, "identity, residual and conjugacy within " +
                                                     kernels::short_text(share) + " of the bound; convergence within " +
                                                     kernels::short_text(convergence) + " of Chebyshev's"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::int64_t, std::shared_ptr<Problem>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    auto& of = kept[at.integer("size")];
    if (!of) of = std::make_shared<Problem>(at.integer("size"));
    if (at.choice("code") == "ours") return measure<kernels::PlainVectors>(at, of);
#ifdef ASSAY_BLAS
    libraries::blas_threads(1);
    at.note("library: " + libraries::blas_version());
    measure<LibraryVectors>(at, of);
#else
    at.skip(libraries::no_blas);
#endif
  });
}
