// MPFR, where this machine has its library (every g++ of a distribution brings it), loaded while running: its headers
// are not needed. The declarations are those of the library's binary interface 6 (MPFR 4).
#pragma once

#include <string>
#include <string_view>

#include "kernels/intrinsics/ulp.hpp"

namespace assay::kernels {

// "MPFR 4.2.0", or "" where it is missing.
const std::string& mpfr_version();

// Error of `made` against function(x) or function(x, y), computed with 200 bits and more for what cancels.
template <class T>
Error mpfr_error(std::string_view function, double x, double y, T made);

// function(x) or function(x, y), computed as above and rounded to long double.
long double mpfr_value(std::string_view function, double x, double y);

}  // namespace assay::kernels
