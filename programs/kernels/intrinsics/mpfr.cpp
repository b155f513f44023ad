#include "kernels/intrinsics/mpfr.hpp"

#include <dlfcn.h>

#include <map>
#include <stdexcept>

namespace assay::kernels {
namespace {

constexpr long precision = 200;
constexpr int nearest = 0;

struct Number {  // mpfr_t: __mpfr_struct of <mpfr.h>
  long precision;
  int sign;
  long exponent;
  void* digits;
};

using One = int (*)(Number*, const Number*, int);
using Two = int (*)(Number*, const Number*, const Number*, int);

struct Library {
  void* handle = dlopen("libmpfr.so.6", RTLD_NOW | RTLD_LOCAL);
  std::string version;
  void (*init)(Number*, long) = nullptr;
  int (*set)(Number*, double, int) = nullptr;
  double (*get)(const Number*, int) = nullptr;
  long double (*get_long)(const Number*, int) = nullptr;
  int (*is_nan)(const Number*) = nullptr;
  int (*is_infinite)(const Number*) = nullptr;
  int (*is_zero)(const Number*) = nullptr;
  long (*exponent)(const Number*) = nullptr;
  Two subtract = nullptr;
  int (*scale)(Number*, const Number*, long, int) = nullptr;
  int (*lgamma)(Number*, int*, const Number*, int) = nullptr;
  std::map<std::string, void*, std::less<>> functions;

  template <class F>
  void take(F& into, const char* name) {
    into = reinterpret_cast<F>(dlsym(handle, name));
    if (!into) handle = nullptr;
  }

  Library() {
    if (!handle) return;
    const char* (*version_of)() = nullptr;
    take(version_of, "mpfr_get_version");
    if (handle) version = std::string("MPFR ") + version_of();
    if (handle) take(init, "mpfr_init2");
    if (handle) take(set, "mpfr_set_d");
    if (handle) take(get, "mpfr_get_d");
    if (handle) take(get_long, "mpfr_get_ld");
    if (handle) take(is_nan, "mpfr_nan_p");
    if (handle) take(is_infinite, "mpfr_inf_p");
    if (handle) take(is_zero, "mpfr_zero_p");
    if (handle) take(exponent, "mpfr_get_exp");
    if (handle) take(subtract, "mpfr_sub");
    if (handle) take(scale, "mpfr_mul_2si");
    if (handle) take(lgamma, "mpfr_lgamma");
    for (const char* name :
         {"exp",  "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin",  "cos",    "tan", "asin",  "acos",
          "atan", "sinh", "cosh",  "tanh", "sqrt", "cbrt",  "erf",   "erfc", "tgamma", "pow", "hypot", "atan2"}) {
      if (!handle) break;
      take(functions[name], std::string_view(name) == "tgamma" ? "mpfr_gamma" : (std::string("mpfr_") + name).c_str());
    }
    if (!handle) version.clear();
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

struct Numbers {
  Number x{}, y{}, value{}, made{};
  Numbers() {
    for (Number* each : {&x, &y, &value, &made}) library().init(each, precision);
  }
};

// The numbers of this thread, `value` being function(x) or function(x, y).
Numbers& computed(std::string_view function, double x, double y) {
  const Library& with = library();
  thread_local Numbers n;
  with.set(&n.x, x, nearest);
  with.set(&n.y, y, nearest);
  int sign = 0;
  if (function == "lgamma") {
    with.lgamma(&n.value, &sign, &n.x, nearest);
    return n;
  }
  const auto found = with.functions.find(function);
  if (found == with.functions.end()) throw std::logic_error("MPFR is not asked for " + std::string(function));
  if (function == "pow" || function == "hypot" || function == "atan2")
    reinterpret_cast<Two>(found->second)(&n.value, &n.x, &n.y, nearest);
  else
    reinterpret_cast<One>(found->second)(&n.value, &n.x, nearest);
  return n;
}

}  // namespace

long double mpfr_value(std::string_view function, double x, double y) {
  return library().get_long(&computed(function, x, y).value, nearest);
}

const std::string& mpfr_version() { return library().version; }

template <class T>
Error mpfr_error(std::string_view function, double x, double y, T made) {
  using F = Format<T>;
  const Library& with = library();
  Numbers& n = computed(function, x, y);
  const double rounded = with.get(&n.value, nearest);
  // Kinds are told by the plain arithmetic; MPFR's numbers reach much farther than a double's.
  if (with.is_nan(&n.value) || with.is_infinite(&n.value) || std::isnan(made))
    return error_of<T, double>(made, rounded);
  const bool beyond = std::isinf(static_cast<T>(rounded));
  if (std::isinf(made)) {
    if (std::signbit(made) != std::signbit(rounded)) return {F::most, true};
    if (beyond) return {0, false};
    if (F::greatest == Format<double>::greatest) {  // 2^1024 is no double
      with.set(&n.made, std::copysign(1.0, rounded), nearest);
      with.scale(&n.made, &n.made, F::greatest + 1, nearest);
    } else {
      with.set(&n.made, std::copysign(std::ldexp(1.0, F::greatest + 1), rounded), nearest);
    }
  } else {
    with.set(&n.made, made, nearest);
  }
  const long near = with.is_zero(&n.value) ? F::least : std::clamp(with.exponent(&n.value) - 1, -100000L, 100000L);
  with.subtract(&n.made, &n.made, &n.value, nearest);
  with.scale(&n.made, &n.made, -F::exponent_of_ulp(static_cast<int>(near)), nearest);
  return {std::min(std::abs(with.get(&n.made, nearest)), F::most), false};
}

template Error mpfr_error<float>(std::string_view, double, double, float);
template Error mpfr_error<double>(std::string_view, double, double, double);

}  // namespace assay::kernels
