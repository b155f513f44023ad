#include "devices/amdgpu.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace assay::devices {
namespace {

double number_in(const std::filesystem::path& file) {  // 0 where there is none
  double value = 0;
  std::ifstream(file) >> value;
  return value;
}

// The highest state of the list, "1: 1700Mhz *" in a line.
double highest_clock(const std::filesystem::path& file) {
  std::ifstream lines(file);
  double most = 0;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t colon = line.find(':'); colon != std::string::npos)
      most = std::max(most, 1e6 * std::atof(line.c_str() + colon + 1));
  return most;
}

// Of struct gpu_metrics_v1_3 (include/kgd_pp_interface.h): indep_throttle_status, whose bits amdgpu_smu.h has. Tables
// of other revisions have no reasons that are the same for all devices.
std::string limits_of(const std::filesystem::path& file) {
  constexpr std::size_t size = 120, reasons_at = 112;
  constexpr unsigned char format = 1, content = 3;
  char table[size] = {};
  std::ifstream(file, std::ios::binary).read(table, size);
  if (table[2] != format || table[3] != content) return "";
  std::uint64_t reasons = 0;
  std::memcpy(&reasons, table + reasons_at, sizeof reasons);
  constexpr std::uint64_t unknown = ~std::uint64_t{0};
  if (reasons == unknown) return "";
  std::string limits;
  if (reasons & 0xffffffff) add_reason(limits, "power");  // of the package (0 to 7), of currents (16 to 23)
  if (reasons >> 32 & 0xfff) add_reason(limits, "temperature");
  if (reasons >> 44 & 0xf) add_reason(limits, "hardware");  // regulators that are too hot, and a brake from outside
  return limits;
}

}  // namespace

std::string system_root() {
  const char* const stated = std::getenv("ASSAY_DEVICE_SYSTEM");
  return stated != nullptr && *stated != '\0' ? stated : "/";
}

std::optional<DeviceState> amdgpu_state(const std::string& bus) {
  const std::filesystem::path device = system_root() + "sys/bus/pci/devices/" + bus;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator(device / "hwmon", none)) {
    DeviceState state;
    state.clock = number_in(each.path() / "freq1_input");
    if (state.clock <= 0) continue;
    state.most = highest_clock(device / "pp_dpm_sclk");
    state.power = 1e-6 * number_in(each.path() / "power1_average");
    if (state.power <= 0) state.power = 1e-6 * number_in(each.path() / "power1_input");
    state.limits = limits_of(device / "gpu_metrics");
    return state;
  }
  return std::nullopt;
}

}  // namespace assay::devices
