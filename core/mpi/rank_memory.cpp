#include "mpi/rank_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace assay::mpirun {
namespace {

constexpr std::size_t most_spans = 512;  // of a call; the system takes 1,024

[[noreturn]] void refuse(const abi::Span& at, int why) {
  char address[32];
  std::snprintf(address, sizeof address, "%#llx", static_cast<unsigned long long>(at.address));
  if (why == EPERM || why == ENOSYS)
    throw Unreachable("this system does not let Assay reach the memory of its own processes (process_vm_readv: " +
                      std::string(std::strerror(why)) +
                      "; see /proc/sys/kernel/yama/ptrace_scope), which one-sided communication needs");
  throw Unreachable("its memory of " + std::to_string(at.bytes) + " bytes at " + address +
                    " cannot be reached: " + std::strerror(why));
}

// `moves`: process_vm_readv or process_vm_writev. A call may move less than it is asked to.
template <class Moves>
void move(pid_t process, const Spans& spans, std::byte* here, Moves moves) {
  std::array<iovec, most_spans> there;
  std::size_t first = 0;
  std::uint64_t within = 0;  // bytes of the first one that have been moved
  while (first < spans.size()) {
    const std::size_t count = std::min(most_spans, spans.size() - first);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t before = i == 0 ? within : 0;
      there[i] = {reinterpret_cast<void*>(spans[first + i].address + before), spans[first + i].bytes - before};
      bytes += there[i].iov_len;
    }
    const iovec local{here, bytes};
    const ssize_t moved = bytes == 0 ? 0 : moves(process, &local, 1, there.data(), count, 0);
    if (moved < 0 || (moved == 0 && bytes > 0)) refuse(spans[first], moved < 0 ? errno : EFAULT);
    here += moved;
    within += static_cast<std::uint64_t>(moved);
    while (first < spans.size() && within >= spans[first].bytes) within -= spans[first++].bytes;
  }
}

}  // namespace

void read_memory(pid_t process, const Spans& spans, std::byte* into) { move(process, spans, into, process_vm_readv); }
void write_memory(pid_t process, const Spans& spans, const std::byte* from) {
  move(process, spans, const_cast<std::byte*>(from), process_vm_writev);
}

}  // namespace assay::mpirun
