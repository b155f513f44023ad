// The other process: forked once, it serves one order after another for messages that are handed to it, and returns
// them where the order says so. Orders lie in a shared mapping; between them it waits in a short spin and then asleep,
// so that it costs nothing while others measure. It ends with the process that started it.
#pragma once

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "files/byte_ring.hpp"
#include "files/ends.hpp"
#include "files/message_pattern.hpp"
#include "timing/children.hpp"

namespace assay::files {

enum class Way { pipe, socket, tcp, shared, readv };

struct Order {
  enum class What { stream, echo, verify, prepare };
  What what = What::prepare;
  Way way = Way::pipe;
  std::size_t bytes = 0, offset = 0;  // of a message; of both buffers' beginning
  std::int64_t count = 0;             // messages
  std::uint64_t seed = 0;
  int cpu = 0;        // where the partner works
  bool apart = true;  // on a hardware thread of its own
};

class Partner {
 public:
  static constexpr std::size_t page = 4096;

  explicit Partner(std::size_t most) : most_(most) {
    void* place = mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) failed("no memory that two processes share");
    common_ = new (place) Common;
    out_ = room();
    in_ = room();
    signal(SIGPIPE, SIG_IGN);
    Both pipe = pipes(), socket = unix_sockets(), tcp;
    try {
      tcp = tcp_sockets();
    } catch (const timing::MeasurementFault& fault) {
      no_tcp_ = fault.what();
    }
    const pid_t here = getpid();
    child_ = fork();
    if (child_ < 0) failed("the system refuses another process");
    const std::size_t own = child_ == 0 ? 1 : 0;
    for (Both* const both : {&pipe, &socket, &tcp}) (*both)[1 - own].shut();
    pipe_ = pipe[own], socket_ = socket[own], tcp_ = tcp[own];
    shared_.emplace(common_->rings[own], common_->rings[1 - own]);
    readv_.emplace(common_->offers[own], common_->offers[1 - own]);
    readv_->with(child_ == 0 ? here : child_);
    if (child_ == 0) serve(here);
    prctl(PR_SET_PTRACER, static_cast<unsigned long>(child_));  // so that a guarded kernel lets it read our memory
    timing::count_as_own(child_);
  }
  ~Partner() {
    kill(child_, SIGKILL);
    while (!gone_ && waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    for (Descriptors* const each : {&pipe_, &socket_, &tcp_}) each->shut();
    munmap(out_, most_ + page);
    munmap(in_, most_ + page);
    munmap(common_, sizeof(Common));
  }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  // Gets both processes ready for messages of this length. Why this way cannot be gone here; "" where it can.
  std::string refused(Order order) {
    order.what = Order::What::prepare;
    touch(order.offset + order.bytes);
    post(order);
    await();
    if (order.way == Way::tcp) return no_tcp_;
    if (order.way != Way::readv) return "";
    const int why = common_->result != 0 ? static_cast<int>(common_->result) : readv_->refused(in_, out_);
    return why == 0 ? "" : std::string("process_vm_readv: ") + std::strerror(why);
  }
  // So many messages, one after another; returns when the partner has the last one.
  void stream(const Order& order) {
    post(order);
    with(order.way, [&](auto& end) {
      for (std::int64_t left = order.count; left > 0; --left) end.send(out_ + order.offset, order.bytes, wait_);
    });
    await();
  }
  // So many messages there and back, each sent when the one before it has returned.
  void echo(const Order& order) {
    post(order);
    with(order.way, [&](auto& end) {
      for (std::int64_t left = order.count; left > 0; --left) {
        end.send(out_ + order.offset, order.bytes, wait_);
        end.receive(in_ + order.offset, order.bytes, wait_);
      }
    });
    await();
  }
  // Bytes that came wrong over so many messages with a pattern each, at the partner and, complemented, on return.
  std::int64_t verify(const Order& order) {
    post(order);
    std::int64_t back = 0;
    with(order.way, [&](auto& end) { back = each_way(end, order, true); });
    await();
    return back + common_->result;
  }
  std::int64_t arrived() const { return common_->arrived; }  // messages of streams and echoes that the partner has had
  std::byte* out() const { return out_; }
  std::byte* in() const { return in_; }

 private:
  struct Common {
    alignas(threads::line_bytes) std::atomic<std::uint32_t> orders{0};
    std::atomic<std::uint32_t> asleep{0};
    Order order;
    alignas(threads::line_bytes) std::atomic<std::uint32_t> done{0};
    std::int64_t result = 0, arrived = 0;
    char fault[160] = {};
    Ring rings[2];
    Offer offers[2];
  };

  std::byte* room() const {  // at the same address in both processes; memory of each one's own once it is touched
    constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* place = mmap(nullptr, most_ + page, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (place == MAP_FAILED) failed("no memory for a message");
    return static_cast<std::byte*>(place);
  }
  void touch(std::size_t bytes) {
    if (bytes <= touched_) return;
    for (std::byte* const each : {out_, in_}) std::memset(each + touched_, 0x5a, bytes - touched_);
    touched_ = bytes;
  }
  template <class Use>
  void with(Way way, const Use& use) {
    if (way == Way::shared) return use(*shared_);
    if (way == Way::readv) return use(*readv_);
    use(way == Way::pipe ? pipe_ : way == Way::socket ? socket_ : tcp_);
  }
  long futex(int what, std::uint32_t value) {
    return syscall(SYS_futex, &common_->orders, what, value, nullptr, nullptr, 0);
  }

  // --- the process that orders --------------------------------------------------------------------------------------
  void post(const Order& order) {
    wait_ = Patience(order.apart ? 2000 : 0, [this] { ask(); });
    common_->order = order;
    ++common_->orders;
    if (common_->asleep.load() != 0) futex(FUTEX_WAKE, 1);
  }
  void await() {
    wait_.until([&] { return common_->done.load(std::memory_order_acquire) == common_->orders.load(); });
    if (common_->fault[0]) throw timing::MeasurementFault(common_->fault);
  }
  void ask() {
    gone_ = gone_ || waitpid(child_, nullptr, WNOHANG) == child_;
    if (gone_)
      throw timing::MeasurementFault(common_->fault[0] ? common_->fault
                                                       : "the process that messages went to has ended");
  }

  // --- the other one ------------------------------------------------------------------------------------------------
  [[noreturn]] void serve(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    int cpu = -1;
    bool spins = false;
    for (std::uint32_t seen = 0;; ++seen) {
      next(seen, spins);
      const Order order = common_->order;
      spins = order.apart;
      wait_ = Patience(order.apart ? 2000 : 0);
      if (std::exchange(cpu, order.cpu) != order.cpu) threads::pin(order.cpu);
      try {
        with(order.way, [&](auto& end) { obey(end, order); });
      } catch (const std::exception& fault) {
        std::snprintf(common_->fault, sizeof common_->fault, "%s", fault.what());
        _exit(1);
      }
      common_->done.store(seen + 1, std::memory_order_release);
    }
  }
  void next(std::uint32_t seen, bool spin) {
    for (int spins = spin ? 2000 : 0; spins > 0 && common_->orders.load(std::memory_order_acquire) == seen; --spins)
      threads::pause();
    while (common_->orders.load() == seen) {
      common_->asleep.store(1);
      if (common_->orders.load() == seen) futex(FUTEX_WAIT, seen);
      common_->asleep.store(0);
    }
  }
  template <class End>
  void obey(End& end, const Order& order) {
    if (order.what == Order::What::prepare) {
      touch(order.offset + order.bytes);
      common_->result = order.way == Way::readv ? readv_->refused(in_, out_) : 0;
    } else if (order.what == Order::What::verify) {
      common_->result = each_way(end, order, false);
    } else {
      for (std::int64_t left = order.count; left > 0; --left) {
        end.receive(in_ + order.offset, order.bytes, wait_);
        if (order.what == Order::What::echo) end.send(out_ + order.offset, order.bytes, wait_);
      }
      common_->arrived += order.count;
    }
  }

  // Messages with a pattern each, returned complemented; the bytes that came wrong to this process.
  template <class End>
  std::int64_t each_way(End& end, const Order& order, bool first) {
    std::byte *const out = out_ + order.offset, *const in = in_ + order.offset;
    std::int64_t bad = 0;
    const std::byte mine{first ? std::uint8_t{0} : std::uint8_t{255}};
    for (std::int64_t message = 0; message < order.count; ++message) {
      const auto number = static_cast<std::uint64_t>(message);
      std::memset(in, 0x5c, order.bytes);
      fill(out, order.bytes, order.seed, number, mine);
      if (first) end.send(out, order.bytes, wait_);
      end.receive(in, order.bytes, wait_);
      if (!first) end.send(out, order.bytes, wait_);
      bad += wrong(in, order.bytes, order.seed, number, ~mine);
    }
    return bad;
  }

  std::size_t most_, touched_ = 0;
  Common* common_ = nullptr;
  std::byte *out_ = nullptr, *in_ = nullptr;
  Descriptors pipe_, socket_, tcp_;
  std::optional<SharedMemory> shared_;
  std::optional<ReadByKernel> readv_;
  std::string no_tcp_;
  Patience wait_;
  pid_t child_ = 0;
  bool gone_ = false;
};

}  // namespace assay::files
