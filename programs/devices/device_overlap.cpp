// Whether a device copies while it computes: a kernel alone, a transfer to the device alone, and both at once on two
// queues, in blocks whose order turns.
#include <algorithm>
#include <array>
#include <cmath>

#include "devices/found.hpp"
#include "devices/kernels/stream.hpp"
#include "devices/pieces.hpp"
#include "timing/memory_limits.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-overlap"
title = "Copies and kernels at once"
summary = "a transfer to the device and a kernel on its memory, each alone and both at once on two queues"
cost = "one operation is a transfer of `bytes` from page-locked memory, and as many passes of STREAM's triad as take about as long"
check = "the memory that was copied to, read back and compared byte by byte with what was sent; the triad's result, element by element"
source = "Gómez-Luna et al. 2012, streams and overlap"
slice_quick = 0.1
slice_standard = 0.2
blocks_quick = 3
blocks_standard = 6
noise_immune = ["build"]

[parameter.device]
from = "devices/found.hpp"

[parameter.bytes]
type = "integer"
default = 16777216
min = 65536
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of the transfer, and of each array of the triad"

[metric.both]
unit = "s"
help = "time of a transfer and its passes at once"

[metric.kernel]
unit = "s"
help = "time of the passes alone"

[metric.copy]
unit = "s"
help = "time of the transfer alone"

[metric.build]
from = "devices/found.hpp"

[metric.hidden]
unit = "1"
difference = true
help = "of the shorter of both alone, what both at once saved"

[figure.hidden]
metric = "hidden"
unit = "1"
better = "higher"
headline = true
help = "part of the shorter one that is hidden behind the other: 0 one after another, 1 at once"

[figure.both]
metric = "both"
unit = "s"
help = "time of both at once"

[figure.kernel]
metric = "kernel"
unit = "s"
help = "time of the passes alone"

[figure.copy]
metric = "copy"
unit = "s"
help = "time of the transfer alone"

[figure.build]
from = "devices/found.hpp"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

constexpr std::int64_t group_items = 256;

struct Overlap {
  std::shared_ptr<Device> device;
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<Memory> a, b, c, target;
  std::shared_ptr<Pinned> sent;
  std::int64_t bytes = 0, groups = 0, passes = 1;
  std::array<double, 3> seconds = {};  // the kernel, the copy, both
  std::int64_t turn = 0;

  double time(bool computes, bool copies) {
    const std::int64_t from = now_ns();
    for (std::int64_t pass = 0; computes && pass < passes; ++pass) device->launch(*kernel, groups, group_items);
    if (copies) device->copy_in(*target, sent->data, bytes, 0, 1);
    device->finish();
    return 1e-9 * static_cast<double>(now_ns() - from);
  }
  // Rounds of all three for so many seconds; what each took of a round, on the average.
  void window(double slice) {
    seconds = {};
    std::int64_t rounds = 0;
    for (const std::int64_t end = now_ns() + std::llround(1e9 * slice); rounds == 0 || now_ns() < end; ++rounds, ++turn)
      for (std::int64_t k = 0; k < 3; ++k) {
        const auto which = static_cast<std::size_t>((turn + k) % 3);
        seconds[which] += time(which != 1, which != 0);
      }
    for (double& each : seconds) each /= static_cast<double>(rounds);
  }
  double hidden() const { return (seconds[0] + seconds[1] - seconds[2]) / std::min(seconds[0], seconds[1]); }
};

double number(std::int64_t i) { return static_cast<double>(1 + i % 5); }

std::shared_ptr<Overlap> make_overlap(const std::shared_ptr<Device>& device, std::int64_t bytes) {
  auto made = std::make_shared<Overlap>();
  const bool wide = device->facts().float64;
  made->device = device, made->bytes = bytes;
  for (auto* each : {&made->a, &made->b, &made->c, &made->target}) *each = device->allocate(bytes);
  made->sent = device->pinned(bytes);
  const std::int64_t count = bytes / (wide ? 8 : 4);
  for (const auto& each : {made->b, made->c})
    wide ? fill<double>(*device, each, number) : fill<float>(*device, each, number);
  for (std::int64_t i = 0; i < bytes; ++i) made->sent->data[i] = static_cast<char>(i * 37 >> 5);
  std::string source = device->prelude(wide ? Element::float64 : Element::float32, 1);
  source += stream_kernels;
  made->kernel = device->build(source, "stream_triad");
  made->groups = groups_for(count, group_items);
  const Argument by = wide ? Argument(3.0) : Argument(3.0F);
  made->kernel->set({made->a, made->b, made->c, by, static_cast<std::uint64_t>(count)});
  made->time(true, true);  // the first calls of both
  while (made->passes < 4096 && made->time(true, false) < made->time(false, true)) made->passes *= 2;
  return made;
}

Check verify(Overlap& of) {
  const std::int64_t uncopied = wrong<char>(*of.device, of.target, [&](std::int64_t i) {
#ifdef ASSAY_BREAK
    if (i == 0) return static_cast<char>(~of.sent->data[i]);
#endif
    return of.sent->data[i];
  });
  const auto sum = [](std::int64_t i) { return 4 * number(i); };
  const std::int64_t bad =
      of.device->facts().float64 ? wrong<double>(*of.device, of.a, sum) : wrong<float>(*of.device, of.a, sum);
  return {uncopied == 0 && bad == 0, std::to_string(uncopied) + " bytes of the transfer wrong; " + std::to_string(bad) +
                                         " elements of the triad wrong"};
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const std::int64_t bytes = at.integer("bytes") / 4096 * 4096;
    const memory::Headroom room = memory::read_headroom();
    const std::string accepted = "bytes up to " + std::to_string(std::min(device->facts().memory / 8, room.bytes / 2));
    if (!device->holds(4 * bytes, bytes))
      return at.skip(device->lacks("four times " + std::to_string(bytes) + " bytes"), "bytes", accepted);
    if (2 * bytes > room.bytes)
      return at.skip(std::to_string(bytes) + " bytes of the host's memory: " + room.by + " leaves too little", "bytes",
                     accepted);
    const auto overlap = make_overlap(device, bytes);
    watch_device(at, device, false);
    at.observe("build", [=] { return overlap->kernel->built; }, true);
    at.observe("hidden", [=, slice = at.slice()] {
      overlap->window(slice);
      return overlap->hidden();
    });
    at.add_metric("kernel", [=] { return overlap->seconds[0]; });
    at.add_metric("copy", [=] { return overlap->seconds[1]; });
    at.add_metric("both", [=] { return overlap->seconds[2]; });
    at.check([=] { return verify(*overlap); });
  });
}
