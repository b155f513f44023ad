#include "memory/traffic.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "timing/kernel_counters.hpp"
#include "timing/topology.hpp"

namespace assay::memory {

TrafficCounters::TrafficCounters(const std::string& system, const timing::OpenCounter& open) {
  const std::filesystem::path devices = system + "sys/bus/event_source/devices";
  std::error_code missing;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(devices, missing))
    if (entry.path().filename().string().starts_with("uncore_imc")) found.push_back(entry.path());
  for (const auto& device : found) {
    const std::int64_t type = std::strtoll(timing::line_of_file((device / "type").string()).c_str(), nullptr, 10);
    for (const auto& [name, writes] : {std::pair{"cas_count_read", false}, std::pair{"cas_count_write", true},
                                       std::pair{"data_read", false}, std::pair{"data_write", true}}) {
      const std::string event = timing::line_of_file((device / "events" / name).string());
      if (event.empty()) continue;
      const double mebibytes = std::strtod(
          timing::line_of_file((device / "events" / (std::string(name) + ".scale")).string()).c_str(), nullptr);
      for (const std::int64_t cpu : timing::cpu_list(timing::line_of_file((device / "cpumask").string()))) {
        const int file = (open ? open : timing::open_counter)(type, timing::counter_config(event), cpu);
        if (file < 0) {
          why_ = "the memory controllers' counters cannot be read: " + std::string(std::strerror(errno));
          return;
        }
        counters_.push_back({file, mebibytes > 0 ? mebibytes * 0x1p20 : 64, writes});
      }
    }
  }
  if (counters_.empty()) why_ = "the kernel shows no counters of the memory controllers";
}

TrafficCounters::~TrafficCounters() {
  for (const Counter& each : counters_) close(each.file);
}

Traffic TrafficCounters::read() const {
  Traffic traffic;
  for (const Counter& each : counters_) {
    std::uint64_t count = 0;
    if (::read(each.file, &count, sizeof count) != sizeof count) continue;
    (each.writes ? traffic.written : traffic.read) += static_cast<double>(count) * each.bytes;
  }
  return traffic;
}

}  // namespace assay::memory
