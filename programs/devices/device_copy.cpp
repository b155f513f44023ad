// Transfers between the host's memory and the device's: in, out, and both at once on two queues; from page-locked and
// from pageable memory; by NUMA node of the host's memory.
#include <cstring>
#include <fstream>

#include "devices/amdgpu.hpp"
#include "devices/found.hpp"
#include "devices/pieces.hpp"
#include "memory/nodes.hpp"
#include "timing/memory_limits.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-copy"
title = "Transfers to and from devices"
summary = "rate of transfers host to device, device to host and both at once, from page-locked and pageable memory, by size and by NUMA node of the host's memory"
cost = "the bytes that cross, once; both: the bytes of both directions"
check = "in: what is on the device is read back into other memory, of which every byte is compared with what was sent; out: what arrived, byte by byte, with what the device was given; the targets are filled with a sentinel before; the kernel says that the host's pages are on the node"
source = "nvbandwidth; Pearson et al. 2019, Comm|Scope"
statistics = ["median", "best"]
noise_immune = ["link"]
slice_quick = 0.05
slice_standard = 0.1
blocks_quick = 2
blocks_standard = 3

[parameter.device]
from = "devices/found.hpp"

[parameter.direction]
type = "choice"
default = ["in", "out", "both"]
choices = ["in", "out", "both"]
sweep = true
help = "in: host to device; out: device to host; both: one of each, on two queues, at once"

[parameter.memory]
type = "choice"
default = ["pinned", "pageable"]
choices = ["pinned", "pageable"]
sweep = true
help = "the host's memory: page-locked, as the device's driver gives it, or usual"

[parameter.numa]
type = "choice"
default = ["any", "node"]
quick = ["any"]
choices = ["any", "node"]
numbered = true
sweep = true
help = "the host's memory is bound to this NUMA node (node:1; node: each that has memory for this process), or to none: where the kernel, or for pinned the driver puts it"

[parameter.bytes]
type = "integer"
default = [4096, 65536, 1048576, 16777216, 67108864]
quick = [65536, 16777216]
min = 1
max = 1099511627776
unit = "B"
sweep = true
help = "bytes of one transfer"

[metric.time]
unit = "s/B"
help = "time of a byte"

[metric.link]
unit = "B/s"
help = "what the device's PCIe link carries one way right after a block: lanes times rate, without the overhead of packets"

[headline.in]
figure = "rate"
where = "direction=in memory=pinned numa=any bytes=16777216 on=GPU"
title = "transfers to the device (16 MiB, pinned)"
bound = "device_link"
advice = "look at the slot's lanes and generation (lspci -vv), and at the NUMA node of the host's memory (numa=node)"
says = "copies to a device at up to"
order = 5

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "bytes per second; both: of both directions together"

[figure.time]
metric = "time"
formula = "value * bytes"
unit = "s"
better = "lower"
help = "time of one transfer; both: of both, for the bytes of one"

[figure.link]
metric = "link"
unit = "B/s"
better = "higher"
help = "what the device's PCIe link carries one way, by the kernel's accounting"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

char pattern(std::int64_t at, std::uint64_t seed) {
  return static_cast<char>((static_cast<std::uint64_t>(at) * 2654435761U + seed) >> 13);
}

struct Side {  // memory of the host with its counterpart on the device
  std::shared_ptr<Memory> there;
  std::shared_ptr<memory::BoundPages> bound;  // outlives `pinned`, which may be of it
  std::shared_ptr<Pinned> pinned;
  std::vector<char> pageable;
  char* here = nullptr;
};

// Bytes per second of the PCIe link of the device at this address, one way: current_link_speed is "16.0 GT/s PCIe"; up
// to 5 GT/s 8 of 10 bits are data, up to 32 GT/s 128 of 130, above that 242 of 256 (PCI Express base specification 6).
std::optional<double> link_rate(const std::string& bus) {
  if (bus.empty()) return std::nullopt;
  const std::string folder = system_root() + "sys/bus/pci/devices/" + bus + "/";
  double transfers = 0, lanes = 0;
  std::ifstream(folder + "current_link_speed") >> transfers;
  std::ifstream(folder + "current_link_width") >> lanes;
  const double data = transfers <= 5 ? 8.0 / 10 : transfers <= 32 ? 128.0 / 130 : 242.0 / 256;
  const double rate = 1e9 * transfers * data * lanes / 8;
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

constexpr std::int64_t any_node = -1;

std::vector<memory::Node> host_nodes() {
  const std::vector<int> none;
  return memory::read_nodes(none, system_root());
}

[[maybe_unused]] const bool named = name_choices("node", [] {
  std::vector<std::string> labels;
  for (const std::int64_t node : memory::with_memory(host_nodes())) labels.push_back("node:" + std::to_string(node));
  return labels;
});

std::shared_ptr<Side> make_side(Device& device, std::int64_t bytes, bool pinned, std::int64_t node) {
  auto made = std::make_shared<Side>();
  made->there = device.allocate(bytes);
  if (node != any_node) {
    made->bound = std::make_shared<memory::BoundPages>(node, static_cast<std::size_t>(bytes));
    made->here = made->bound->data;
    std::memset(made->here, 0x5a, static_cast<std::size_t>(bytes));  // page by page where it was bound to
  }
  if (pinned) {
    made->pinned = device.pinned(bytes, made->here);
    made->here = made->pinned->data;
  } else if (made->bound) {
    return made;
  } else {
    made->pageable.resize(static_cast<std::size_t>(bytes));
    made->here = made->pageable.data();
  }
  std::memset(made->here, 0x5a, static_cast<std::size_t>(bytes));
  return made;
}

// How many of the bytes at `data` are not those of the pattern.
std::int64_t unlike(const char* data, std::int64_t bytes, std::uint64_t seed) {
  std::int64_t bad = 0;
  for (std::int64_t at = 0; at < bytes; ++at) bad += data[at] != pattern(at, seed);
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const std::int64_t bytes = at.integer("bytes");
    const std::string& numa = at.choice("numa");
    const std::int64_t node = numa.starts_with("node:") ? std::atoll(numa.c_str() + 5) : any_node;
    const std::vector<memory::Node> nodes = host_nodes();
    const memory::Node* const found = memory::find_node(nodes, node);
    if (numa != "any" && (found == nullptr || !found->memory))
      return at.skip("there is no NUMA node with memory for this process", "numa", "numa=any,node");
    const std::string& direction = at.choice("direction");
    const bool in = direction != "out", out = direction != "in", pinned = at.choice("memory") == "pinned";
    const memory::Headroom room = memory::read_headroom();
    if (!device->holds(2 * bytes, bytes) || 4 * bytes > room.bytes)
      return at.skip(4 * bytes > room.bytes
                         ? std::to_string(bytes) + " bytes of the host's memory: " + room.by + " leaves too little"
                         : device->lacks("transfers of " + std::to_string(bytes) + " bytes"),
                     "bytes", "bytes up to " + std::to_string(std::min(device->facts().memory / 4, room.bytes / 4)));
    const auto sent = in ? make_side(*device, bytes, pinned, node) : nullptr;
    const auto fetched = out ? make_side(*device, bytes, pinned, node) : nullptr;
    for (const auto& side : {sent, fetched})
      if (side && side->bound && !side->bound->bound && nodes.size() > 1)
        return at.skip("the kernel refuses to bind memory to a NUMA node", "numa", "numa=any");
    const std::uint64_t seed = at.seed();
    if (sent)
      for (std::int64_t each = 0; each < bytes; ++each) sent->here[each] = pattern(each, seed);
    if (fetched) fill<char>(*device, fetched->there, [=](std::int64_t each) { return pattern(each, seed + 99); });
    watch_device(at, device, false);
    const std::int64_t unit = (in ? bytes : 0) + (out ? bytes : 0);
    const auto work = [=](std::int64_t operations) {
      for (; operations > 0; operations -= unit) {
        if (in) device->copy_in(*sent->there, sent->here, bytes, 0, 0);
        if (out) device->copy_out(fetched->here, *fetched->there, bytes, 0, in ? 1 : 0);
        device->finish();
      }
    };
    at.measure("time", work, {.unit = unit});
    if (link_rate(device->facts().bus))
      at.add_metric("link", [=] { return link_rate(device->facts().bus).value_or(0); });
    at.check([=] {
      std::int64_t bad = 0;
      if (fetched) std::memset(fetched->here, 0x5a, static_cast<std::size_t>(bytes));
      work(unit);
      if (fetched) bad += unlike(fetched->here, bytes, seed + 99);
#ifdef ASSAY_BREAK
      if (sent) fill<char>(*device, sent->there, [](std::int64_t) { return 0x5a; });
#endif
      if (sent) bad += wrong<char>(*device, sent->there, [=](std::int64_t each) { return pattern(each, seed); });
      std::string detail = std::to_string(unit) + " bytes compared, " + std::to_string(bad) + " wrong";
      bool placed = true;
      for (const auto& side : {sent, fetched})
        if (side && side->bound) {
          const auto [here, queried] = side->bound->placed(node);
          const bool known = queried > 0, sole = nodes.size() == 1;  // then all memory is on it
          placed = placed && (known ? here == queried : sole);
          detail += ", " +
                    (known ? std::to_string(here) + " of " + std::to_string(queried) + " pages"
                           : std::string("it is not known which pages are")) +
                    " on node " + std::to_string(node);
        }
      return Check{bad == 0 && placed, detail};
    });
  });
}
