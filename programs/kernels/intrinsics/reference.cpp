#include "kernels/intrinsics/reference.hpp"

#include <math.h>

#include "kernels/intrinsics/functions.hpp"
#include "kernels/intrinsics/mpfr.hpp"
#include "timing/faults.hpp"

namespace assay::kernels {
namespace {

#define ASSAY_ONE(name, since) {#name, ::name, nullptr, ::name##l, nullptr},
#define ASSAY_TWO(name, since) {#name, nullptr, ::name, nullptr, ::name##l},
const Reference all[] = {ASSAY_ONE_ARGUMENT(ASSAY_ONE) ASSAY_TWO_ARGUMENTS(ASSAY_TWO)};

}  // namespace

const Reference& reference(std::string_view function) {
  for (const Reference& each : all)
    if (each.name == function) return each;
  throw timing::InputFault("there is no function " + std::string(function));
}

std::string judge_of_doubles() { return !mpfr_version().empty() ? mpfr_version() : long_is_wider ? "long double" : ""; }

Error error_of_double(const Reference& of, double x, double y, double made) {
  if (!mpfr_version().empty()) return mpfr_error<double>(of.name, x, y, made);
  return error_of<double, long double>(made, value_in_long(of, x, y));
}

long double value_in_long(const Reference& of, double x, double y) {
  if (!mpfr_version().empty()) return mpfr_value(of.name, x, y);
  return of.one ? of.one_long(x) : of.two_long(x, y);
}

}  // namespace assay::kernels
