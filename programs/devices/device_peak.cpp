// Arithmetic peaks of a device by type: multiply-adds in registers, eight independent chains in each work item.
//
// The numbers are small whole ones, which every type holds exactly, so that the result tells how many were made. They
// draw less power than random ones: a device that is limited by its power may be slower on real data.
#include <algorithm>

#include "devices/found.hpp"
#include "devices/kernels/peak.hpp"
#include "devices/launches.hpp"
#include "devices/numbers.hpp"
#include "devices/pieces.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-peak"
title = "Arithmetic peaks of devices"
first_look = true
summary = "multiply-adds per second in registers, by type: float64, float32, float16, int32"
cost = "one operation is a multiply-add, 2 flops (int32: 2 operations)"
check = "every result of every work item against the whole number that so many additions give; launches of twice the multiply-adds must take longer"
source = "clpeak; Konstantinidis and Cotronis 2017, mixbench"
statistics = ["median", "best"]
noise_immune = ["build", "clock", "power"]
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 2
blocks_standard = 3

[parameter.device]
from = "devices/found.hpp"

[parameter.type]
type = "choice"
default = ["float64", "float32", "float16", "int32"]
quick = ["float64", "float32"]
choices = ["float64", "float32", "float16", "int32"]
sweep = true
help = "what is multiplied and added; what the device has not is left out"

[parameter.width]
type = "integer"
default = [2, 4]
quick = 2
choices = [2, 4, 8]
sweep = true
help = "elements of a vector that a work item works on"

[metric.time]
unit = "s"
help = "time of a flop"

[metric.timer]
unit = "s"
help = "the same by the device's own timer"

[metric.build]
from = "devices/found.hpp"

[metric.clock]
from = "devices/found.hpp"

[metric.power]
from = "devices/found.hpp"

[headline.float32]
figure = "rate"
where = "type=float32 on=GPU width=2"
title = "arithmetic peak of the device (float32)"
bound = "device_stated"
advice = "look at its clock and power limit: the table of devices shows both, and what slowed it down"
says = "a device computes at up to"
order = 3

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "multiplications and additions per second, multiply-adds counted as two; int32: operations"

[figure.timer_rate]
metric = "timer"
formula = "1 / value"
unit = "flop/s"
better = "higher"
help = "the same by the device's own timer"

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

constexpr std::int64_t chains = 8;

struct Peak {
  std::shared_ptr<Device> device;
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<Memory> out, given;
  Element type;
  std::int64_t lanes, groups, group;
  std::uint32_t times;
  std::int64_t results() const { return groups * group * chains * lanes; }
  std::int64_t flops() const { return 2 * results() * times; }
  void take(std::uint32_t multiply_adds) {
    times = multiply_adds;
    kernel->set({out, given, times});
  }
};

// x after `times` steps of x = x + 1, from `start`: a whole number that each type holds, as `times` is at most 1024.
double after(double start, std::uint32_t times) { return start + times; }

std::shared_ptr<Peak> make_peak(const std::shared_ptr<Device>& device, Element type, std::int64_t lanes) {
  const Facts& facts = device->facts();
  auto made = std::make_shared<Peak>();
  made->device = device, made->type = type, made->lanes = lanes;
  made->group = std::min<std::int64_t>(256, facts.group);
  made->groups = facts.kind == cpu_kind ? 4L * facts.units : 64L * facts.units;
  const std::int64_t bytes = made->results() * bytes_of(type);
  made->out = device->allocate(bytes);
  made->given = device->allocate(10 * lanes * bytes_of(type));
  std::vector<char> given(static_cast<std::size_t>(made->given->bytes));
  for (std::int64_t at = 0; at < 10 * lanes; ++at)  // scale 1, step 1, then the chains' starts 0 to 7
    put(given, type, static_cast<std::size_t>(at), at < 2 * lanes ? 1 : static_cast<double>(at / lanes - 2));
  device->copy_in(*made->given, given.data(), made->given->bytes);
  device->finish();
  std::string source = device->prelude(type, static_cast<int>(lanes));
  source += peak_kernel;
#ifdef ASSAY_BREAK
  source.replace(source.find("v3 = FMA(v3"), 11, "v3 = FMA(v1");
#endif
  made->kernel = device->build(source, "peak");
  made->take(1000);
  return made;
}

Check verify(Peak& peak) {
  fill<char>(*peak.device, peak.out, [](std::int64_t) { return 0x5a; });
  peak.device->launch(*peak.kernel, peak.groups, peak.group);
  peak.device->finish();
  std::int64_t bad = 0;
  fetch(*peak.device, peak.out, bytes_of(peak.type),
        [&](const std::vector<char>& piece, std::int64_t first, std::int64_t count) {
          for (std::int64_t at = 0; at < count; ++at)
            bad += get(piece, peak.type, static_cast<std::size_t>(at)) !=
                   after(static_cast<double>((first + at) / peak.lanes % chains), peak.times);
        });
  return {bad == 0, std::to_string(peak.results()) + " results compared, " + std::to_string(bad) + " wrong"};
}

// A loop that was taken out, or replaced by its closed form, takes no longer for four times the work.
Check grows(Peak& peak) {
  const std::uint32_t had = peak.times;
  double some = 1e300, most = 1e300;  // the least of each: what else runs only adds
  for (int turn = 0; turn < 24; ++turn) {
    double& least = turn % 2 == 0 ? some : most;
    peak.take(turn % 2 == 0 ? had : 4 * had);
    const std::int64_t from = now_ns();
    for (int each = 0; each < 8; ++each) peak.device->launch(*peak.kernel, peak.groups, peak.group);
    peak.device->finish();
    least = std::min(least, 1e-9 * static_cast<double>(now_ns() - from));
  }
  peak.take(had);
  char words[120];
  std::snprintf(words, sizeof words, "four times the multiply-adds take %.2f times as long", most / some);
  return {most >= 2 * some, words};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const Element type = element_of(at.choice("type"));
    const Facts& facts = device->facts();
    if ((type == Element::float64 && !facts.float64) || (type == Element::float16 && !facts.float16))
      return at.skip(facts.label + " (" + facts.name + ") computes no " + at.choice("type"), "type",
                     "type=float32,int32");
    const auto peak = make_peak(device, type, at.integer("width"));
    measure_launches(at, device, peak->kernel, peak->groups, peak->group, {.unit = peak->flops()});
    at.check([=] { return verify(*peak); });
    at.check([=] { return grows(*peak); });
  });
}
