#include "devices/device_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "devices/amdgpu.hpp"
#include "devices/nvml.hpp"

namespace assay::devices {

void add_reason(std::string& limits, const char* reason) {
  if (limits.find(reason) == std::string::npos) limits += (limits.empty() ? "" : ",") + std::string(reason);
}

std::optional<int> count_others(const std::vector<long>& processes) {
  const auto own = std::count(processes.begin(), processes.end(), getpid());
  if (own == 0) {
    std::error_code none;  // the number of the first namespace: PROC_PID_INIT_INO (include/linux/proc_ns.h)
    if (std::filesystem::read_symlink(system_root() + "proc/self/ns/pid", none) != "pid:[4026531836]")
      return std::nullopt;
  }
  return static_cast<int>(static_cast<std::ptrdiff_t>(processes.size()) - own);
}

std::optional<DeviceState> device_state(const std::string& bus) {
  if (bus.empty()) return std::nullopt;
  if (auto state = nvml_state(bus)) return state;
  return amdgpu_state(bus);
}

}  // namespace assay::devices
