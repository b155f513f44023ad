// The 14 vector kernels of EuroBen's module 1 (van der Steen 2000, sections 2.1 and 6.1.2.1) as a table: name, code for
// each access, the arrays that it reads, and what the check expects of an element. Flops, bytes and formula of each
// stand in the record of vectors.cpp, under the same name.
//
// Our choices. The paper counts 31 kernels and does not list its variants: here every kernel has four forms, in which
// all its vectors are accessed alike, contiguous, with stride 3, with stride 4, or through one vector of 32-bit
// indices, a random permutation. The recursions start from zero and are x_i = a x_(i-1) + y_i and x_i = a x_(i-1) + b
// x_(i-2) + y_i; the second difference reads an element beyond its n at both ends. The loops are written as in a
// textbook and left to the compiler: no reordered sums, no pragma.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::kernels {

constexpr std::array<double, 10> coefficients = {3, -2, 5, 1, -4, 2, -1, 6, -3, 1};  // of the polynomial, c_0 first

struct Contiguous {
  const std::int32_t* index;
  std::int64_t operator()(std::int64_t i) const { return i; }
};
template <int stride>
struct Strided {
  const std::int32_t* index;
  std::int64_t operator()(std::int64_t i) const { return stride * i; }
};
struct Indexed {
  const std::int32_t* index;
  std::int64_t operator()(std::int64_t i) const { return index[i]; }
};

// What does not change over a pass. a and b are read from memory, so that no kernel is compiled for their values.
struct Scalars {
  double a = -1, b = -1;
  std::array<double, 10> c = coefficients;
};

using Out = double* __restrict;
using In = const double* __restrict;
using Index = const std::int32_t*;
using Loop = double (*)(Out z, In x, In y, In u, In v, const Scalars& s, std::int64_t n, Index index);

template <class At>
double broadcast(Out z, In, In, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const double a = s.a;
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = a;
  return 0;
}

template <class At>
double copy(Out z, In x, In, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)];
  return 0;
}

template <class At>
double add(Out z, In x, In y, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] + y[at(i)];
  return 0;
}

template <class At>
double subtract(Out z, In x, In y, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] - y[at(i)];
  return 0;
}

template <class At>
double multiply(Out z, In x, In y, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] * y[at(i)];
  return 0;
}

template <class At>
double divide(Out z, In x, In y, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] / y[at(i)];
  return 0;
}

template <class At>
double dot(Out, In x, In y, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[at(i)] * y[at(i)];
  return sum;
}

template <class At>
double axpy(Out z, In, In y, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const double a = s.a;
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = z[at(i)] + a * y[at(i)];
  return 0;
}

template <class At>
double zaxpy(Out z, In x, In y, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const double a = s.a;
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] + a * y[at(i)];
  return 0;
}

template <class At>
double rotation(Out z, In x, In y, In u, In v, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] * y[at(i)] + u[at(i)] * v[at(i)];
  return 0;
}

template <class At>
double recursion1(Out z, In, In y, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const double a = s.a;
  double last = 0;
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = last = a * last + y[at(i)];
  return 0;
}

template <class At>
double recursion2(Out z, In, In y, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const double a = s.a, b = s.b;
  double last = 0, before = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double next = a * last + b * before + y[at(i)];
    before = last;
    z[at(i)] = last = next;
  }
  return 0;
}

template <class At>
double difference2(Out z, In x, In, In, In, const Scalars&, std::int64_t n, Index index) {
  const At at{index};
  for (std::int64_t i = 0; i < n; ++i) z[at(i)] = x[at(i)] - 2 * x[at(i + 1)] + x[at(i + 2)];
  return 0;
}

template <class At>
double polynomial9(Out z, In x, In, In, In, const Scalars& s, std::int64_t n, Index index) {
  const At at{index};
  const std::array<double, 10> c = s.c;
  for (std::int64_t i = 0; i < n; ++i) {
    const double t = x[at(i)];
    z[at(i)] =
        c[0] +
        t * (c[1] +
             t * (c[2] + t * (c[3] + t * (c[4] + t * (c[5] + t * (c[6] + t * (c[7] + t * (c[8] + t * c[9]))))))));
  }
  return 0;
}

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
using Expect = Ratio (*)(const Element& e, Past& past);

inline Ratio expect_recursion1(const Element& e, Past& past) {  // a = -1: (-1)^i times the sum of (-1)^j y_j
  past.sum += e.i % 2 ? -e.y : e.y;
  return {e.i % 2 ? -past.sum : past.sum};
}

// a = b = -1: the recursion at i less that at i - 1 leaves x_i = x_(i-3) + y_i - y_(i-1).
inline Ratio expect_recursion2(const Element& e, Past& past) {
  std::int64_t& third = past.last[static_cast<std::size_t>(e.i % 3)];
  third += e.y - past.y;
  past.y = e.y;
  return {third};
}

inline Ratio expect_polynomial(const Element& e, Past&) {  // by powers, not by Horner's rule
  std::int64_t sum = 0, power = 1;
  for (const double c : coefficients) {
    sum += static_cast<std::int64_t>(c) * power;
    power *= e.x;
  }
  return {sum};
}

struct Kernel {
  std::string_view name;
  bool x, y, uv;              // the inputs that it reads
  bool writes, adds_to;       // whether there is an output vector, and whether its old elements are read
  std::array<Loop, 4> loops;  // contiguous, stride3, stride4, indexed
  Expect expect;
  std::int64_t arrays() const { return x + y + 2 * uv + writes; }
};

constexpr std::array<std::string_view, 4> accesses = {"contiguous", "stride3", "stride4", "indexed"};

template <class Of>
constexpr std::array<Loop, 4> forms(Of of) {
  return {of.template operator()<Contiguous>(), of.template operator()<Strided<3>>(),
          of.template operator()<Strided<4>>(), of.template operator()<Indexed>()};
}

inline constexpr std::array<Kernel, 14> table = {{
    {"broadcast", false, false, false, true, false, forms([]<class At>() -> Loop { return &broadcast<At>; }),
     [](const Element&, Past&) -> Ratio { return {-1}; }},
    {"copy", true, false, false, true, false, forms([]<class At>() -> Loop { return &copy<At>; }),
     [](const Element& e, Past&) -> Ratio { return {e.x}; }},
    {"add", true, true, false, true, false, forms([]<class At>() -> Loop { return &add<At>; }),
     [](const Element& e, Past&) -> Ratio { return {e.x + e.y}; }},
    {"subtract", true, true, false, true, false, forms([]<class At>() -> Loop { return &subtract<At>; }),
     [](const Element& e, Past&) -> Ratio { return {-(e.y - e.x)}; }},
    {"multiply", true, true, false, true, false, forms([]<class At>() -> Loop { return &multiply<At>; }),
     [](const Element& e, Past&) -> Ratio { return {((e.x + e.y) * (e.x + e.y) - (e.x - e.y) * (e.x - e.y)) / 4}; }},
    {"divide", true, true, false, true, false, forms([]<class At>() -> Loop { return &divide<At>; }),
     [](const Element& e, Past&) -> Ratio { return {e.x, e.y}; }},
    {"dot", true, true, false, false, false, forms([]<class At>() -> Loop { return &dot<At>; }),
     [](const Element& e, Past& past) -> Ratio { return {past.sum += e.x * e.y}; }},
    {"axpy", false, true, false, true, true, forms([]<class At>() -> Loop { return &axpy<At>; }),
     [](const Element& e, Past&) -> Ratio { return {e.z - e.y}; }},
    {"zaxpy", true, true, false, true, false, forms([]<class At>() -> Loop { return &zaxpy<At>; }),
     [](const Element& e, Past&) -> Ratio { return {-e.y + e.x}; }},
    {"rotation", true, true, true, true, false, forms([]<class At>() -> Loop { return &rotation<At>; }),
     [](const Element& e, Past&) -> Ratio { return {e.v * e.u + e.y * e.x}; }},
    {"recursion1", false, true, false, true, false, forms([]<class At>() -> Loop { return &recursion1<At>; }),
     &expect_recursion1},
    {"recursion2", false, true, false, true, false, forms([]<class At>() -> Loop { return &recursion2<At>; }),
     &expect_recursion2},
    {"difference2", true, false, false, true, false, forms([]<class At>() -> Loop { return &difference2<At>; }),
     [](const Element& e, Past&) -> Ratio { return {(e.x2 - e.x1) - (e.x1 - e.x)}; }},
    {"polynomial9", true, false, false, true, false, forms([]<class At>() -> Loop { return &polynomial9<At>; }),
     &expect_polynomial},
}};

}  // namespace assay::kernels
