// The 14 vector kernels of EuroBen's module 1 (van der Steen 2000, sections 2.1 and 6.1.2.1) as a table: name, the
// arrays that it reads, and what the check expects of an element. The loops of each stand in vector_loops.cpp, flops,
// bytes and formula in the record of vectors.cpp, under the same name.
//
// Our choices. The paper counts 31 kernels and does not list its variants: here every kernel has four forms, in which
// all its vectors are accessed alike, contiguous, with stride 3, with stride 4, or through one vector of 32-bit
// indices, a random permutation. The recursions start from zero and are x_i = a x_(i-1) + y_i and x_i = a x_(i-1) + b
// x_(i-2) + y_i; the second difference reads an element beyond its n at both ends. The loops are written as in a
// textbook and left to the compiler: no reordered sums, no pragma.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/vector_loops.hpp"

namespace assay::kernels {

// The whole numbers that element i of the check's inputs has: of x at i, i + 1 and i + 2, of the others at i; `z` is
// what the output had before, and `i` counts the elements.
struct Element {
  std::int64_t i, z, x, x1, x2, y, u, v;
};
// What an element's expectation needs of those before it.
struct Past {
  std::int64_t sum = 0, y = 0;
  std::array<std::int64_t, 3> last = {};
};

// The expected whole numerator over the whole denominator: `z` must be their quotient (the denominator is 1 but for
// divide). No expression here is the kernel's: sums are by integers and regrouped, recursions by their closed form.
struct Ratio {
  std::int64_t over, under = 1;
};

// Of a block of elements: the inputs' values, those that the kernel reads, and what is expected of each element.
struct Inputs {
  static constexpr std::int64_t block = 1024;
  using Values = std::array<std::int64_t, static_cast<std::size_t>(block) + 2>;
  Values x, y, u, v, z;
};
using Expected = std::array<Ratio, static_cast<std::size_t>(Inputs::block)>;

// Elements `from` to `from + count - 1` by what one is expected to be: a function without state of Element and Past.
class Expect {
 public:
  template <class One>
  constexpr Expect(One)  // NOLINT(google-explicit-constructor): a kernel's line in the table names the function only
      : block_([](const Inputs& in, std::int64_t from, std::int64_t count, Past& past, Expected& out) {
          for (std::int64_t each = 0; each < count; ++each) {
            const auto k = static_cast<std::size_t>(each);
            out[k] = One{}({from + each, in.z[k], in.x[k], in.x[k + 1], in.x[k + 2], in.y[k], in.u[k], in.v[k]}, past);
          }
        }) {}
  void operator()(const Inputs& in, std::int64_t from, std::int64_t count, Past& past, Expected& out) const {
    block_(in, from, count, past, out);
  }

 private:
  void (*block_)(const Inputs&, std::int64_t, std::int64_t, Past&, Expected&);
};

inline constexpr auto expect_recursion1 = [](const Element& e,
                                             Past& past) -> Ratio {  // a = -1: (-1)^i times the sum of (-1)^j y_j
  past.sum += e.i % 2 ? -e.y : e.y;
  return {e.i % 2 ? -past.sum : past.sum};
};

// a = b = -1: the recursion at i less that at i - 1 leaves x_i = x_(i-3) + y_i - y_(i-1).
inline constexpr auto expect_recursion2 = [](const Element& e, Past& past) -> Ratio {
  std::int64_t& third = past.last[static_cast<std::size_t>(e.i % 3)];
  third += e.y - past.y;
  past.y = e.y;
  return {third};
};

inline constexpr auto expect_polynomial = [](const Element& e, Past&) -> Ratio {  // by powers, not by Horner's rule
  std::int64_t sum = 0, power = 1;
  for (const double c : coefficients) {
    sum += static_cast<std::int64_t>(c) * power;
    power *= e.x;
  }
  return {sum};
};

struct Kernel {
  std::string_view name;
  bool x, y, uv;         // the inputs that it reads
  bool writes, adds_to;  // whether there is an output vector, and whether its old elements are read
  Expect expect;
  std::int64_t arrays() const { return x + y + 2 * uv + writes; }
};

constexpr std::array<std::string_view, 4> accesses = {"contiguous", "stride3", "stride4", "indexed"};

inline constexpr std::array<Kernel, 14> table = {{
    {"broadcast", false, false, false, true, false, [](const Element&, Past&) -> Ratio { return {-1}; }},
    {"copy", true, false, false, true, false, [](const Element& e, Past&) -> Ratio { return {e.x}; }},
    {"add", true, true, false, true, false, [](const Element& e, Past&) -> Ratio { return {e.x + e.y}; }},
    {"subtract", true, true, false, true, false, [](const Element& e, Past&) -> Ratio { return {-(e.y - e.x)}; }},
    {"multiply", true, true, false, true, false,
     [](const Element& e, Past&) -> Ratio { return {((e.x + e.y) * (e.x + e.y) - (e.x - e.y) * (e.x - e.y)) / 4}; }},
    {"divide", true, true, false, true, false, [](const Element& e, Past&) -> Ratio { return {e.x, e.y}; }},
    {"dot", true, true, false, false, false,
     [](const Element& e, Past& past) -> Ratio { return {past.sum += e.x * e.y}; }},
    {"axpy", false, true, false, true, true, [](const Element& e, Past&) -> Ratio { return {e.z - e.y}; }},
    {"zaxpy", true, true, false, true, false, [](const Element& e, Past&) -> Ratio { return {-e.y + e.x}; }},
    {"rotation", true, true, true, true, false,
     [](const Element& e, Past&) -> Ratio { return {e.v * e.u + e.y * e.x}; }},
    {"recursion1", false, true, false, true, false, expect_recursion1},
    {"recursion2", false, true, false, true, false, expect_recursion2},
    {"difference2", true, false, false, true, false,
     [](const Element& e, Past&) -> Ratio { return {(e.x2 - e.x1) - (e.x1 - e.x)}; }},
    {"polynomial9", true, false, false, true, false, expect_polynomial},
}};

}  // namespace assay::kernels
