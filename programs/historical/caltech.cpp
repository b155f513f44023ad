// The Caltech arithmetic suite (Dunigan 1991, section 3.1, Table 3; after Kolawa and Otto 1986): the time of a binary
// operation with assignment, and of the mean operation of a sum of three products, on scalars in registers.
//
// latency: one chain, each operation needs the one before. throughput: eight independent chains (twelve of floating
// point), enough to fill the pipelines. The loop's own time, measured right after each reading, is taken off. The
// paper's loops were of independent operations: its rows compare with throughput, as the [row.*] sections say.
#include <algorithm>
#include <cstring>
#include <memory>

#include "historical/arithmetic.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "caltech"
title = "Caltech arithmetic suite"
part = "processor"
kind = "node"
summary = "time of an arithmetic operation and assignment on scalars, by type, dependent and independent"
cost = "one operation is one add, subtract, multiply, divide or fused multiply-add; a sum of three products counts five"
check = "results against the closed form of the recurrence (modular powers; long double), digit-by-digit division"
source = "Dunigan 1991, section 3.1, Table 3"
published = ["caltech"]
historical = true
slice_quick = 0.004
blocks_quick = 3
slice_standard = 0.02

[parameter.operation]
type = "choice"
choices = ["add", "subtract", "multiply", "divide", "fma", "compound"]
default = ["add", "subtract", "multiply", "divide", "fma", "compound"]
quick = ["add", "multiply", "divide", "fma", "compound"]
described = ["add", "multiply", "compound"]
sweep = true
help = "the operation; compound is the sum of three products a*b + c*d + e*f"

[parameter.type]
type = "choice"
choices = ["int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
default = ["int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
described = ["int16", "int32", "float32", "float64"]
sweep = true
help = "type of the operands; those that the compiler lacks are left out with a note"

[parameter.form]
type = "choice"
choices = ["latency", "throughput"]
default = ["latency", "throughput"]
described = "throughput"
sweep = true
help = "latency: each operation needs the result before; throughput: independent operations"

# On a described machine: the scalars of Table 3's languages, whose compilers overlapped nothing.
[described]
kernel = "{type}_{operation}"
only = { operation = ["add", "multiply", "compound"], type = ["int16", "int32", "float32", "float64"], form = ["throughput"] }
metric = { time = "unit" }

[metric.time]
unit = "s"
difference = true
help = "time of one operation, the loop's own time subtracted"

[metric.loop]
unit = "s"
help = "the loop's own time, for one operation"

[figure.time_per_op]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = false
help = "time of one operation, as in Table 3"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "1/s"
better = "higher"
headline = false
help = "operations per second"

# The rows of Table 3, by their id in the catalogue, and the case that each compares with.
[row.int2_add]
id = "caltech.int2_add"
operation = "add"
type = "int16"
form = "throughput"

[row.int4_add]
id = "caltech.int4_add"
operation = "add"
type = "int32"
form = "throughput"

[row.int2_mul]
id = "caltech.int2_mul"
operation = "multiply"
type = "int16"
form = "throughput"

[row.int4_mul]
id = "caltech.int4_mul"
operation = "multiply"
type = "int32"
form = "throughput"

[row.real4_add]
id = "caltech.real4_add"
operation = "add"
type = "float32"
form = "throughput"

[row.real8_add]
id = "caltech.real8_add"
operation = "add"
type = "float64"
form = "throughput"

[row.real4_mul]
id = "caltech.real4_mul"
operation = "multiply"
type = "float32"
form = "throughput"

[row.real8_mul]
id = "caltech.real8_mul"
operation = "multiply"
type = "float64"
form = "throughput"

[row.real4_compound]
id = "caltech.real4_compound"
operation = "compound"
type = "float32"
form = "throughput"

[row.real8_compound]
id = "caltech.real8_compound"
operation = "compound"
type = "float64"
form = "throughput"
)record";

namespace {

using namespace assay::historical;
using assay::timing::Case;
using assay::timing::Check;

// std::is_integral and is_floating_point leave the 16-bit types out under some compilers.
template <class T>
constexpr bool integer = std::is_integral_v<T>;
template <class T>
constexpr int precision = sizeof(T) == 8 ? 53 : 24;
#ifdef __FLT16_MANT_DIG__
template <>
constexpr int precision<_Float16> = 11;
#endif
#ifdef __BFLT16_MANT_DIG__
template <>
constexpr int precision<__bf16> = 8;
#endif

// What is timed: floating point values that stay (y undone by z), integers that wrap around.
template <class T, class Operation>
Operands<T> timed_operands() {
  if constexpr (integer<T>) {
    const T dividend = sizeof(T) == 2 ? T(30000) : sizeof(T) == 4 ? T(1'000'000'000) : T(1'000'000'000'000'000);
    if (std::is_same_v<Operation, Divide>) return {dividend, dividend, 0, 0, 0, 0};
    return {3, 5, 7, 11, 13, 17};
  } else {
    if (std::is_same_v<Operation, Add> || std::is_same_v<Operation, Subtract>) return {T(0.75), T(-0.75), 0, 0, 0, 0};
    if (std::is_same_v<Operation, Multiply>) return {T(1.5), T(1 / 1.5), 0, 0, 0, 0};
    if (std::is_same_v<Operation, Divide>) return {T(1.7), T(1.7), 0, 0, 0, 0};
    return {T(0.75), T(0.625), T(0.5), T(0.75), T(0.375), T(0.5)};
  }
}

// What is checked: no step is undone.
template <class T, class Operation>
Operands<T> checked_operands() {
  if constexpr (integer<T>) {
    if (std::is_same_v<Operation, Divide>) return {T(29000), T(30000), 0, 0, 0, 0};
    return {3, 7, 5, 9, 11, 2};
  } else {
    if (std::is_same_v<Operation, Add>) return {T(0.75), T(0.5), 0, 0, 0, 0};
    if (std::is_same_v<Operation, Subtract>) return {T(-0.75), T(-0.5), 0, 0, 0, 0};
    if (std::is_same_v<Operation, Divide>) return {T(1.125), T(1.25), 0, 0, 0, 0};
    return {T(1.25), T(0.875), T(0.5), T(0.75), T(0.375), T(0.5)};
  }
}

template <class W, class T>
Operands<W> widened(const Operands<T>& in) {
  const auto wide = [](T value) { return static_cast<W>(value); };
  return {wide(in.y), wide(in.z), wide(in.c), wide(in.d), wide(in.e), wide(in.f)};
}

// Whether `result` is what `count` pairs of steps make of `start`.
template <class T, class Operation>
bool right(T start, T result, const Operands<T>& in, std::uint64_t count) {
  if constexpr (integer<T>) {
    if constexpr (std::is_same_v<Operation, Divide>) {
      std::int64_t x = start;
      for (std::uint64_t pair = 0; pair < count; ++pair) x = long_division(in.z, long_division(in.y, x));
      return x == result;
    }
    using W = std::uint64_t;  // modulo 2^64, so also modulo 2^16 and 2^32
    return static_cast<T>(affine_power(Operation::template pair<W>(widened<W>(in)), count, static_cast<W>(start))) ==
           result;
  } else {
    using W = long double;
    const W expected = affine_power(Operation::template pair<W>(widened<W>(in)), count, static_cast<W>(start));
    // Half a unit in the last place each of 2 count steps (five roundings in a compound), and twice that to spare.
    const W bound = 2 * count * Operation::operations * std::ldexp(W(1), 1 - precision<T>);
    return std::abs(static_cast<W>(result) - expected) <= bound * std::abs(expected);
  }
}

// One type, operation and form, with the types erased so that little is compiled for each.
struct Routine {
  std::int64_t unit = 0;    // operations of an iteration
  std::int64_t values = 0;  // results to check
  void (*start)(struct State&) = nullptr;
  void (*run)(struct State&, std::int64_t iterations) = nullptr;
  std::int64_t (*wrong)(const struct State&) = nullptr;  // results that are not what they should be
};

struct State {
  alignas(64) std::array<std::byte, 128> start, values;
  alignas(64) std::array<std::byte, 64> operands;
  std::int64_t iterations = 0;
};

template <class T, class Operation, std::size_t chains, std::size_t steps>
struct Typed {
  using Values = std::array<T, chains>;
  static_assert(sizeof(Values) <= sizeof(State::values));

  static void start(State& state) {
    Values values;
    for (std::size_t chain = 0; chain < chains; ++chain)
      values[chain] =
          integer<T> ? static_cast<T>(101 + 2 * chain) : static_cast<T>(1 + 0.125 * static_cast<double>(chain));
    const Operands<T> operands = timed_operands<T, Operation>();
    if constexpr (!integer<T>) kernel<T, Operation, chains, steps>(values, operands, 100);  // settles
    std::memcpy(state.start.data(), &values, sizeof values);
    std::memcpy(state.values.data(), &values, sizeof values);
    std::memcpy(state.operands.data(), &operands, sizeof operands);
  }

  static void run(State& state, std::int64_t iterations) {
    Values values;
    Operands<T> operands;
    std::memcpy(&values, state.values.data(), sizeof values);
    std::memcpy(&operands, state.operands.data(), sizeof operands);
    kernel<T, Operation, chains, steps>(values, operands, iterations);
    std::memcpy(state.values.data(), &values, sizeof values);
    state.iterations += iterations;
  }

  // One iteration from operands under which no step is undone; then what was timed: of integers every step, of floating
  // point that the values are still finite.
  static std::int64_t wrong(const State& state) {
    Values values, begun, timed;
    for (std::size_t chain = 0; chain < chains; ++chain)
      values[chain] = static_cast<T>((integer<T> ? std::size_t{101} : 1) + chain);
    const Values start = values;
    const Operands<T> operands = checked_operands<T, Operation>();
    kernel<T, Operation, chains, steps>(values, operands, 1);
    std::memcpy(&begun, state.start.data(), sizeof begun);
    std::memcpy(&timed, state.values.data(), sizeof timed);
    std::uint64_t pairs = static_cast<std::uint64_t>(state.iterations) * steps / 2;
    if (std::is_same_v<Operation, Divide>) pairs = std::min<std::uint64_t>(pairs, 1);  // one pair gives x back
    std::int64_t wrong = 0;
    for (std::size_t chain = 0; chain < chains; ++chain) {
      wrong += !right<T, Operation>(start[chain], values[chain], operands, steps / 2);
      if constexpr (integer<T>) {
        wrong += !right<T, Operation>(begun[chain], timed[chain], timed_operands<T, Operation>(), pairs);
      } else {
        wrong += !std::isfinite(static_cast<double>(timed[chain]));
      }
    }
    return wrong;
  }

  static constexpr Routine routine{chains * steps * Operation::operations, 2 * chains, start, run, wrong};
};

template <class T, class Operation>
Routine routine_of_form(const std::string& form) {
  if (form == "latency") return Typed<T, Operation, 1, 64>::routine;
  if constexpr (integer<T>) return Typed<T, Operation, 8, 8>::routine;
  return Typed<T, Operation, 12, 6>::routine;
}

template <class T>
Routine routine_of_type(const std::string& operation, const std::string& form) {
  if constexpr (std::is_floating_point_v<T> && sizeof(T) >= 4)
    if (operation == "fma") return routine_of_form<T, FusedMultiplyAdd>(form);
  if (operation == "add") return routine_of_form<T, Add>(form);
  if (operation == "subtract") return routine_of_form<T, Subtract>(form);
  if (operation == "multiply") return routine_of_form<T, Multiply>(form);
  if (operation == "divide") return routine_of_form<T, Divide>(form);
  if (operation == "compound") return routine_of_form<T, Compound>(form);
  return {};
}

struct Type {
  const char* name;
  Routine (*routine)(const std::string& operation, const std::string& form);
};

constexpr Type types[] = {
    {"int16", routine_of_type<std::int16_t>}, {"int32", routine_of_type<std::int32_t>},
    {"int64", routine_of_type<std::int64_t>}, {"float32", routine_of_type<float>},
    {"float64", routine_of_type<double>},
#ifdef __FLT16_MANT_DIG__
    {"float16", routine_of_type<_Float16>},
#endif
#ifdef __BFLT16_MANT_DIG__
    {"bfloat16", routine_of_type<__bf16>},
#endif
};

#if defined(__AVX512FP16__) || defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
constexpr bool float16_by_hardware = true;
#else
constexpr bool float16_by_hardware = false;
#endif
#ifdef __FP_FAST_FMA
constexpr bool fma_by_hardware = true;
#else
constexpr bool fma_by_hardware = false;
#endif

void measure(Case& at) {
  const std::string &type = at.choice("type"), &operation = at.choice("operation");
  const auto found = std::ranges::find_if(types, [&](const Type& each) { return type == each.name; });
  if (found == std::end(types)) return at.skip(type + ", this compiler has none");
  const Routine routine = found->routine(operation, at.choice("form"));
  if (!routine.run) return at.skip(operation + " of " + type + ", there is none");
  if (type == "bfloat16" || (type == "float16" && !float16_by_hardware))
    at.note(type + " is computed through float32: there are no instructions for it");
  if (operation == "fma" && !fma_by_hardware) at.note("fma is a library call under these flags");

  auto state = std::make_shared<State>();
  routine.start(*state);
  assay::timing::Traits traits;
  traits.unit = routine.unit;
  traits.subtract = [routine](std::int64_t operations) { empty_kernel(operations / routine.unit); };
  traits.subtract_metric = "loop";
  traits.cache = "registers";
  at.measure(
      "time", [state, routine](std::int64_t operations) { routine.run(*state, operations / routine.unit); }, traits);
  at.check([state, routine] {
    const std::int64_t wrong = routine.wrong(*state);
    return Check{wrong == 0, std::to_string(wrong) + " of " + std::to_string(routine.values) +
                                 " results differ from the closed form"};
  });
}

}  // namespace

int main(int argc, char** argv) { return assay::timing::run_program(record, argc, argv, measure); }
