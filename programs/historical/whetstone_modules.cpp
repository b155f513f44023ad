// The modules of Whetstone: the unit that build variants compile; what is here has internal linkage.
#include "historical/whetstone_modules.hpp"

#include <cmath>

#include "timing/opaque.hpp"

namespace assay::historical {
namespace {

using namespace assay::timing;

struct Constants {
  double t = 0.499975, t1 = 0.50025, t2 = 2.0;
};

[[gnu::noinline]] Four array_elements(int rounds, double t) {  // module 2
  Four of{{1, -1, -1, -1}};
  double* const e = of.e;
  for (; rounds > 0; --rounds) {
    e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
    e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
    e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
    e[3] = (-e[0] + e[1] + e[2] + e[3]) * t;
    touched();
  }
  return of;
}

[[gnu::noinline]] void six_rounds(double* e, double t, double t2) {
  for (int round = 0; round < 6; ++round) {
    e[0] = (e[0] + e[1] + e[2] - e[3]) * t;
    e[1] = (e[0] + e[1] - e[2] + e[3]) * t;
    e[2] = (e[0] - e[1] + e[2] + e[3]) * t;
    e[3] = (-e[0] + e[1] + e[2] + e[3]) / t2;
    touched();
  }
}

[[gnu::noinline]] void array_parameter(Four& e, int rounds, double t, double t2) {  // module 3
  for (; rounds > 0; --rounds) {
    double* elements = e.e;
    opaque(elements);
    six_rounds(elements, t, t2);
  }
}

[[gnu::noinline]] int conditional_jumps(int rounds) {  // module 4
  int j = 1;
  for (; rounds > 0; --rounds) {
    opaque(j);
    j = j == 1 ? 2 : 3;
    opaque(j);
    j = j > 2 ? 0 : 1;
    opaque(j);
    j = j < 1 ? 1 : 0;
  }
  return j;
}

[[gnu::noinline]] void integer_arithmetic(double* e, int* whole, int rounds) {  // module 6
  int j = 1, k = 2, l = 3;
  for (; rounds > 0; --rounds) {
    opaque(j);
    opaque(k);
    opaque(l);
    j = j * (k - j) * (l - k);
    k = l * k - (l - j) * k;
    l = (l - k) * (k + j);
    e[l - 2] = j + k + l;
    e[k - 2] = j * k * l;
    touched();
  }
  whole[0] = j;
  whole[1] = k;
  whole[2] = l;
}

[[gnu::noinline]] void trigonometric_functions(int rounds, double t, double t2, double* made) {  // module 7
  double x = 0.5, y = 0.5;
  for (; rounds > 0; --rounds) {
    opaque(x);
    opaque(y);
    x = t * std::atan(t2 * std::sin(x) * std::cos(x) / (std::cos(x + y) + std::cos(x - y) - 1));
    opaque(x);
    y = t * std::atan(t2 * std::sin(y) * std::cos(y) / (std::cos(x + y) + std::cos(x - y) - 1));
  }
  made[0] = x;
  made[1] = y;
}

[[gnu::noinline]] void called(double x, double y, double& z, double t, double t2) {
  x = t * (x + y);
  y = t * (x + y);
  z = (x + y) / t2;
  touched();
}

[[gnu::noinline]] void procedure_calls(int rounds, double t, double t2, double* made) {  // module 8
  double x = 1, y = 1, z = 1;
  for (; rounds > 0; --rounds) {
    opaque(x);
    opaque(y);
    called(x, y, z, t, t2);
  }
  made[0] = x;
  made[1] = y;
  made[2] = z;
}

[[gnu::noinline]] void rotate(double* e, int j, int k, int l) {
  e[j] = e[k];
  e[k] = e[l];
  e[l] = e[j];
  touched();
}

[[gnu::noinline]] Four array_references(int rounds) {  // module 9
  Four e{{1, 2, 3, 0}};
  for (; rounds > 0; --rounds) {
    int j = 0;
    double* elements = e.e;
    opaque(elements);
    opaque(j);
    rotate(elements, j, j + 1, j + 2);
  }
  return e;
}

[[gnu::noinline]] double standard_functions(int rounds, double t1) {  // module 11
  double x = 0.75;
  for (; rounds > 0; --rounds) {
    opaque(x);
    x = std::sqrt(std::exp(std::log(x) / t1));
  }
  return x;
}

}  // namespace

Results whetstones(const Weights& n) {
  Constants c;
  opaque(c.t);
  opaque(c.t1);
  opaque(c.t2);
  Results out{};
  out.elements = array_elements(n.elements, c.t);
  out.parameter = {{1, -1, -1, -1}};
  array_parameter(out.parameter, n.parameter, c.t, c.t2);
  out.jump = conditional_jumps(n.jumps);
  integer_arithmetic(out.integers.e, out.whole, n.integers);
  trigonometric_functions(n.trigonometry, c.t, c.t2, out.trigonometry);
  procedure_calls(n.calls, c.t, c.t2, out.calls);
  out.references = array_references(n.references);
  out.functions = standard_functions(n.functions, c.t1);
#ifdef ASSAY_BREAK
  out.elements.e[2] *= 1 + 1e-6;
#endif
  return out;
}

}  // namespace assay::historical
