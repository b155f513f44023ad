// EuroBen's module 1: 14 vector kernels by vector length, contiguous, with strides and by index (van der Steen 2000,
// sections 2.1 and 6.1.2.1, Tables 6.1, 6.4, 6.7 and 6.12). The kernels themselves: vector_kernels.hpp.
//
// Rates come from the blocks' readings. Cycles come from readings of their own: a few passes between two chains of
// dependent additions, whose time is the length of a cycle there and then. No figure is made from the other's time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "kernels/vector_check.hpp"
#include "memory/caches.hpp"
#include "memory/chain.hpp"
#include "memory/pages.hpp"
#include "processor/cycles_beside.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "vectors"
title = "Vector kernels"
part = "kernels"
kind = "node"
summary = "EuroBen's 14 vector kernels by length, contiguous, with strides 3 and 4 and by index, as the compiler makes them"
cost = "one operation is one element; its flops and bytes by kernel: [constants.kernel] of the record; a kernel without arithmetic counts one"
check = "small whole numbers: every element against integer arithmetic in another form (recursions by their closed form), quotients by multiplying back; every place that is no element must keep what it had"
source = "van der Steen 2000, sections 2.1 and 6.1.2.1, Tables 6.1, 6.4, 6.7 and 6.12"
published = ["euroben.mod1ac.broadcast", "euroben.mod1ac.copy", "euroben.mod1ac.addition", "euroben.mod1ac.subtraction", "euroben.mod1ac.multiplication", "euroben.mod1ac.division", "euroben.mod1ac.dotproduct", "euroben.mod1ac.axpy", "euroben.mod1ac.zaxpy", "euroben.mod1ac.rotation", "euroben.mod1ac.recurrence1", "euroben.mod1ac.recurrence2", "euroben.mod1ac.difference2", "euroben.mod1ac.polynomial9"]
constants_mean = "Flops of an element by our count, and by the paper's as its Table 6.1 implies it: rate times cycles over the clock of 667 MHz. The copy's cycles are misprinted there (2.00 for 2.63), so that its rate is set beside the paper's with one flop an element, not .76. Bytes are read and written, operands once; `stored` of them are written; an element takes the place of `stride`, and `index` bytes say where it is"
model = "rates_by_level"
statistics = ["median", "best"]
exact = ["cache"]
takes = "0.002 + length * 2e-8"
slice_quick = 0.001
slice_standard = 0.001
slice_full = 0.005
blocks_quick = 2
blocks_standard = 2
blocks_full = 4

# Every loop begins at a line of the cache: where the compiler happens to place one behind the others has been worth a
# factor of 1.8 (an EPYC of 2023).
[unit.loops]
source = "kernels/vector_loops.cpp"
flags = ["-falign-loops=64"]

[parameter.kernel]
type = "choice"
default = ["broadcast", "copy", "add", "subtract", "multiply", "divide", "dot", "axpy", "zaxpy", "rotation", "recursion1", "recursion2", "difference2", "polynomial9"]
choices = ["broadcast", "copy", "add", "subtract", "multiply", "divide", "dot", "axpy", "zaxpy", "rotation", "recursion1", "recursion2", "difference2", "polynomial9"]
sweep = true
help = "the kernel, in the order of the paper's tables"

[parameter.access]
type = "choice"
default = ["contiguous", "stride3", "stride4", "indexed"]
described = "contiguous"
quick = "contiguous"
choices = ["contiguous", "stride3", "stride4", "indexed"]
sweep = true
help = "where element i lies in all vectors: i, 3 i, 4 i, or where a vector of indices says, a random permutation"

[parameter.length]
type = "integer"
default = [1, 4, 16, 64, 256, 1024, 4096, 10000, 20000, 40000, 262144, 400000, 700000, 3200000]
full = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 10000, 20000, 40000, 65536, 131072, 262144, 524288, 1048576, 2097152, 3200000, 4194304, 8388608]
quick = [1, 32, 512, 1000, 10000, 20000, 40000, 400000, 475000, 550000]
min = 1
max = 1073741824
unit = "1"
sweep = true
help = "elements of a vector; lengths whose vectors take more than four times the last cache are left out; by index beyond the last cache: in profile full, and in standard where access=indexed is asked for alone; profile quick ends within the last cache"

# Of each kernel: what it computes; flops of an element by our count, and by the paper's as Table 6.1 implies it; bytes
# read and written, operands once; arrays in memory.
[constants.kernel]
broadcast = { formula = "z = a", flops = 1, paper = 1, bytes = 8, stored = 8, arrays = 1 }
copy = { formula = "z = x", flops = 1, paper = 0.76, bytes = 16, stored = 8, arrays = 2 }
add = { formula = "z = x + y", flops = 1, paper = 1, bytes = 24, stored = 8, arrays = 3 }
subtract = { formula = "z = x - y", flops = 1, paper = 1, bytes = 24, stored = 8, arrays = 3 }
multiply = { formula = "z = x y", flops = 1, paper = 1, bytes = 24, stored = 8, arrays = 3 }
divide = { formula = "z = x / y", flops = 1, paper = 1, bytes = 24, stored = 8, arrays = 3 }
dot = { formula = "s = s + x y", flops = 2, paper = 2, bytes = 16, stored = 0, arrays = 2 }
axpy = { formula = "x = x + a y", flops = 2, paper = 2, bytes = 24, stored = 8, arrays = 2 }
zaxpy = { formula = "z = x + a y", flops = 2, paper = 2, bytes = 24, stored = 8, arrays = 3 }
rotation = { formula = "z = x y + u v", flops = 3, paper = 3, bytes = 40, stored = 8, arrays = 5 }
recursion1 = { formula = "x_i = a x_(i-1) + y_i", flops = 2, paper = 1, bytes = 16, stored = 8, arrays = 2 }
recursion2 = { formula = "x_i = a x_(i-1) + b x_(i-2) + y_i", flops = 4, paper = 2, bytes = 16, stored = 8, arrays = 2 }
difference2 = { formula = "z_i = x_i - 2 x_(i+1) + x_(i+2)", flops = 3, paper = 3, bytes = 16, stored = 8, arrays = 2 }
polynomial9 = { formula = "z = c_0 + x (c_1 + ... + x c_9)", flops = 18, paper = 18, bytes = 16, stored = 8, arrays = 2 }

# Of each access: the elements that one takes the place of, and the bytes of its index.
[constants.access]
contiguous = { stride = 1, index = 0 }
stride3 = { stride = 3, index = 0 }
stride4 = { stride = 4, index = 0 }
indexed = { stride = 1, index = 4 }

[described]
kernel = "{kernel}"
length = "length"
named = { copy = "assign", zaxpy = "triad" }
memory = "8 * arrays * length"
only = { access = ["contiguous"] }
metric = { time = "unit * flops" }

[metric.time]
unit = "s"
help = "time of an element"

[metric.cycles]
unit = "1"
help = "cycles of an element, by a chain of dependent additions timed in the same block"

[metric.chase]
unit = "s"
help = "time of a load that waits for the one before, by the working set's bytes (size): the curve that shows where the levels end"

[metric.cache]
unit = "B"
help = "bytes of the data cache of a level, as the system tells them; level: which"

[metric.clock]
from = "processor/cycles_beside.hpp"

[figure.rate]
metric = "time"
formula = "flops / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops per second, by our count"

[figure.cycles_per_element]
metric = "cycles"
formula = "value"
unit = "1"
better = "lower"
headline = true
help = "cycles of an element, by a chain of dependent additions timed in the same block"

[figure.bandwidth]
metric = "time"
formula = "(bytes + index) / value"
unit = "B/s"
better = "higher"
help = "bytes that the loop reads and writes, indices with them; what a cache moves for a stride is more"

[figure.clock]
from = "processor/cycles_beside.hpp"
help = "cycles per second while the kernels ran, from which the bound of arithmetic follows; stated with the first case"

[roof]
clock = "clock"

[headline.axpy]
title = "axpy, best length {length}"
figure = "rate"
where = "kernel=axpy access=contiguous"
says = "x = x + a y runs at up to"
bound = "peak_measured"
advice = "loads and stores bound it before arithmetic does: of a run with `roofs` beside (`assay evaluate --only memory,kernels`) the table by level has their share"
order = 6

[headline.dot]
title = "dot product, best length {length}"
figure = "rate"
where = "kernel=dot access=contiguous"
says = "a dot product, summed in its order, runs at up to"
bound = "peak_measured"
advice = "each sum waits for the one before: a library, or `--flags '-O3 -ffast-math'`, sums in another order"
order = 7

[headline.polynomial]
title = "polynomial9, best length {length}"
figure = "rate"
where = "kernel=polynomial9 access=contiguous"
says = "a polynomial of degree 9 runs at up to"
bound = "peak_measured"
advice = "compare compilers and flags (--compiler, --flags): what they fuse and vectorise decides"
order = 8
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using kernels::Kernel;

constexpr std::int64_t long_enough = 1 << 20;  // elements of a pass that lasts 20 us on any processor
constexpr std::int64_t line = 8;               // doubles of a cache line: each vector begins at one
constexpr std::int64_t stagger = 5 * line;     // between two vectors, so that they share no place in a page

struct Shape {  // of one case
  const Kernel* kernel;
  std::size_t access;
  std::int64_t n;
  std::int64_t stride() const { return access == 1 ? 3 : access == 2 ? 4 : 1; }
  std::int64_t span() const { return (n + 2) * stride(); }  // doubles of a vector: the second difference needs two more
  std::int64_t room() const { return (span() + line - 1) / line * line + stagger; }  // from one vector to the next
  std::int64_t inputs() const { return kernel->x + kernel->y + 2 * kernel->uv; }
  std::int64_t bytes() const { return 8 * n * stride() * kernel->arrays() + (access == 3 ? 4 * n : 0); }
  std::int64_t offset(std::int64_t input) const { return input * room(); }
};

// Memory that all cases share: one output, and behind it the inputs, which nobody writes.
class Pool {
 public:
  void need(const Shape& shape) {
    output_ = std::max(output_, shape.room());
    inputs_ = std::max(inputs_, shape.offset(std::max<std::int64_t>(1, shape.inputs())));
  }
  double* output() { return base(); }
  const double* inputs() { return base() + output_; }

 private:
  double* base() {
    if (!pages_) {
      pages_ = std::make_unique<memory::Pages>(static_cast<std::size_t>(8 * (output_ + inputs_)), true);
      auto* const at = reinterpret_cast<double*>(pages_->data());
      std::fill(at, at + output_, 1.0);
      for (std::int64_t i = 0; i < inputs_; ++i) at[output_ + i] = static_cast<double>(kernels::input_value(i));
    }
    return reinterpret_cast<double*>(pages_->data());
  }
  std::int64_t output_ = 0, inputs_ = 0;
  std::unique_ptr<memory::Pages> pages_;
};

std::shared_ptr<std::vector<std::int32_t>> permutation(std::int64_t places, std::uint64_t seed) {
  auto index = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(places));
  std::iota(index->begin(), index->end(), 0);
  std::uint64_t state = seed + static_cast<std::uint64_t>(places);
  shuffle(*index, state);
  return index;
}

class Run {
 public:
  Run(Shape shape, std::shared_ptr<Pool> pool, std::shared_ptr<std::vector<std::int32_t>> index)
      : shape_(shape), loop_(find_loop(shape)), pool_(std::move(pool)), index_(std::move(index)) {}

  // Passes one after the other: the addresses of each wait for the last element of the one before. Else a processor
  // overlaps short passes, and a recursion of 32 elements would seem faster than one of 1000.
  double passes(std::int64_t count) {
    const kernels::Loop loop = loop_;
    double* const z = pool_->output();
    const double *const x = pool_->inputs(), *const y = input(shape_.kernel->x), *const u = input(2);
    const double* const v = input(3);
    const std::int32_t* const index = index_ ? index_->data() : nullptr;
    const double* const last = z + slot(shape_.n - 1);
    std::int64_t nothing = 0, after = 0;
    opaque(nothing);
    double result = 0;
    for (; count > 0; --count) {
      result = loop(z + after, x + after, y + after, u + after, v + after, scalars_, shape_.n, index);
      opaque(result);
      touched();
      after = std::bit_cast<std::int64_t>(shape_.kernel->writes ? *last : result) & nothing;
    }
    return result;
  }

  // Cycles of an element, by the chain of additions beside.
  double cycles() {
    const auto work = [this](std::int64_t count) { passes(count); };
    if (!batch_) batch_ = shape_.n >= long_enough ? 1 : processor::batch_of(work, 1, 20e-6);
    return processor::cycles_of(work, batch_) / static_cast<double>(batch_ * shape_.n);
  }

  Check verify();

 private:
  const double* input(std::int64_t which) {
    return pool_->inputs() + (which < shape_.inputs() ? shape_.offset(which) : 0);
  }
  std::int64_t slot(std::int64_t i) const {
    return index_ ? (*index_)[static_cast<std::size_t>(i)] : shape_.stride() * i;
  }

  static kernels::Loop find_loop(const Shape& shape) {
    for (const kernels::Loops& each : kernels::vector_loops())
      if (each.name == shape.kernel->name) return each.by_access[shape.access];
    throw InputFault("no loop is called '" + std::string(shape.kernel->name) + "'");
  }

  Shape shape_;
  kernels::Loop loop_;
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<std::vector<std::int32_t>> index_;
  kernels::Scalars scalars_;
  std::int64_t batch_ = 0;
};

[[gnu::cold]] Check Run::verify() {
  const Kernel& kernel = *shape_.kernel;
  double* const z = pool_->output();
  const std::int64_t places = shape_.room();
  kernels::OutputBefore(kernel.adds_to).fill(z, places);
  const double result = passes(1);
  std::array<std::int64_t, 4> offsets{};
  for (std::size_t input = 0; input < offsets.size(); ++input)
    offsets[input] = shape_.offset(static_cast<std::int64_t>(input));
  const std::int64_t wrong = kernels::count_wrong(
      kernel, {shape_.n, shape_.stride(), places, index_ ? index_->data() : nullptr}, z, result, offsets);
  return {wrong == 0, std::string(kernel.name) + " of " + std::to_string(shape_.n) + " elements, " +
                          std::string(kernels::accesses[shape_.access]) + ": " + std::to_string(wrong) + " wrong"};
}

template <class Table>
std::size_t find(const Table& table, const std::string& name) {
  for (std::size_t k = 0; k < table.size(); ++k)
    if constexpr (requires { table[k].name; }) {
      if (table[k].name == name) return k;
    } else if (table[k] == name) {
      return k;
    }
  throw InputFault("no kernel or access is called '" + name + "'");
}

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  const int cpu = processors.cpus.front();
  const memory::LastLevel last = memory::find_last_level({cpu});
  auto pool = std::make_shared<Pool>();
  std::map<std::int64_t, std::shared_ptr<std::vector<std::int32_t>>> permutations;
  bool noted = false;
  // Asked for alone, it is what the run is for: no half of a launch then goes to what nobody wanted to see.
  const bool by_index =
      std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "access=indexed"; });
  return run_program(record, argc, argv, [&](Case& at) __attribute__((cold)) {
    if (!threads::pin(cpu)) at.note("the thread could not be held on one hardware thread");
    const Shape shape{&kernels::table[find(kernels::table, at.choice("kernel"))],
                      find(kernels::accesses, at.choice("access")), at.integer("length")};
    const memory::Headroom room = memory::read_headroom();
    const std::int64_t telling = std::max<std::int64_t>(4 * last.bytes, 64 << 20), fitting = room.bytes / 4;
    const std::string accepted = "length up to " +
                                 std::to_string(std::min(telling, fitting) / (shape.bytes() / shape.n)) + " of " +
                                 at.choice("kernel") + ", " + at.choice("access");
    if (shape.bytes() > telling)
      return at.skip("vectors of more than four times the last cache, where nothing changes any more", "length",
                     accepted);
    const bool beyond = shape.bytes() > last.bytes;
    if (beyond && shape.access == 3 && at.profile() == "standard" && !by_index)  // half of a launch's time, or more
      return at.skip("vectors by index beyond the last cache: --profile full or --set access=indexed has them");
    if (shape.bytes() > fitting)
      return at.skip("vectors of more than a quarter of what " + room.by + " leaves", "length", accepted);
    pool->need(shape);
    auto& index = permutations[shape.n];
    if (shape.access == 3 && !index) index = permutation(shape.n + 2, at.seed());
    auto run = std::make_shared<Run>(shape, pool, shape.access == 3 ? index : nullptr);
    at.measure("time", [=](std::int64_t elements) { run->passes(elements / shape.n); },
               {.unit = shape.n, .cache = beyond ? "beyond the caches" : "same buffer"});
    at.add_metric("cycles", [=] { return run->cycles(); });
    at.check([=] { return run->verify(); });
    if (std::exchange(noted, true)) return;
    if (!last.warning.empty()) at.note(last.warning);
    at.observe("clock", processor::cycle_seconds);
    const std::uint64_t seed = at.seed();
    for (const std::int64_t size : memory::curve_sizes(std::clamp<std::int64_t>(2 * last.bytes, 4 << 20, 64 << 20)))
      at.observe("chase", "size", size, [=] { return memory::load_time(size, seed); });
    for (int level = 1; level <= 4; ++level)
      if (const std::int64_t bytes = std::min(memory::cache_of(cpu, level), last.bytes); bytes > 0)
        at.observe("cache", "level", level, [=] { return static_cast<double>(bytes); });
  });
}
