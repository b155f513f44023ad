// Bandwidth of a device's memory: the loops of McCalpin's STREAM (1995), reading alone and writing alone, by the size
// of the arrays and by how many elements a work item moves at once.
//
// The rate rests on the host's clock: a reading is a batch of launches, queued and waited for. The device's own timer
// is read as well. Compilation and the first call have figures of their own.
#include <algorithm>
#include <cmath>
#include <map>

#include "devices/found.hpp"
#include "devices/kernels/stream.hpp"
#include "devices/launches.hpp"
#include "devices/pieces.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-stream"
title = "Memory bandwidth of devices"
first_look = true
summary = "bandwidth of a device's own memory: copy, scale, add, triad, dot, read only, write only; by size and by width"
cost = "bytes per element, as STREAM counts them: read and write 1 element, copy, scale and dot 2, add and triad 3"
check = "the host fills the destination with a sentinel, launches once, reads all of it back and compares every element with a closed form of its place; read and dot: the sum with that of the closed form"
source = "McCalpin 1995, STREAM; Deakin et al. 2016, BabelStream"
statistics = ["median", "best"]
exact = ["size"]
noise_immune = ["build", "clock", "power"]
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 2
blocks_standard = 3

[parameter.device]
from = "devices/found.hpp"

[parameter.kernel]
type = "choice"
default = ["read", "write", "copy", "scale", "add", "triad", "dot"]
quick = ["read", "write", "copy", "triad"]
choices = ["read", "write", "copy", "scale", "add", "triad", "dot"]
sweep = true
help = "a = 3 (write), b (copy), 3 b (scale), b + c (add), b + 3 c (triad), the sum of b (read) or of b c (dot)"

[parameter.width]
type = "integer"
default = [1, 2, 4]
quick = 1
choices = [1, 2, 4]
sweep = true
help = "elements that a work item loads or stores at once"

[parameter.bytes]
type = "integer"
default = [0, 262144, 1048576, 4194304, 16777216, 67108864, 268435456]
quick = 0
min = 0
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of each array; 0: four times the cache that the device states, from 64 MiB to 1 GiB"

[constants.kernel]
read = { arrays = 1 }
write = { arrays = 1 }
copy = { arrays = 2 }
scale = { arrays = 2 }
add = { arrays = 3 }
triad = { arrays = 3 }
dot = { arrays = 2 }

[metric.time]
unit = "s/B"
help = "time of a byte, by the host's clock"

[metric.timer]
unit = "s/B"
help = "the same by the device's own timer, from the start of the first launch of a batch to the end of the last"

[metric.size]
unit = "B"
help = "bytes of each array"

[metric.build]
from = "devices/found.hpp"

[metric.clock]
from = "devices/found.hpp"

[metric.power]
from = "devices/found.hpp"

[headline.triad]
figure = "rate"
where = "kernel=triad on=GPU bytes=0 width=1"
title = "memory bandwidth of the device (triad)"
bound = "device_stated"
advice = "look at the clock of its memory, and whether ECC takes a share: nvidia-smi -q, rocm-smi"
says = "a device streams from its memory at up to"
order = 1

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes per second, STREAM's counting"

[figure.timer_rate]
metric = "timer"
formula = "1 / value"
unit = "B/s"
better = "higher"
help = "the same by the device's own timer"

[figure.size]
metric = "size"
unit = "B"
better = "higher"
help = "bytes of each array"

[figure.build]
from = "devices/found.hpp"

[figure.clock]
from = "devices/found.hpp"

[figure.power]
from = "devices/found.hpp"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

constexpr std::int64_t group_items = 256;
constexpr double scalar = 3;

double pattern_b(std::int64_t i) { return 1 + static_cast<double>(i % 7); }
double pattern_c(std::int64_t i) { return 2 + static_cast<double>(i % 5); }

double expected(const std::string& kernel, std::int64_t i) {
  if (kernel == "write") return scalar;
  if (kernel == "copy") return pattern_b(i);
  if (kernel == "scale") return scalar * pattern_b(i);
  if (kernel == "add") return pattern_b(i) + pattern_c(i);
  return pattern_b(i) + scalar * pattern_c(i);
}

struct Arrays {
  std::shared_ptr<Memory> a, b, c;
};

template <class Real>
Arrays make_arrays(Device& device, std::int64_t bytes) {
  Arrays made{device.allocate(bytes), device.allocate(bytes), device.allocate(bytes)};
  fill<Real>(device, made.a, [](std::int64_t) { return 0.0; });
  fill<Real>(device, made.b, pattern_b);
  fill<Real>(device, made.c, pattern_c);
  return made;
}

template <class Real>
Check verify(Device& device, const std::string& name, Kernel& kernel, const Arrays& arrays, std::int64_t groups) {
  fill<Real>(device, arrays.a, [](std::int64_t) { return -1.0; });
  device.launch(kernel, groups, group_items);
  device.finish();
  const std::int64_t count = arrays.a->bytes / static_cast<std::int64_t>(sizeof(Real));
  if (name != "read" && name != "dot") {
    const std::int64_t bad = wrong<Real>(device, arrays.a, [&](std::int64_t i) { return expected(name, i); });
    return {bad == 0, std::to_string(count) + " elements compared, " + std::to_string(bad) + " wrong"};
  }
  std::vector<Real> sums(static_cast<std::size_t>(groups));
  device.copy_out(sums.data(), *arrays.a, groups * static_cast<std::int64_t>(sizeof(Real)));
  device.finish();
  double found = 0, sought = 0;
  for (const Real each : sums) found += each;
  for (std::int64_t i = 0; i < count; ++i) sought += pattern_b(i) * (name == "dot" ? pattern_c(i) : 1);
  // float64 adds these whole numbers without error; float32 rounds each of the additions of a work item
  const double bound =
      sizeof(Real) == 8 ? 0 : sought * 6e-8 * (static_cast<double>(count / (groups * group_items)) + 16);
  char words[120];
  std::snprintf(words, sizeof words, "the sum %.17g where %.17g is right, at most %.2g off", found, sought, bound);
  return {std::abs(found - sought) <= bound, words};
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::pair<std::string, std::int64_t>, std::shared_ptr<Arrays>> shared;  // by cases of one size
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const Facts& facts = device->facts();
    const std::int64_t wide = facts.float64 ? 8 : 4, lanes = at.integer("width");
    constexpr std::int64_t least = std::int64_t{64} << 20, most = std::int64_t{1} << 30;
    std::int64_t bytes = at.integer("bytes");
    if (bytes == 0) bytes = std::min(std::clamp(4 * facts.cache, least, most), facts.memory / 8);
    bytes = bytes / (group_items * 32) * group_items * 32;
    if (bytes == 0)
      throw refused_value("bytes", "are too few for a group", at.integer("bytes"),
                          std::to_string(group_items * 32) + " or more");
    auto& arrays = shared[{facts.label, bytes}];
    if (!arrays && !device->holds(3 * bytes, bytes))
      return at.skip(device->lacks("three arrays of " + std::to_string(bytes) + " bytes"), "bytes",
                     "bytes up to " + std::to_string(std::min(facts.memory / 6, facts.largest)));
    if (!arrays)
      arrays = std::make_shared<Arrays>(wide == 8 ? make_arrays<double>(*device, bytes)
                                                  : make_arrays<float>(*device, bytes));
    const std::string& name = at.choice("kernel");
    std::string source = device->prelude(wide == 8 ? Element::float64 : Element::float32, static_cast<int>(lanes));
    source += stream_kernels;
#ifdef ASSAY_BREAK
    source.replace(source.rfind("b[ITEM] + (Value)(s) * c[ITEM]"), 7, "c[ITEM]");
#endif
    const auto kernel = device->build(source, "stream_" + name);
    const std::int64_t values = bytes / (wide * lanes);
    const std::int64_t groups = name == "read" || name == "dot"
                                    ? std::min<std::int64_t>(values / group_items, 32L * facts.units)
                                    : groups_for(values, group_items);
    const Argument by = wide == 8 ? Argument(scalar) : Argument(static_cast<float>(scalar));
    kernel->set({arrays->a, arrays->b, arrays->c, by, static_cast<std::uint64_t>(values)});
    const std::int64_t unit = bytes * (name == "read" || name == "write"  ? 1
                                       : name == "add" || name == "triad" ? 3
                                                                          : 2);
    at.observe("size", [=] { return static_cast<double>(bytes); }, true);
    measure_launches(at, device, kernel, groups, group_items,
                     {.unit = unit, .cache = bytes < 4 * facts.cache ? "same buffer" : "beyond the caches"});
    at.check([=] {
      return wide == 8 ? verify<double>(*device, name, *kernel, *arrays, groups)
                       : verify<float>(*device, name, *kernel, *arrays, groups);
    });
  });
}
