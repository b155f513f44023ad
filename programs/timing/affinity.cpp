#include "timing/affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>

namespace assay::timing {

Cpus own_affinity() {
  Cpus cpus;
  for (std::size_t most = 1024; most <= (1U << 20); most *= 4) {  // the kernel refuses a mask shorter than its own
    cpu_set_t* mask = CPU_ALLOC(most);
    const std::size_t size = CPU_ALLOC_SIZE(most);
    const bool known = sched_getaffinity(0, size, mask) == 0;
    for (std::size_t cpu = 0; known && cpu < most; ++cpu)
      if (CPU_ISSET_S(cpu, size, mask)) cpus.push_back(static_cast<std::int64_t>(cpu));
    CPU_FREE(mask);
    if (known) break;
  }
  return cpus;
}

int bind_to(const Cpus& cpus) {
  if (cpus.empty()) return EINVAL;
  const auto most = static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1;
  cpu_set_t* mask = CPU_ALLOC(most);
  const std::size_t size = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(size, mask);
  for (const std::int64_t cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, mask);
  const int error = sched_setaffinity(0, size, mask) == 0 ? 0 : errno;
  CPU_FREE(mask);
  return error;
}

}  // namespace assay::timing
