// A kernel with as many NUMA nodes as asked for, for programs that bind memory by system calls: before the C library's
// `syscall` (LD_PRELOAD). mbind is written down and done nothing; get_mempolicy answers by what was written down.
// ASSAY_SHIM_NUMA: "refuses" mbind, memory lies "elsewhere", or get_mempolicy is
// "silent".
#include <dlfcn.h>
#include <sys/syscall.h>

#include <bit>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

namespace {

bool chosen(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM_NUMA");
  return stated != nullptr && std::strcmp(stated, what) == 0;
}
std::map<std::uintptr_t, std::pair<std::uintptr_t, int>>& bound() {  // by first byte: behind the last, and the node
  static auto* const all = new std::map<std::uintptr_t, std::pair<std::uintptr_t, int>>;
  return *all;
}

}  // namespace

extern "C" long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long word[6];
  for (long& each : word) each = va_arg(list, long);
  va_end(list);
  if (number == SYS_mbind) {
    if (chosen("refuses")) return -1;
    const auto* mask = reinterpret_cast<const unsigned long*>(word[3]);
    const auto from = static_cast<std::uintptr_t>(word[0]);
    int node = 0;
    while (mask[node / 64] == 0) node += 64;
    bound()[from] = {from + static_cast<std::uintptr_t>(word[1]), node + std::countr_zero(mask[node / 64])};
    return 0;
  }
  if (number == SYS_get_mempolicy) {
    if (chosen("silent")) return -1;
    const auto page = static_cast<std::uintptr_t>(word[3]);
    auto found = bound().upper_bound(page);
    const bool known = found != bound().begin() && (--found, page < found->second.first);
    *reinterpret_cast<int*>(word[0]) = !known                ? 0
                                       : chosen("elsewhere") ? found->second.second + 1
                                                             : found->second.second;
    return 0;
  }
  static auto* const own = reinterpret_cast<long (*)(long, ...)>(dlsym(RTLD_NEXT, "syscall"));
  return own(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
