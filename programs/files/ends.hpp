// Ends of the other ways by which a process hands bytes to another: a pair of file descriptors (pipe, Unix socket,
// TCP), the other's memory read by the kernel (process_vm_readv), and, as what bounds them all, a copy within one
// process. Each sends and receives whole messages.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "files/waiting.hpp"
#include "timing/faults.hpp"

namespace assay::files {

[[noreturn]] inline void failed(const char* what) {
  throw timing::MeasurementFault(std::string(what) + ": " + std::strerror(errno));
}

class Descriptors {
 public:
  Descriptors(int out = -1, int in = -1) : out_(out), in_(in) {}

  void send(const std::byte* from, std::size_t bytes, const Patience&) const {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t part = write(out_, from + done, bytes - done);
      if (part < 0 && errno != EINTR) failed("cannot send to the other process");
      done += static_cast<std::size_t>(part > 0 ? part : 0);
    }
  }
  void receive(std::byte* into, std::size_t bytes, const Patience&) const {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t part = read(in_, into + done, bytes - done);
      if (part == 0) throw timing::MeasurementFault("the other process has ended");
      if (part < 0 && errno != EINTR) failed("cannot receive from the other process");
      done += static_cast<std::size_t>(part > 0 ? part : 0);
    }
#ifdef ASSAY_BREAK
    into[bytes / 2] ^= std::byte{1};
#endif
  }
  void shut() {
    for (int* const end : {&out_, &in_})
      if (*end >= 0) close(*end);
    out_ = in_ = -1;
  }

 private:
  int out_, in_;
};

using Both = std::array<Descriptors, 2>;  // the end of the process that starts the other, and the other's

inline Both pipes() {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) failed("no pipe");
  return {Descriptors(there[1], back[0]), Descriptors(back[1], there[0])};
}

inline Both of_sockets(int one, int other) { return {Descriptors(one, dup(one)), Descriptors(other, dup(other))}; }

inline Both unix_sockets() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) failed("no Unix socket");
  return of_sockets(pair[0], pair[1]);
}

// A connection to 127.0.0.1 that waits for no more bytes to fill a packet (TCP_NODELAY).
inline Both tcp_sockets() {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const int door = socket(AF_INET, SOCK_STREAM, 0), one = socket(AF_INET, SOCK_STREAM, 0);
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (door < 0 || one < 0 || bind(door, address, size) != 0 || listen(door, 1) != 0 ||
      getsockname(door, address, &size) != 0 || connect(one, address, size) != 0)
    failed("no TCP connection to 127.0.0.1");
  const int other = accept(door, nullptr, nullptr);
  if (other < 0) failed("no TCP connection to 127.0.0.1");
  close(door);
  const int yes = 1;
  for (const int end : {one, other})
    if (setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) failed("no TCP_NODELAY");
  return of_sockets(one, other);
}

// What one process offers the other: where in its memory so many bytes lie. They stay until they were taken.
struct Offer {
  alignas(threads::line_bytes) std::atomic<std::uint64_t> offered{0};
  const std::byte* from = nullptr;
  alignas(threads::line_bytes) std::atomic<std::uint64_t> taken{0};
};

class ReadByKernel {
 public:
  ReadByKernel(Offer& out, Offer& in) : out_(&out), in_(&in) {}
  void with(pid_t other) { other_ = other; }

  void send(const std::byte* from, std::size_t, const Patience& wait) {
    out_->from = from;
    out_->offered.store(++sent_, std::memory_order_release);
    wait.until([&] { return out_->taken.load(std::memory_order_acquire) == sent_; });
  }
  void receive(std::byte* into, std::size_t bytes, const Patience& wait) {
    wait.until([&] { return in_->offered.load(std::memory_order_acquire) != got_; });
    if (!copy(into, in_->from, bytes)) failed("process_vm_readv");
#ifdef ASSAY_BREAK
    into[bytes / 2] ^= std::byte{1};
#endif
    in_->taken.store(++got_, std::memory_order_release);
  }
  // Whether the kernel lets this process read the other's memory, errno where not.
  int refused(std::byte* into, const std::byte* from) const { return copy(into, from, 8) ? 0 : errno; }

 private:
  bool copy(std::byte* into, const std::byte* from, std::size_t bytes) const {
    for (std::size_t done = 0; done < bytes;) {
      const iovec here{into + done, bytes - done};
      const iovec there{const_cast<std::byte*>(from) + done, bytes - done};
      const ssize_t part = process_vm_readv(other_, &here, 1, &there, 1, 0);
      if (part <= 0) return false;
      done += static_cast<std::size_t>(part);
    }
    return true;
  }
  Offer *out_, *in_;
  pid_t other_ = 0;
  std::uint64_t sent_ = 0, got_ = 0;
};

}  // namespace assay::files
