// What results are judged against. float32: the C library's double function, whose own error, some ulp of a double, is
// below 2e-8 ulp of a float; the worst thousand arguments are judged again by MPFR where it is. float64: MPFR with 200
// bits; without it the C library's long double function, where that is wider than a double: its own error, some ulp of
// 64 binary digits, is then up to 0.005 ulp of a double.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "kernels/intrinsics/ulp.hpp"

namespace assay::kernels {

struct Reference {
  const char* name = nullptr;
  double (*one)(double) = nullptr;
  double (*two)(double, double) = nullptr;
  long double (*one_long)(long double) = nullptr;
  long double (*two_long)(long double, long double) = nullptr;
};

// InputFault where there is no function of this name.
const Reference& reference(std::string_view function);

inline double exact(const Reference& of, double x, double y) { return of.one ? of.one(x) : of.two(x, y); }

// Whether float64 can be judged here, and by what ("MPFR 4.2.0", "long double"); "" where by nothing.
std::string judge_of_doubles();

// Error of one result in float64, by what `judge_of_doubles` names.
Error error_of_double(const Reference& of, double x, double y, double made);

// The function's value rounded to long double, by what `judge_of_doubles` names: half a unit of its last place is 2^-12
// of a double's where it has 64 digits, nothing where it is no wider than a double.
long double value_in_long(const Reference& of, double x, double y);
constexpr bool long_is_wider = std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits;

}  // namespace assay::kernels
