#include "devices/device_state.hpp"

#include "devices/amdgpu.hpp"
#include "devices/nvml.hpp"

namespace assay::devices {

void add_reason(std::string& limits, const char* reason) {
  if (limits.find(reason) == std::string::npos) limits += (limits.empty() ? "" : ",") + std::string(reason);
}

std::optional<DeviceState> device_state(const std::string& bus) {
  if (bus.empty()) return std::nullopt;
  if (auto state = nvml_state(bus)) return state;
  return amdgpu_state(bus);
}

}  // namespace assay::devices
