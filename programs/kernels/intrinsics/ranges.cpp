#include "kernels/intrinsics/ranges.hpp"

namespace assay::kernels {
namespace {

struct Stated {
  std::string_view functions, name;  // functions between spaces
  Spacing spacing;
  double low, high, second_low, second_high;
  double single_low, single_high;  // of float32, where they differ: both 0 where not
};

constexpr double pi = 3.141592653589793;
constexpr Spacing even = Spacing::even, by_exponent = Spacing::by_exponent;

constexpr Stated stated[] = {
    {" exp exp2 expm1 ", "usual", even, -10, 10, 0, 0, 0, 0},
    {" exp expm1 ", "large", even, -708, 709, 0, 0, -87, 88},
    {" exp2 ", "large", even, -1022, 1023, 0, 0, -126, 127},
    {" expm1 log1p sinh tanh ", "near", even, -1e-3, 1e-3, 0, 0, 0, 0},
    {" log log2 log10 sqrt cbrt ", "usual", even, 1e-3, 1e3, 0, 0, 0, 0},
    {" log log2 log10 ", "near", even, 0.99, 1.01, 0, 0, 0, 0},
    {" log log2 log10 log1p sqrt cbrt ", "large", by_exponent, 1e3, 1e300, 0, 0, 1e3, 1e38},
    {" log1p ", "usual", even, -0.9, 1e3, 0, 0, 0, 0},
    {" sin cos tan ", "usual", even, -pi, pi, 0, 0, 0, 0},
    {" sin cos tan ", "large", by_exponent, 1e5, 1e22, 0, 0, 0, 0},
    {" asin acos ", "usual", even, -1, 1, 0, 0, 0, 0},
    {" asin acos ", "near", even, 0.999, 1, 0, 0, 0, 0},
    {" atan ", "usual", even, -10, 10, 0, 0, 0, 0},
    {" atan ", "large", by_exponent, 1e3, 1e30, 0, 0, 0, 0},
    {" sinh cosh tanh ", "usual", even, -5, 5, 0, 0, 0, 0},
    {" sinh cosh ", "large", even, -709, 709, 0, 0, -88, 88},
    {" erf erfc ", "usual", even, -3, 3, 0, 0, 0, 0},
    {" erfc ", "large", even, 3, 26, 0, 0, 3, 9},
    {" lgamma tgamma ", "usual", even, 0.1, 10, 0, 0, 0, 0},
    {" lgamma ", "near", even, 0.9, 2.1, 0, 0, 0, 0},
    {" lgamma ", "large", by_exponent, 10, 1e30, 0, 0, 0, 0},
    {" tgamma ", "large", even, 10, 170, 0, 0, 10, 34},
    {" pow ", "usual", even, 0.1, 10, -10, 10, 0, 0},
    {" pow ", "near", even, 0.99, 1.01, -1000, 1000, 0, 0},
    {" hypot atan2 ", "usual", even, -10, 10, -10, 10, 0, 0},
    {" hypot ", "large", even, 1e200, 1e250, 1e200, 1e250, 1e25, 1e30},
};

}  // namespace

std::optional<Range> range_of(std::string_view function, std::string_view name, bool single) {
  const bool two = function == "pow" || function == "hypot" || function == "atan2";
  if (name == "all") return Range{Spacing::every_pattern, 0, 0, 0, 0};
  if (name == "subnormal" && !two) {
    if (single)
      return Range{by_exponent, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::min(), 0, 0};
    return Range{by_exponent, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(), 0, 0};
  }
  for (const Stated& each : stated) {
    const std::size_t at = each.functions.find(function);
    const bool whole = at != std::string_view::npos && at > 0 && each.functions[at - 1] == ' ' &&
                       each.functions[at + function.size()] == ' ';
    if (each.name != name || !whole) continue;
    const bool own = single && (each.single_low != 0 || each.single_high != 0);
    Range range{each.spacing, own ? each.single_low : each.low, own ? each.single_high : each.high, each.second_low,
                each.second_high};
    if (own && two) range.second_low = range.low, range.second_high = range.high;
    return range;
  }
  return std::nullopt;
}

}  // namespace assay::kernels
