// Latency of a device's memory against the size of the working set: one work item follows a chain of indices through
// lines of 128 bytes, in one random cycle (Sattolo 1986), so that each load waits for the one before.
#include <algorithm>
#include <map>
#include <numeric>

#include "devices/found.hpp"
#include "devices/kernels/chain.hpp"
#include "devices/pieces.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-latency"
title = "Memory latency of devices"
summary = "time of a load of one work item that waits for the one before, by the size of the working set"
cost = "one operation is one dependent load of 4 bytes, each from another line of 128"
check = "the place where the chain stands after all loads of the launch, against the host's own walk of the cycle"
source = "Saavedra and Smith 1995; Mei and Chu 2017"
statistics = ["median", "best"]
noise_immune = ["build"]
slice_quick = 0.04
slice_standard = 0.06
blocks_quick = 2
blocks_standard = 3

[parameter.device]
from = "devices/found.hpp"

[parameter.bytes]
type = "integer"
default = [16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864, 268435456]
quick = [16384, 1048576, 16777216, 268435456]
min = 1024
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of the working set"

[metric.time]
unit = "s"
help = "time of one dependent load"

[metric.build]
from = "devices/found.hpp"

[headline.memory]
figure = "latency"
where = "bytes=268435456 on=GPU"
title = "memory latency of the device (256 MiB)"
says = "a device waits for its memory"
order = 4

[figure.latency]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "time of a load that depends on the one before, one work item"

[figure.build]
from = "devices/found.hpp"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

constexpr std::int64_t line = 128, words_of_line = line / 4;

struct Chain {
  std::vector<std::uint32_t> order;  // the lines, as the cycle meets them
  std::shared_ptr<Memory> next, state;
  std::int64_t loads = 0;  // made since it stood at order[0]
};

std::shared_ptr<Chain> make_chain(Device& device, std::int64_t bytes, std::uint64_t seed) {
  auto made = std::make_shared<Chain>();
  made->order.resize(static_cast<std::size_t>(bytes / line));
  std::iota(made->order.begin(), made->order.end(), 0U);
  shuffle(made->order, seed);  // a random order of all lines, closed to a ring, is a random cycle
  std::vector<std::uint32_t> behind(made->order.size());  // by line, the line that follows
  for (std::size_t at = 0; at < made->order.size(); ++at)
    behind[made->order[at]] = made->order[(at + 1) % made->order.size()];
  made->next = device.allocate(bytes);
  fill<std::uint32_t>(device, made->next, [&](std::int64_t word) {
    return word % words_of_line == 0 ? behind[static_cast<std::size_t>(word / words_of_line)] * words_of_line : 0;
  });
  made->state = device.allocate(4);
  const std::uint32_t start = made->order[0] * static_cast<std::uint32_t>(words_of_line);
  device.copy_in(*made->state, &start, 4);
  device.finish();
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const std::int64_t bytes = at.integer("bytes") / line * line;
    constexpr std::int64_t most = std::int64_t{4} << 30;  // whose cycle the host makes in seconds
    const std::string accepted = "bytes up to " + std::to_string(std::min(device->facts().memory / 2, most));
    if (bytes > most) return at.skip("a working set is at most 4 GiB", "bytes", accepted);
    if (!device->holds(bytes + line, bytes))
      return at.skip(device->lacks("a working set of " + std::to_string(bytes) + " bytes"), "bytes", accepted);
    const auto chain = make_chain(*device, bytes, at.seed());
    std::string source = device->prelude(Element::int32, 1);
    source += chain_kernel;
    const auto kernel = device->build(source, "chain");
    watch_device(at, device, false);
    at.observe("build", [=] { return kernel->built; }, true);
    const auto walk = [=](std::int64_t loads) {
      kernel->set({chain->state, chain->next, static_cast<std::uint64_t>(loads)});
      device->launch(*kernel, 1, 1);
      device->finish();
      chain->loads += loads;
    };
    const auto idle = [=](std::int64_t) {  // what a launch without a load takes
      kernel->set({chain->state, chain->next, std::uint64_t{0}});
      device->launch(*kernel, 1, 1);
      device->finish();
    };
    at.measure("time", walk, {.unit = 64, .subtract = idle, .cache = "walked through before", .reading = 0.005});
    at.check([=] {
      std::uint32_t found = 0xffffffff;
      device->copy_out(&found, *chain->state, 4);
      device->finish();
      const auto count = static_cast<std::int64_t>(chain->order.size());
#ifdef ASSAY_BREAK
      ++chain->loads;
#endif
      const std::uint32_t right = chain->order[static_cast<std::size_t>(chain->loads % count)] * words_of_line;
      return Check{found == right, std::to_string(chain->loads) + " loads led to word " + std::to_string(found) +
                                       ", by the host to " + std::to_string(right)};
    });
  });
}
