// The rate and the time at which one process hands data to another on this host: through a pipe, a Unix socket, a TCP
// connection to 127.0.0.1, a ring in shared memory, or read out of its memory by the kernel (process_vm_readv); and, as
// what bounds them, a copy within one process. Whoever serves files to others goes through one of these: of the Paragon
// the rate of its operating system's own messages (NORMA IPC) limits the parallel file system (Dunigan 1995, section
// 4).
//
// The stream is one message after another until the partner has the last one; the round trip is a message there and
// back. Pipes and sockets have the kernel's own buffers, at the size in which it gives them.
#include "files/partner.hpp"
#include "threads/processors.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "handover"
title = "Hand-over between processes"
part = "files"
kind = "node"
summary = "rate and time at which one process hands data to another: pipe, Unix socket, TCP, shared memory, process_vm_readv"
cost = "round trip: 2 messages of `bytes` bytes; stream: one; a copy within one process reads and writes each byte once"
check = "three messages of each length go there with a pattern of seed, message and place, which the partner compares byte by byte, and return complemented; the partner counts all messages of the measured loops"
source = "Dunigan 1995, section 4, Figure 4.2 (NORMA IPC); Dunigan, Communication performance of the Intel Touchstone DELTA mesh, section 4 (TCP by length)"
published = ["norma-ipc", "tcp"]
model = "alpha_beta"
slice_quick = 0.002
slice_standard = 0.004
slice_full = 0.01
blocks_quick = 2
blocks_standard = 3
blocks_full = 4

[parameter.bytes]
type = "integer"
default = [8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304]
full = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]
min = 1
max = 268435456
unit = "B"
sweep = true
help = "length of a message"

[parameter.method]
type = "choice"
default = ["pipe", "socket", "tcp", "shared", "readv", "copy"]
choices = ["pipe", "socket", "tcp", "shared", "readv", "copy"]
sweep = true
help = "socket: Unix stream socket; tcp: connection to 127.0.0.1, TCP_NODELAY; shared: ring of 256 KiB in a shared mapping; readv: process_vm_readv out of the other's memory; copy: within one process, which bounds the others"

[parameter.hardware_threads]
type = "integer"
default = "available"
full = "each"
words = ["available", "each"]
min = 1
max = 2
sweep = true
help = "1: both processes are held on one hardware thread; 2: each on its own, of two cores where there are; available: 2 where this process may use as many; each: 1, and 2 where available"

[metric.round_trip]
unit = "s"
help = "from the sending of a message to the end of its return"

[metric.message]
unit = "s"
help = "time per message of a stream"

[headline.rate]
figure = "rate"
where = "method=shared"
title = "hand-over in shared memory ({bytes}), greatest rate"
says = "hands data from process to process in shared memory at up to"
bound = "handed_copy"
advice = "compare the ways of handing over in the part on files"
order = 1

[headline.pipe_rate]
figure = "rate"
where = "method=pipe"
title = "hand-over by pipe ({bytes}), greatest rate"
bound = "handed_copy"
advice = "compare the ways of handing over in the part on files"
order = 2

[headline.pipe]
figure = "half_round_trip"
where = "method=pipe bytes=8"
title = "8 bytes by pipe, half a round trip"
order = 3

[row.ipc]
id = "norma-ipc"
method = "pipe"
bytes = 1048576

[row.tcp]
id = "tcp"
method = "tcp"

[figure.rate]
metric = "message"
formula = "bytes / value"
unit = "B/s"
better = "higher"
headline = true
help = "of a stream of messages, one way"

[figure.half_round_trip]
metric = "round_trip"
formula = "value / 2"
unit = "s"
better = "lower"
headline = true
help = "one way: half a round trip; start-up and half-performance length are fitted to it"

[figure.message_rate]
metric = "message"
formula = "1 / value"
unit = "1/s"
better = "higher"
help = "messages per second of a stream"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using files::Order;

std::int64_t usable() { return std::min(2, threads::find_processors().usable()); }
const bool named = name_values("available", [] { return std::vector{usable()}; }) && name_values("each", [] {
                     return usable() == 1 ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2};
                   });

constexpr std::int64_t checked = 3;  // messages per case
constexpr std::size_t most_bytes = 268435456;

// `times` copies of a message within this process, there and back in turn.
void copy(std::byte* one, std::byte* other, std::size_t bytes, std::int64_t times) {
  for (; times > 0; --times) {
    std::memcpy(other, one, bytes);
    touched();
    std::swap(one, other);
  }
#ifdef ASSAY_BREAK
  one[bytes / 2] ^= std::byte{1};
#endif
}

void measure_copy(Case& at, const std::shared_ptr<files::Partner>& partner, const Order& order) {
  std::byte *const out = partner->out() + order.offset, *const in = partner->in() + order.offset;
  const std::size_t bytes = order.bytes;
  at.measure("round_trip", [=](std::int64_t n) { copy(out, in, bytes, 2 * n); });
  at.measure("message", [=](std::int64_t n) { copy(out, in, bytes, n); });
  at.check([=, keep = partner] {
    files::fill(out, bytes, order.seed, 0, std::byte{0});
    std::memset(in, 0x5c, bytes);
    copy(out, in, bytes, 1);
    const std::int64_t bad = files::wrong(in, bytes, order.seed, 0, std::byte{0});
    return Check{bad == 0, std::to_string(bytes) + " bytes copied, " + std::to_string(bad) + " wrong"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  std::shared_ptr<files::Partner> partner;
  auto messages = std::make_shared<std::int64_t>(0);
  return run_program(record, argc, argv, [&](Case& at) {
    const auto wanted = static_cast<std::size_t>(at.integer("hardware_threads"));
    if (static_cast<std::int64_t>(wanted) > processors.usable())
      return at.skip("two hardware threads: this process may use one");
    if (!partner) {
      partner = std::make_shared<files::Partner>(most_bytes);
      // Where this process can be held, its partner can be as well.
      const bool held = threads::pin(processors.cpus[processors.usable() > 1 ? 1 : 0]);
      if (!threads::pin(processors.cpus[0]) || !held)
        at.warn("the processes could not be held on their hardware threads: they may have shared one");
    }
    static const std::vector<std::string> ways = {"pipe", "socket", "tcp", "shared", "readv"};
    const auto way = std::ranges::find(ways, at.choice("method"));
    Order order;
    order.bytes = static_cast<std::size_t>(at.integer("bytes"));
    order.offset = 8 * (at.seed() % (files::Partner::page / 8));
    order.seed = at.seed();
    order.cpu = processors.cpus[wanted - 1];
    order.apart = wanted == 2;
    if (way != ways.end()) order.way = static_cast<files::Way>(way - ways.begin());
    if (const std::string why = partner->refused(order); !why.empty()) return at.skip(at.choice("method") + ": " + why);
    if (way == ways.end()) return measure_copy(at, partner, order);
    const auto with = [order](Order::What what, std::int64_t count) {
      Order whole = order;
      whole.what = what;
      whole.count = count;
      return whole;
    };
    at.measure("round_trip", [=, partner = partner](std::int64_t n) {
      partner->echo(with(Order::What::echo, n));
      *messages += n;
    });
    at.measure("message", [=, partner = partner](std::int64_t n) {
      partner->stream(with(Order::What::stream, n));
      *messages += n;
    });
    at.check([=, partner = partner] {
      const std::int64_t bad = partner->verify(with(Order::What::verify, checked));
      const std::int64_t lost = *messages - partner->arrived();
      return Check{bad == 0 && lost == 0, std::to_string(checked) + " messages of " + std::to_string(order.bytes) +
                                              " bytes there and back, " + std::to_string(bad) + " bytes wrong; of " +
                                              std::to_string(*messages) + " measured " + std::to_string(lost) +
                                              " missing"};
    });
  });
}
