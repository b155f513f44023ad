#include "timing/energy_events.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "timing/topology.hpp"

namespace assay::timing {

std::string perf_devices_folder() {
  const char* const stated = std::getenv("ASSAY_PERF_DEVICES");
  return stated && *stated ? stated : "/sys/bus/event_source/devices";
}

EnergyEvents::EnergyEvents(const std::string& devices, const OpenCounter& open) {
  const std::string device = devices + "/power";
  const std::int64_t type = std::strtoll(line_of_file(device + "/type").c_str(), nullptr, 10);
  for (const std::string_view name : {"energy-pkg", "energy-ram", "energy-psys"}) {
    const std::string at = device + "/events/" + std::string(name);
    const std::string event = line_of_file(at);
    const double joules = std::strtod(line_of_file(at + ".scale").c_str(), nullptr);
    if (event.empty() || line_of_file(at + ".unit") != "Joules" || !(joules > 0)) continue;
    there_ = true;
    for (const std::int64_t cpu : cpu_list(line_of_file(device + "/cpumask"))) {
      const int file = (open ? open : open_counter)(type, counter_config(event), cpu);
      if (file < 0 && refused_ == 0) refused_ = errno ? errno : EINVAL;
      if (file >= 0) open_.push_back({name, file, joules});
    }
  }
  if (refused_ == 0) return;
  for (const Event& each : open_) close(each.file);
  open_.clear();
}

EnergyEvents::~EnergyEvents() {
  for (const Event& each : open_) close(each.file);
}

}  // namespace assay::timing
