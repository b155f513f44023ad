#include "timing/kernel_counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace assay::timing {

std::uint64_t counter_config(const std::string& text) {
  std::uint64_t config = 0;
  for (const auto& [key, shift] : {std::pair{"event=", 0}, std::pair{"umask=", 8}})
    if (const std::size_t at = text.find(key); at != std::string::npos)
      config |= std::strtoull(text.c_str() + at + std::strlen(key), nullptr, 0) << shift;
  return config;
}

int open_counter(std::int64_t type, std::uint64_t config, std::int64_t cpu) {
  perf_event_attr about{};
  about.size = sizeof about;
  about.type = static_cast<std::uint32_t>(type);
  about.config = config;
  return static_cast<int>(syscall(SYS_perf_event_open, &about, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace assay::timing
