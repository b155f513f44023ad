// EuroBen's mod2a: a square matrix times a vector by inner products and by multiples of columns (van der Steen 2000,
// sections 6.1.2.1, 6.2.2.1 and 6.3.2.1, Table 6.13), and with both loops scheduled together, which the paper misses
// from its compilers. The matrix's columns stand one after another, as in the paper's Fortran: an inner product goes
// through it in steps of n. The library does the same with ddot, daxpy and dgemv.
#include <cmath>
#include <map>
#include <memory>

#include "kernels/line_aligned.hpp"
#include "kernels/matrix_vector_kernel.hpp"
#include "kernels/random_values.hpp"
#include "kernels/short_text.hpp"
#include "libraries/blas.hpp"
#include "libraries/code.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "matrix-vector"
title = "Matrix-vector product (EuroBen mod2a)"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "a square matrix times a vector on one thread: by inner products, by multiples of columns, and whole; plain C++ and the BLAS"
cost = "2 n^2 flops; 8 n^2 bytes of the matrix read"
check = "every element against the same sum in long double, within n units of rounding of the sum of absolute values, which no order of summation passes"
source = "van der Steen 2000, sections 6.1.2.1, 6.2.2.1 and 6.3.2.1, Table 6.13; the sizes are not printed"
published = ["euroben.mod2a"]
libraries = ["blas"]
slice_quick = 0.005
slice_standard = 0.005
slice_full = 0.05

[unit.kernel]
source = "kernels/loops/matrix_vector.cpp"

[parameter.code]
from = "libraries/code.hpp"
described = "ours"
help = "library: the BLAS that was found; ours: plain C++ as the compiler makes it"

[parameter.form]
type = "choice"
default = ["dot", "axpy", "gemv"]
choices = ["dot", "axpy", "gemv"]
sweep = true
help = "dot: an inner product a row (ddot), in steps of n; axpy: a multiple of each column (daxpy); gemv: the whole product at once (dgemv; ours takes four columns together)"

[parameter.size]
type = "integer"
default = [50, 200, 800, 2000]
full = [50, 100, 200, 400, 800, 2000, 6000]
min = 1
max = 32768
unit = "1"
sweep = true
help = "rows and columns: 50 is of the first cache, 2000 beyond most last ones"

# On a described machine: the loop over a row or a column is the vector kernel's.
[described]
kernel = "{form}"
length = "size"
memory = "8 * size ** 2"
only = { code = ["ours"] }
metric = { time = "unit * 2 * size ** 2" }

[metric.time]
unit = "s"
help = "time of a product"

[figure.rate]
metric = "time"
formula = "2 * size ** 2 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "2 n^2 flops"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a product"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct Product {
  explicit Product(std::int64_t size)
      : n(size), a(kernels::random_values(n * n, 1)), x(kernels::random_values(n, 2)), y(x.size()) {}
  std::int64_t n;
  kernels::LineAlignedArray<double> a, x, y;
};

// The most that an element is off, as a share of n units of rounding of the sum of |a| |x|.
double share_of_bound(const Product& of) {
  const auto n = static_cast<std::size_t>(of.n);
  std::vector<long double> sum(n, 0), bound(n, 0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      const long double each = static_cast<long double>(of.a[i + j * n]) * of.x[j];
      sum[i] += each;
      bound[i] += std::abs(each);
    }
  long double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const long double allowed = bound[i] * static_cast<long double>(n) * std::numeric_limits<double>::epsilon() / 2;
    const long double share = std::abs(of.y[i] - sum[i]) / allowed;
    if (!(share <= worst)) worst = share;  // a NaN stays
  }
  return static_cast<double>(worst);
}

using Once = std::function<void(Product&)>;

Once ours(const std::string& form) {
  const auto loop = form == "dot"    ? kernels::multiply_by_dots
                    : form == "axpy" ? kernels::multiply_by_axpys
                                     : kernels::multiply_by_fours;
  return [loop](Product& of) { loop(of.n, of.a.data(), of.x.data(), of.y.data()); };
}

#ifdef ASSAY_BLAS
Once of_library(const std::string& form) {
  if (form == "dot")
    return [](Product& of) {
      for (std::int64_t i = 0; i < of.n; ++i)
        of.y[static_cast<std::size_t>(i)] = libraries::dot(of.n, of.a.data() + i, of.n, of.x.data());
    };
  if (form == "axpy")
    return [](Product& of) {
      std::fill(of.y.begin(), of.y.end(), 0.0);
      for (std::int64_t j = 0; j < of.n; ++j)
        libraries::axpy(of.n, of.x[static_cast<std::size_t>(j)], of.a.data() + j * of.n, of.y.data());
    };
  return [](Product& of) { libraries::gemv(false, of.n, of.n, 1, of.a.data(), of.x.data(), 0, of.y.data()); };
}
#endif

void measure(Case& at, const std::shared_ptr<Product>& of, const Once& once) {
  const auto work = [=](std::int64_t products) {
    for (; products > 0; --products) {
      once(*of);
      touched();
    }
  };
  at.measure("time", work);
  at.check([=] {
    std::fill(of->y.begin(), of->y.end(), std::numeric_limits<double>::quiet_NaN());
    work(1);
    const double share = share_of_bound(*of);
    return Check{share <= 1, "elements within " + kernels::short_text(share) + " of the bound"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::int64_t, std::shared_ptr<Product>> kept;
  return run_program(record, argc, argv, [&](Case& at) {
    auto& of = kept[at.integer("size")];
    if (!of) of = std::make_shared<Product>(at.integer("size"));
    if (at.choice("code") == "ours") return measure(at, of, ours(at.choice("form")));
#ifdef ASSAY_BLAS
    libraries::blas_threads(1);
    at.note("library: " + libraries::blas_version());
    Once once = of_library(at.choice("form"));
#ifdef ASSAY_BREAK
    once = [](Product&) {};
#endif
    measure(at, of, once);
#else
    at.skip(libraries::no_blas);
#endif
  });
}
