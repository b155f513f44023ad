// EuroBen's mod2e: eigenvalues of a sparse matrix. The paper says no more than "full and sparse eigenvalue problems"
// (van der Steen 2000, section 4.1.1) and prints no result of it; our reading is the least and the greatest eigenvalue
// of the five-point Laplacian of a grid of m x (m + 1) points, by Lanczos' method with full reorthogonalisation. The
// eigenvalues are known in closed form, and so is how near so many steps must come to them.
//
// BLAS has no product with a sparse matrix: `library` means that the reorthogonalisation is its (dgemv) and the product
// is ours.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "kernels/eigenvalues_kernel.hpp"
#include "kernels/lanczos.hpp"
#include "kernels/random_values.hpp"
#include "kernels/short_text.hpp"
#include "kernels/sparse_laplacian.hpp"
#include "libraries/blas.hpp"
#include "libraries/code.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "sparse-eigenvalues"
title = "Sparse eigenvalues (EuroBen mod2e)"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "extreme eigenvalues of the five-point Laplacian by Lanczos with full reorthogonalisation on one thread: plain C++, and with the BLAS for the projections"
cost = "k steps on n points: 2 flops an entry and 3 a point each, and 4 n k (k + 1) for two projections on all vectors before; the eigenvalues of the k x k matrix are not counted"
check = "both extreme eigenvalues between the exact ones and Kaniel, Paige and Saad's bound for k steps from this start; A Q - Q T within n eps |A| and Q' Q - I within n eps, by products with a vector of random signs and the stencil in long double"
source = "van der Steen 2000, section 4.1.1 (named, no more); Lanczos 1950; Saad, Numerical Methods for Large Eigenvalue Problems, section 6.6"
libraries = ["blas"]

[unit.kernel]
source = "kernels/loops/sparse.cpp"

[unit.small]
source = "kernels/loops/eigenvalues.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: the projections by the BLAS that was found, the product with the matrix ours; ours: plain C++ as the compiler makes it"

[parameter.size]
type = "integer"
default = [16, 64, 128]
full = [16, 64, 128, 256, 512]
min = 8
max = 4096
unit = "1"
sweep = true
help = "m: the grid has m x (m + 1) points, so that no eigenvalue is there twice"

[parameter.steps]
type = "integer"
default = 40
min = 2
max = 1000
unit = "1"
help = "steps of the method, no more than half as many as points"

[metric.time]
unit = "s"
help = "time of all steps and of the eigenvalues of the small matrix"

[figure.rate]
metric = "time"
formula = "(steps * (2 * (5 * size ** 2 + size - 2) + 3 * size * (size + 1)) + 4 * size * (size + 1) * steps * (steps + 1)) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops of the products and the projections"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of all steps"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

#ifdef ASSAY_BLAS
struct LibraryProjections {
  static void onto(std::int64_t n, std::int64_t count, const double* q, const double* w, double* h) {
    libraries::gemv(true, n, count, 1, q, w, 0, h);
  }
  static void subtract(std::int64_t n, std::int64_t count, const double* q, const double* h, double* w) {
    libraries::gemv(false, n, count, -1, q, h, 1, w);
  }
};
#endif

struct Problem {
  Problem(std::int64_t side, std::int64_t count)
      : grid{side, side + 1}, steps(count), matrix(kernels::laplacian(grid)) {
    const auto start = kernels::random_values(grid.points(), 1);
    const double length = std::sqrt(kernels::dot(grid.points(), start.data(), start.data()));
    basis.q.resize(static_cast<std::size_t>(grid.points() * (steps + 1)));
    for (std::size_t i = 0; i < start.size(); ++i) basis.q[i] = start[i] / length;
  }
  kernels::LaplacianGrid grid;
  std::int64_t steps;
  kernels::SparseMatrix matrix;
  kernels::Lanczos basis;
  double least = 0, most = 0;  // the eigenvalues found
};

// How far below the greatest eigenvalue (`i`, `j`) the one found after `steps` may be, where `next` is the second
// greatest and `last` the least; of the least eigenvalue the same holds with all signs turned.
long double bound_of(const Problem& of, std::int64_t i, std::int64_t j, long double next, long double last) {
  const long double own = kernels::laplacian_eigenvalue(of.grid, i, j);
  long double along = 0, square = 0;  // of the start, in the direction of the eigenvector
  for (std::int64_t r = 0; r < of.grid.rows; ++r)
    for (std::int64_t c = 0; c < of.grid.columns; ++c) {
      const auto wave = [](std::int64_t k, std::int64_t at, std::int64_t points) {
        return std::sin(std::numbers::pi_v<long double> * static_cast<long double>(k * (at + 1)) /
                        static_cast<long double>(points + 1));
      };
      const long double value = wave(i, r, of.grid.rows) * wave(j, c, of.grid.columns);
      along += value * of.basis.q[static_cast<std::size_t>(r * of.grid.columns + c)];
      square += value * value;
    }
  const long double cosine = std::abs(along) / std::sqrt(square);
  const long double tangent = std::sqrt(1 - cosine * cosine) / cosine;
  const long double gap = std::abs(own - next) / std::abs(next - last);
  const long double polynomial = std::cosh(static_cast<long double>(of.steps - 1) * std::acosh(1 + 2 * gap));
  return std::abs(own - last) * (tangent / polynomial) * (tangent / polynomial);
}

// The worst error as a share of its bound: the two eigenvalues; A Q - Q T - what was left; Q' Q - I.
double share_of_bound(const Problem& of) {
  const std::int64_t n = of.grid.points(), rows = of.grid.rows, columns = of.grid.columns, steps = of.steps;
  const long double rounding = static_cast<long double>(n) * std::numeric_limits<double>::epsilon();
  const auto value = [&](std::int64_t i, std::int64_t j) { return kernels::laplacian_eigenvalue(of.grid, i, j); };
  const long double least = value(1, 1), most = value(rows, columns);
  const long double after = std::min(value(1, 2), value(2, 1));
  const long double before = std::max(value(rows, columns - 1), value(rows - 1, columns));
  long double worst = 0;
  const auto judge = [&](long double share) {
    if (!(share <= worst)) worst = share;  // a NaN stays
  };
  const auto between = [&](long double off, long double bound) {  // from 0 to the bound
    judge(off >= 0 ? off / (bound + 8 * rounding) : -off / (8 * rounding));
  };
  between(of.least - least, bound_of(of, 1, 1, after, most));
  between(most - of.most, bound_of(of, rows, columns, before, least));
  std::vector<long double> signs(static_cast<std::size_t>(steps) + 2, 0), sum(static_cast<std::size_t>(n), 0), t(sum);
  std::uint64_t state = 9;
  for (std::int64_t j = 0; j < steps; ++j) signs[static_cast<std::size_t>(j)] = random_bits(state) >> 63 ? 1 : -1;
  const std::vector<double>&diagonal = of.basis.diagonal, &beside = of.basis.beside;
  for (std::int64_t j = 0; j <= steps; ++j) {
    const auto at = static_cast<std::size_t>(j);
    long double turned = j > 0 ? beside[at - 1] * signs[at - 1] : 0.0L;  // of T signs, the last row what was left
    if (j < steps) turned += diagonal[at] * signs[at];
    if (j + 1 < steps) turned += beside[at] * signs[at + 1];
    for (std::int64_t k = 0; k < n; ++k) {
      const long double element = of.basis.q[static_cast<std::size_t>(j * n + k)];
      sum[static_cast<std::size_t>(k)] += element * signs[at];
      t[static_cast<std::size_t>(k)] += element * turned;
    }
  }
  const std::vector<long double> product = kernels::stencil(of.grid, sum);
  long double off = 0, skew = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) off += (product[k] - t[k]) * (product[k] - t[k]);
  for (std::int64_t j = 0; j < steps; ++j) {
    long double along = -signs[static_cast<std::size_t>(j)];
    for (std::int64_t k = 0; k < n; ++k)
      along += of.basis.q[static_cast<std::size_t>(j * n + k)] * sum[static_cast<std::size_t>(k)];
    skew += along * along;
  }
  const long double root = std::sqrt(static_cast<long double>(steps));
  judge(std::sqrt(off) / (8 * root * rounding));
  judge(std::sqrt(skew) / (root * rounding));
  return static_cast<double>(worst);
}

template <class Projections>
void measure(Case& at, const std::shared_ptr<Problem>& of) {
  const auto work = [=](std::int64_t times) {
    for (; times > 0; --times) {
      kernels::lanczos<Projections>(of->matrix, of->steps, of->basis);
      std::vector<double> values = of->basis.diagonal, beside = of->basis.beside;
      kernels::diagonalise(of->steps, values.data(), beside.data(), nullptr, 0);
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      of->least = *least;
      of->most = *most;
      touched();
    }
  };
  at.measure("time", work);
  at.check([=] {
    std::fill(of->basis.q.begin() + of->grid.points(), of->basis.q.end(), 0);
    work(1);
    const double share = share_of_bound(*of);
    return Check{share <= 1, "eigenvalues " + kernels::short_text(of->least) + " and " + kernels::short_text(of->most) +
                                 "; these, residuals and orthogonality within " + kernels::short_text(share) +
                                 " of the bound"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::int64_t, std::shared_ptr<Problem>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    const std::int64_t size = at.integer("size"), steps = at.integer("steps");
    if (2 * steps > size * (size + 1))
      throw refused_value("steps", "are too many", steps,
                          "at most " + std::to_string(size * (size + 1) / 2) + " where size=" + std::to_string(size));
    auto& of = kept[size];
    if (!of) of = std::make_shared<Problem>(size, steps);
    if (at.choice("code") == "ours") return measure<kernels::PlainProjections>(at, of);
#ifdef ASSAY_BLAS
    libraries::blas_threads(1);
    at.note("library: " + libraries::blas_version());
    measure<LibraryProjections>(at, of);
#else
    at.skip(libraries::no_blas);
#endif
  });
}
