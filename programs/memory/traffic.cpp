#include "memory/traffic.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "timing/topology.hpp"

namespace assay::memory {

namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "event=0x04,umask=0x03" as perf's number: the event in bits 0 to 7, its mask in 8 to 15, as all uncore_imc have them.
std::uint64_t config_of(const std::string& text) {
  std::uint64_t config = 0;
  for (const auto& [key, shift] : {std::pair{"event=", 0}, std::pair{"umask=", 8}})
    if (const std::size_t at = text.find(key); at != std::string::npos)
      config |= std::strtoull(text.c_str() + at + std::strlen(key), nullptr, 0) << shift;
  return config;
}

int open_event(std::int64_t type, std::uint64_t config, std::int64_t cpu) {
  perf_event_attr about{};
  about.size = sizeof about;
  about.type = static_cast<std::uint32_t>(type);
  about.config = config;
  return static_cast<int>(syscall(SYS_perf_event_open, &about, -1, static_cast<int>(cpu), -1, 0));
}

}  // namespace

TrafficCounters::TrafficCounters(const std::string& system, const Open& open) {
  const std::filesystem::path devices = system + "sys/bus/event_source/devices";
  std::error_code missing;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(devices, missing))
    if (entry.path().filename().string().starts_with("uncore_imc")) found.push_back(entry.path());
  for (const auto& device : found) {
    const std::int64_t type = std::strtoll(first_line(device / "type").c_str(), nullptr, 10);
    for (const auto& [name, writes] : {std::pair{"cas_count_read", false}, std::pair{"cas_count_write", true},
                                       std::pair{"data_read", false}, std::pair{"data_write", true}}) {
      const std::string event = first_line(device / "events" / name);
      if (event.empty()) continue;
      const double mebibytes =
          std::strtod(first_line(device / "events" / (std::string(name) + ".scale")).c_str(), nullptr);
      for (const std::int64_t cpu : timing::cpu_list(first_line(device / "cpumask"))) {
        const int file = (open ? open : Open(open_event))(type, config_of(event), cpu);
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
