// io_uring by its system calls alone (io_uring_setup(2), io_uring_enter(2)): up to `depth` reads or writes in flight of
// one thread. `refused` says what the kernel answered where there is none (an old kernel, seccomp, a sysctl).
#pragma once

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace assay::files {

class Ring {
 public:
  explicit Ring(unsigned depth) {
    io_uring_params about{};
    ring_ = static_cast<int>(syscall(SYS_io_uring_setup, depth, &about));
    if (ring_ < 0) {
      refused_ = std::strerror(errno);
      return;
    }
    const std::size_t sent = about.sq_off.array + about.sq_entries * sizeof(unsigned);
    const std::size_t done = about.cq_off.cqes + about.cq_entries * sizeof(io_uring_cqe);
    rings_ = map(std::max(sent, done), IORING_OFF_SQ_RING);
    requests_ = static_cast<io_uring_sqe*>(map(about.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    if (!(about.features & IORING_FEAT_SINGLE_MMAP) || !rings_ || !requests_) {
      refused_ = "it is older than Linux 5.4";
      return;
    }
    tail_ = at(about.sq_off.tail);
    mask_ = *at(about.sq_off.ring_mask);
    array_ = at(about.sq_off.array);
    done_head_ = at(about.cq_off.head);
    done_tail_ = at(about.cq_off.tail);
    done_mask_ = *at(about.cq_off.ring_mask);
    done_ = reinterpret_cast<io_uring_cqe*>(static_cast<char*>(rings_) + about.cq_off.cqes);
  }
  ~Ring() {
    if (ring_ >= 0) close(ring_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  const std::string& refused() const { return refused_; }

  void ask(bool write, int file, void* buffer, std::int64_t bytes, std::int64_t offset, std::uint64_t which) {
    const unsigned tail = *tail_, slot = tail & mask_;
    io_uring_sqe& request = requests_[slot];
    std::memset(&request, 0, sizeof request);
    request.opcode = write ? IORING_OP_WRITE : IORING_OP_READ;
    request.fd = file;
    request.addr = reinterpret_cast<std::uintptr_t>(buffer);
    request.len = static_cast<unsigned>(bytes);
    request.off = static_cast<std::uint64_t>(offset);
    request.user_data = which;
    array_[slot] = slot;
    std::atomic_ref(*tail_).store(tail + 1, std::memory_order_release);
    ++unsent_;
  }
  // Sends what was asked and waits for one answer: which, and its result (bytes, or a negative errno).
  std::pair<std::uint64_t, std::int64_t> answer() {
    while (std::atomic_ref(*done_tail_).load(std::memory_order_acquire) == *done_head_ || unsent_ > 0) {
      const bool wait = std::atomic_ref(*done_tail_).load(std::memory_order_acquire) == *done_head_;
      const long sent =
          syscall(SYS_io_uring_enter, ring_, unsent_, wait ? 1 : 0, wait ? IORING_ENTER_GETEVENTS : 0, nullptr, 0);
      if (sent >= 0) unsent_ -= static_cast<unsigned>(sent);
      if (sent < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY) return {~std::uint64_t{0}, -errno};
    }
    const unsigned head = *done_head_;
    const io_uring_cqe found = done_[head & done_mask_];
    std::atomic_ref(*done_head_).store(head + 1, std::memory_order_release);
    return {found.user_data, found.res};
  }

 private:
  void* map(std::size_t bytes, std::int64_t which) const {
    void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_, which);
    return found == MAP_FAILED ? nullptr : found;
  }
  unsigned* at(unsigned offset) const { return reinterpret_cast<unsigned*>(static_cast<char*>(rings_) + offset); }

  int ring_ = -1;
  std::string refused_;
  void* rings_ = nullptr;
  io_uring_sqe* requests_ = nullptr;
  io_uring_cqe* done_ = nullptr;
  unsigned *tail_ = nullptr, *array_ = nullptr, *done_head_ = nullptr, *done_tail_ = nullptr;
  unsigned mask_ = 0, done_mask_ = 0, unsent_ = 0;
};

}  // namespace assay::files
