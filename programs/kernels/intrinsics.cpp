// Intrinsic functions (van der Steen 2000, sections 4.1.1 and 6.4.1): how fast the elementary functions of <math.h>
// are, and how far their results are from the true ones, as the compiler calls them in four ways.
//
// One operation is one call. Loops over 1024 arguments that stay in the cache are compiled apart
// (intrinsics/loops.cpp), each variant with flags of its own. Errors are in ulp of the reference (intrinsics/ulp.hpp):
// float32 against the double function, float64 against MPFR. Accuracy does not change from launch to launch: the first
// launch judges it.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>

#include "kernels/intrinsics/judge.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "intrinsics"
title = "Intrinsic functions"
part = "kernels"
kind = "node"
summary = "speed and accuracy of exp, sin, pow and the other elementary functions, scalar, by vectors, and with -ffast-math"
cost = "one operation is one call; 1024 arguments, a load and a store each, stay in the first cache"
check = "the 1024 results of the measured loop against the reference: at most 64 ulp without -ffast-math (with it, the median result), none left undone"
source = "van der Steen 2000, sections 4.1.1 and 6.4.1; Zimmermann et al., Accuracy of Mathematical Functions"
published = ["euroben.intrinsics"]
statistics = ["median", "best"]
exact = ["ulp_max", "ulp_mean", "other_kind"]
outcomes = ["arguments", "worst_argument"]
slice_quick = 0.002
slice_standard = 0.002
blocks_quick = 2
blocks_standard = 2
timeout_full = 43200

[first_launch]
profile = "full"
where = "type=float32 range=all"
but = "function=pow,hypot,atan2"
seconds = 90
does = "judges all 2^32 float32 arguments of up to {cases} of its loops (a function in a variant each)"

[accuracy]
time = "time"
error = "ulp_max"
wrong = "other_kind"
across = "variant"
over = "range"

[unit.scalar]
source = "kernels/intrinsics/loops.cpp"
flags = ["-DASSAY_VARIANT=scalar", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"]

[unit.vector]
source = "kernels/intrinsics/loops.cpp"
flags = ["-DASSAY_VARIANT=vector", "-DASSAY_VECTOR", "-fopenmp-simd", "-fno-math-errno"]

[unit.fast]
source = "kernels/intrinsics/loops.cpp"
flags = ["-DASSAY_VARIANT=fast", "-ffast-math", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"]

[unit.fast_vector]
source = "kernels/intrinsics/loops.cpp"
flags = ["-DASSAY_VARIANT=fast_vector", "-DASSAY_VECTOR", "-fopenmp-simd", "-ffast-math"]

[parameter.function]
type = "choice"
default = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "cbrt", "pow", "hypot", "atan2", "erf", "erfc", "lgamma", "tgamma"]
quick = ["exp", "log", "sin", "sqrt", "pow"]
choices = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "cbrt", "pow", "hypot", "atan2", "erf", "erfc", "lgamma", "tgamma"]
sweep = true
help = "the function, by its name in C"

[parameter.type]
type = "choice"
default = ["float32", "float64"]
choices = ["float32", "float64"]
sweep = true
help = "type of argument and result"

[parameter.variant]
type = "choice"
default = ["scalar", "vector", "fast", "fast-vector"]
choices = ["scalar", "vector", "fast", "fast-vector"]
sweep = true
help = "scalar: a call each; vector: libmvec by `omp simd`, errno not set; fast, fast-vector: the same with -ffast-math"

[parameter.range]
type = "choice"
default = ["usual", "near", "large", "subnormal", "all"]
choices = ["usual", "near", "large", "subnormal", "all"]
sweep = true
help = "of arguments: usual and large by function (docs/intrinsics.md), near a zero or an end, subnormal, all bit patterns (with `full`: every float32 of a function of one argument, once for each build variant)"

[metric.time]
unit = "s"
help = "time of one element (scalar: one call), over 1024 arguments in the cache"

[metric.ulp_max]
unit = "1"
help = "greatest error found, in units in the last place of the reference; 2^24 or 2^53: no digit is right"

[metric.ulp_mean]
unit = "1"
help = "mean error of the even sample, in units in the last place of the reference"

[metric.other_kind]
unit = "1"
help = "arguments whose result is NaN or infinity where the reference is not, or the reverse"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "time of one element (scalar: one call), arguments and results in the cache"

[figure.ulp_max]
metric = "ulp_max"
unit = "1"
better = "lower"
headline = true
help = "greatest error found, in ulp, at the worst argument; of so many arguments, a lower bound where these are not all"

[figure.ulp_mean]
metric = "ulp_mean"
unit = "1"
better = "lower"
help = "mean error, in ulp"

[figure.digits_lost]
metric = "ulp_max"
formula = "0.3010299956639812 * log2(max(value, 1))"
unit = "1"
better = "lower"
help = "decimal digits lost at the worst argument: log10 of its error in ulp, 0 up to one ulp"

[figure.other_kind]
metric = "other_kind"
unit = "1"
better = "lower"
help = "arguments whose result is NaN or infinity where the reference is not, or the reverse"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using kernels::Entry, kernels::Judged, kernels::Range, kernels::Reference;

constexpr std::int64_t length = 1024;
constexpr double most_ulp = 64;  // the C library's documentation knows no error beyond 20 ulp in these functions

const Entry& entry_of(std::string_view variant, std::string_view function) {
  const Entry* table = variant == "scalar"   ? kernels::scalar::entries()
                       : variant == "vector" ? kernels::vector::entries()
                       : variant == "fast"   ? kernels::fast::entries()
                                             : kernels::fast_vector::entries();
  while (table->name && table->name != function) ++table;
  if (!table->name) throw InputFault("there is no function " + std::string(function));
  return *table;
}

template <class T>
struct Arrays {
  std::vector<T> x, y, made;
};

// What results hold before: a NaN whose payload no function makes.
template <class T>
T untouched() {
  return std::bit_cast<T>(static_cast<kernels::Bits<T>>(sizeof(T) == 4 ? 0x7fd5a5a5 : 0x7ffd5a5a5a5a5a5a));
}

// How much is judged: an even sample, larger for float32, whose reference is quick; every argument where there is time.
struct Effort {
  std::int64_t count = 0;
  int search = 0, threads = 1;
};

[[gnu::cold]] Effort effort_of(const std::string& profile, const Range& range, bool single, bool one) {
  const bool every = range.spacing == kernels::Spacing::every_pattern;
  if (!single)
    return profile == "quick" ? Effort{500, 1, 1} : profile == "full" ? Effort{10000, 8, 1} : Effort{2000, 3, 1};
  if (profile == "full" && every && one)
    return {std::int64_t{1} << 32, 0, std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
  return {std::int64_t{1} << ((profile == "quick" ? 12 : 14) + (every ? 4 : 0)), 0, 1};
}

// The values that the results of one function over one range are checked against, found once for all variants: each
// costs MPFR more than the loops under test cost together.
using Values = std::vector<long double>;

template <class T>
void find_values(Values& values, const Arrays<T>& arrays, const Reference& of) {
  if (!values.empty()) return;
  for (std::size_t i = 0; i < arrays.x.size(); ++i)
    values.push_back(kernels::value_in_long(of, arrays.x[i], arrays.y[i]));
}

template <class T>
[[gnu::cold]] Check verify(const Arrays<T>& arrays, Values& values, const Reference& of, bool exactly, bool stated) {
  std::vector<double> errors;
  kernels::Argument worst;
  std::int64_t undone = 0;
  if constexpr (sizeof(T) == 8 && kernels::long_is_wider) find_values(values, arrays, of);
  for (std::size_t i = 0; i < arrays.x.size(); ++i) {
    const double x = arrays.x[i], y = arrays.y[i];
    kernels::Error error;
    if constexpr (sizeof(T) == 4)
      error = kernels::error_of<float, double>(arrays.made[i], kernels::exact(of, x, y));
    else if constexpr (kernels::long_is_wider)
      error = kernels::error_of<double, long double>(arrays.made[i], values[i]);
    else
      error = kernels::error_of_double(of, x, y, arrays.made[i]);
    undone += std::bit_cast<kernels::Bits<T>>(arrays.made[i]) == std::bit_cast<kernels::Bits<T>>(untouched<T>());
    errors.push_back(error.ulp);
    if (i == 0 || error.ulp > worst.ulp) worst = {x, y, error.ulp};
  }
  std::nth_element(errors.begin(), errors.begin() + length / 2, errors.end());
  const double median = errors[length / 2], judged = exactly ? worst.ulp : median;
  if (undone > 0) {
    const std::string count = std::to_string(undone) + " of " + std::to_string(length);
    return {false, std::string(of.name) + ": " + count + " results were never written: the loop does not compute them"};
  }
  char text[240];
  std::snprintf(text, sizeof text, "%s: worst error %.3g ulp at %s, median %.3g ulp, %.1f digits lost", of.name,
                worst.ulp, kernels::exact_text(of, worst).c_str(), median, std::log10(std::max(1.0, judged)));
  return {!stated || judged <= most_ulp, text};
}

struct Kept {
  std::map<std::string, std::shared_ptr<Values>, std::less<>> values;  // by function and range
  std::int64_t judged = 0;                                             // loops of which all 2^32 arguments were judged
};

// Whether all 2^32 arguments are judged of the loop of a case, which takes minutes.
[[gnu::cold]] bool judges_all(const CaseSettings& of, const std::string& profile) {
  const std::string &function = of.at("function").text, &name = of.at("range").text;
  if (of.at("type").text != "float32" || entry_of(of.at("variant").text, function).absent) return false;
  const auto range = kernels::range_of(function, name, true);
  const bool one = kernels::reference(function).one != nullptr;
  return range && effort_of(profile, *range, true, one).count == std::int64_t{1} << 32;
}

template <class T>
[[gnu::cold]] void set_up(Case& at, Kept& kept) {
  constexpr bool single = sizeof(T) == 4;
  const std::string function = at.choice("function"), variant = at.choice("variant"), name = at.choice("range");
  const Entry& entry = entry_of(variant, function);
  const Reference& of = kernels::reference(function);
  const std::string what = function + ", " + at.choice("type") + ", " + variant;
  if (entry.absent) return at.skip(what + ": " + entry.absent);
  const auto range = kernels::range_of(function, name, single);
  if (!range) return at.skip(function + ": no range " + name + " of its own");
  if (!single && kernels::judge_of_doubles().empty())
    return at.skip("float64: no MPFR (libmpfr.so.6), and long double is no wider: nothing to judge by");

  auto arrays = std::make_shared<Arrays<T>>();
  for (std::int64_t i = 0; i < length; ++i) {
    arrays->x.push_back(kernels::argument<T>(*range, i, length));
    arrays->y.push_back(of.one ? T{0} : kernels::second_argument<T>(*range, i, length));
  }
  arrays->made.assign(length, untouched<T>());
  const auto loop = [&] {
    if constexpr (single)
      return entry.single;
    else
      return entry.twice;
  }();
  at.measure("time",
             [arrays, loop](std::int64_t calls) {
               for (; calls > 0; calls -= length) loop(arrays->x.data(), arrays->y.data(), arrays->made.data(), length);
             },
             {.unit = length});

  const bool fast = variant.starts_with("fast");
  const bool stated = !fast || name == "usual";  // elsewhere -ffast-math promises nothing: its errors are shown
  auto& values = kept.values[function + " " + name];
  if (!values) values = std::make_shared<Values>();
  at.check([arrays, values, &of, fast, stated] { return verify<T>(*arrays, *values, of, !fast, stated); });
  if (at.launch() != 0) return;
  const Effort effort = effort_of(at.profile(), *range, single, of.one != nullptr);
  if (effort.count == std::int64_t{1} << 32) {
    const auto& all = at.all_cases();
    const auto loops =
        std::count_if(all.begin(), all.end(), [&](const auto& of) { return judges_all(of, at.profile()); });
    at.progress(kept.judged++, loops, "all 2^32 arguments of " + what);
  }
  const Judged judged = kernels::judge<T>(entry, *range, effort.count, effort.search, effort.threads);
  if (judged.disagreement > 1e-5)
    at.warn(what + ": the reference is " + Json::write(judged.disagreement) + " ulp from MPFR");
  const std::vector<std::pair<std::string, std::string>> about = {
      {"reference", judged.reference},
      {"arguments", judged.every ? "all 2^32" : std::to_string(judged.arguments)},
  };
  auto worst = about;
  worst.emplace_back("worst_argument", kernels::exact_text(of, judged.worst));
  const auto shown = [](double ulp) { return ulp < 1e-30 ? 0.0 : ulp; };  // nothing smaller is kept of any number
  at.observe("ulp_max", worst, [judged, shown] { return shown(judged.most); });
  at.observe("ulp_mean", about, [judged, shown] { return shown(judged.mean); });
  at.observe("other_kind", about, [judged] { return static_cast<double>(judged.other_kind); });
}

}  // namespace

int main(int argc, char** argv) {
  Kept kept;
  return run_program(record, argc, argv, [&](Case& at) {
    if (at.choice("type") == "float32") return set_up<float>(at, kept);
    set_up<double>(at, kept);
  });
}
