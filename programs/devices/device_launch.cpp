// What it takes to launch a kernel: one that is waited for, and one of many that are queued before the wait; and how
// long the device's own timer says that the kernel ran.
#include "devices/found.hpp"
#include "devices/kernels/count.hpp"
#include "devices/timer.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-launch"
title = "Kernel launches"
summary = "time to launch a kernel that does next to nothing: waited for one by one, or many queued at once"
cost = "one operation is one launch of a kernel in which one work item adds one to a counter"
check = "the counter, read back, against the number of launches that were made"
source = "Boyer et al. 2008; Jetley et al. 2024"
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 2
blocks_standard = 3
noise_immune = ["build"]

[parameter.device]
from = "devices/found.hpp"

[parameter.mode]
type = "choice"
default = ["waited", "queued"]
choices = ["waited", "queued"]
sweep = true
help = "waited: each launch is waited for; queued: 64 launches, then one wait"

[metric.time]
unit = "s"
help = "time of one launch, by the host's clock"

[metric.timer]
unit = "s"
help = "time of one launch by the device's timer, of a queue of them from the first's start to the last's end"

[metric.build]
from = "devices/found.hpp"

[figure.latency]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "time of one launch as the host sees it"

[figure.timer]
metric = "timer"
unit = "s"
better = "lower"
help = "time of one launch by the device's timer"

[figure.build]
from = "devices/found.hpp"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const auto counter = device->allocate(8);
    const std::uint64_t zero = 0;
    device->copy_in(*counter, &zero, 8);
    device->finish();
    const auto made = std::make_shared<std::uint64_t>(0);
    std::string source = device->prelude(Element::int32, 1);
    source += count_kernel;
    const auto kernel = device->build(source, "count");
    kernel->set({counter});
    watch_device(at, device, false);
    const bool queued = at.choice("mode") == "queued";
    at.observe("build", [=] { return kernel->built; }, true);
    const auto work = [=](std::int64_t operations) {
      for (std::int64_t done = 0; done < operations; ++done) {
        device->launch(*kernel, 1, 1);
        if (!queued || (done + 1) % 64 == 0) device->finish();
      }
      device->finish();
      *made += static_cast<std::uint64_t>(operations);
    };
    at.measure("time", work, {.unit = queued ? 64 : 1});
    const auto timer = std::make_shared<Timer>(device, kernel, 1, 1);
    at.add_metric("timer", [=] { return timer->read(); });
    at.on_finish([=] {
      const std::string warning = timer->warning();
      *made += static_cast<std::uint64_t>(timer->launches());
      return warning;
    });
    at.check([=] {
      std::uint64_t counted = 0;
      device->copy_out(&counted, *counter, 8);
      device->finish();
#ifdef ASSAY_BREAK
      ++*made;
#endif
      return Check{counted == *made,
                   std::to_string(counted) + " launches counted by the device, " + std::to_string(*made) + " made"};
    });
  });
}
