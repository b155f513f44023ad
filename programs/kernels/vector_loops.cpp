// EuroBen's 14 vector kernels, each with four accesses, as in a textbook: no reordered sums, no pragma. This is the
// unit that build variants compile: what is here has internal linkage, and nothing of it is linked into anything else.
#include "kernels/vector_loops.hpp"

namespace assay::kernels {
namespace {

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

#ifdef ASSAY_BREAK  // for tests: 1, a loop that ends one short; 2, a kernel that does nothing
template <Loop loop>
double made(Out z, In x, In y, In u, In v, const Scalars& s, std::int64_t n, Index index) {
  return ASSAY_BREAK == 2 ? 0 : loop(z, x, y, u, v, s, n - 1, index);
}
#else
template <Loop loop>
constexpr Loop made = loop;
#endif

#define ASSAY_ALL_ACCESSES(name)                                                                               \
  Loops {                                                                                                      \
    #name, { made<&name<Contiguous>>, made<&name<Strided<3>>>, made<&name<Strided<4>>>, made<&name<Indexed>> } \
  }
constexpr std::array<Loops, 14> table = {
    ASSAY_ALL_ACCESSES(broadcast),   ASSAY_ALL_ACCESSES(copy),        ASSAY_ALL_ACCESSES(add),
    ASSAY_ALL_ACCESSES(subtract),    ASSAY_ALL_ACCESSES(multiply),    ASSAY_ALL_ACCESSES(divide),
    ASSAY_ALL_ACCESSES(dot),         ASSAY_ALL_ACCESSES(axpy),        ASSAY_ALL_ACCESSES(zaxpy),
    ASSAY_ALL_ACCESSES(rotation),    ASSAY_ALL_ACCESSES(recursion1),  ASSAY_ALL_ACCESSES(recursion2),
    ASSAY_ALL_ACCESSES(difference2), ASSAY_ALL_ACCESSES(polynomial9),
};

}  // namespace

const std::array<Loops, 14>& vector_loops() { return table; }

}  // namespace assay::kernels
