// The inner product by vector length: compiled, written for vectors by hand, and the library's (figure 1 of Dunigan
// 1991 has it in Fortran and in assembler on the i860, in single and double precision). The loops are those of
// memory/inner_product.cpp, which measures them on several hardware threads at once.
#include <bit>
#include <map>
#include <memory>

#include "libraries/blas.hpp"
#include "memory/inner_product_kernel.hpp"
#include "memory/pages.hpp"
#include "threads/team.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "dot-product"
title = "Inner product by length"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "inner product by vector length, single and double precision, on one thread: compiled, vectorised by hand, and the BLAS"
cost = "2 flops per element, and 8 or 16 bytes read"
check = "small whole numbers, whose sum is exact in any order, against 64-bit integer arithmetic"
source = "Dunigan 1991, section 2.1, figure 1 (an image without numbers)"
published = ["dot-product"]
libraries = ["blas"]
flags = ["-fopenmp-simd"]
slice_quick = 0.002
slice_standard = 0.002
slice_full = 0.02

[parameter.code]
type = "choice"
default = ["compiled", "vectorised", "library"]
described = "compiled"
choices = ["compiled", "vectorised", "library"]
sweep = true
help = "compiled: the textbook's loop, its sums in the order written; vectorised: eight sums of whole vectors, by hand; library: ddot and sdot of the BLAS that was found"

[parameter.type]
from = "memory/inner_product_kernel.hpp"
described = "float64"

[parameter.length]
type = "integer"
default = [16, 64, 256, 1000, 4096, 16384, 65536, 262144, 1048576, 4194304]
quick = [16, 256, 4096, 65536, 1048576]
min = 1
max = 4194304
unit = "1"
sweep = true
help = "elements of a vector"

[described]
kernel = "dot"
length = "length"
memory = "16 * length"
only = { code = ["compiled"], type = ["float64"] }
metric = { time = "2 * unit" }

[metric.time]
unit = "s"
help = "time of an element"

[figure.rate]
metric = "time"
formula = "2 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "a multiplication and an addition per element"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

template <class T>
using Product = T (*)(const T*, const T*, std::int64_t);

#ifdef ASSAY_BLAS
template <class T>
T of_library(const T* x, const T* y, std::int64_t count) {
#ifdef ASSAY_BREAK
  --count;
#endif
  return libraries::dot(count, x, 1, y);
}
#endif

// Whole numbers but 0, so that no missing product is unseen; their sums stay below 2^24, where float32 is exact.
std::int64_t left(std::int64_t i) { return i % 4 < 2 ? i % 4 - 2 : i % 4 - 1; }
std::int64_t right(std::int64_t i) { return 1 + i % 2; }

template <class T>
struct Vectors {
  explicit Vectors(std::int64_t length)
      : count(length), pages(static_cast<std::size_t>(2 * (length + stagger)) * sizeof(T), true) {
    x = reinterpret_cast<T*>(pages.data());
    y = x + (length + stagger) / stagger * stagger;
    for (std::int64_t i = 0; i < count; ++i) {
      x[i] = static_cast<T>(left(i));
      y[i] = static_cast<T>(right(i));
    }
  }
  // One after the other: the addresses of each wait for the result of the one before. Else a processor overlaps short
  // products.
  T passes(Product<T> product, std::int64_t times) const {
    std::int64_t nothing = 0, after = 0;
    opaque(nothing);
    T sum = 0;
    for (; times > 0; --times) {
      sum = product(x + after, y + after, count);
      after = static_cast<std::int64_t>(sum) & nothing;
    }
    return sum;
  }
  static constexpr std::int64_t stagger = 64;  // elements: y begins a few lines behind x
  std::int64_t count;
  memory::Pages pages;
  T *x, *y;
};

template <class T>
void set_up(Case& at, std::map<std::int64_t, std::shared_ptr<Vectors<T>>>& kept) {
  const std::string code = at.choice("code");
  Product<T> product = code == "compiled" ? &memory::compiled<T> : &memory::vectorised<T>;
  if (code == "library") {
#ifdef ASSAY_BLAS
    libraries::blas_threads(1);
    at.note("library: " + libraries::blas_version());
    product = &of_library<T>;
#else
    return at.skip(libraries::no_blas);
#endif
  }
#ifdef ASSAY_BREAK
  if (code == "compiled")
    product = [](const T* x, const T* y, std::int64_t n) { return memory::compiled(x, y, n - 1); };
#endif
  auto& of = kept[at.integer("length")];
  if (!of) of = std::make_shared<Vectors<T>>(at.integer("length"));
  at.measure("time", [of, product](std::int64_t elements) { of->passes(product, elements / of->count); },
             {.unit = of->count});
  at.check([of, product] {
    std::int64_t exact = 0;
    for (std::int64_t i = 0; i < of->count; ++i) exact += left(i) * right(i);
    return Check{of->passes(product, 1) == static_cast<T>(exact),
                 "the sum of " + std::to_string(of->count) + " products"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int cpu = threads::find_processors().cpus.front();
  std::map<std::int64_t, std::shared_ptr<Vectors<float>>> single;
  std::map<std::int64_t, std::shared_ptr<Vectors<double>>> twice;
  return run_program(record, argc, argv, [&](Case& at) {
    if (!threads::pin(cpu)) at.note("the thread could not be held on one hardware thread");
    at.choice("type") == "float32" ? set_up(at, single) : set_up(at, twice);
  });
}
