#include "devices/amdgpu.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace assay::devices {
namespace {

std::optional<double> number_in(const std::filesystem::path& file) {
  double value = 0;
  std::ifstream from(file);
  return from >> value ? std::optional(value) : std::nullopt;
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {  // they may go away meanwhile
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  return found;
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
std::optional<std::string> limits_of(const std::filesystem::path& file) {
  constexpr std::size_t size = 120, reasons_at = 112;
  constexpr unsigned char format = 1, content = 3;
  char table[size] = {};
  std::ifstream(file, std::ios::binary).read(table, size);
  if (table[2] != format || table[3] != content) return std::nullopt;
  std::uint64_t reasons = 0;
  std::memcpy(&reasons, table + reasons_at, sizeof reasons);
  constexpr std::uint64_t unknown = ~std::uint64_t{0};
  if (reasons == unknown) return std::nullopt;
  std::string limits;
  if (reasons & 0xffffffff) add_reason(limits, "power");  // of the package (0 to 7), of currents (16 to 23)
  if (reasons >> 32 & 0xfff) add_reason(limits, "temperature");
  if (reasons >> 44 & 0xf) add_reason(limits, "hardware");  // regulators that are too hot, and a brake from outside
  return limits;
}

// The number by which the kernel's compute driver (kfd) knows the device at this PCI address, "" where it has none:
// `location_id` is bus, device and function.
std::string kfd_number(const std::string& bus) {
  unsigned domain = 0, at = 0, device = 0, function = 0;
  if (std::sscanf(bus.c_str(), "%x:%x:%x.%x", &domain, &at, &device, &function) != 4) return "";
  const unsigned location = at << 8 | device << 3 | function;
  for (const auto& node : entries(system_root() + "sys/class/kfd/kfd/topology/nodes")) {
    std::ifstream properties(node / "properties");
    unsigned found_location = 0, found_domain = 0;
    std::string key;
    for (unsigned long long value = 0; properties >> key >> value;) {
      if (key == "location_id") found_location = static_cast<unsigned>(value);
      if (key == "domain") found_domain = static_cast<unsigned>(value);
    }
    std::string number;
    std::ifstream(node / "gpu_id") >> number;
    if (found_location == location && found_domain == domain && number != "0") return number;
  }
  return "";
}

// The processes with a queue on the device, by the files of kfd.
std::optional<std::vector<long>> processes_on(const std::string& bus) {
  const std::filesystem::path all = system_root() + "sys/class/kfd/kfd/proc";
  const std::string number = kfd_number(bus);
  std::error_code none;
  if (number.empty() || !std::filesystem::is_directory(all, none)) return std::nullopt;
  std::vector<long> found;
  for (const auto& process : entries(all)) {
    bool on_it = false;
    for (const auto& queue : entries(process / "queues")) {
      std::string of;
      std::ifstream(queue / "gpuid") >> of;
      on_it = on_it || of == number;
    }
    if (on_it) found.push_back(std::atol(process.filename().c_str()));
  }
  return found;
}

}  // namespace

std::string system_root() {
  const char* const stated = std::getenv("ASSAY_DEVICE_SYSTEM");
  return stated != nullptr && *stated != '\0' ? stated : "/";
}

std::optional<DeviceState> amdgpu_state(const std::string& bus) {
  const std::filesystem::path device = system_root() + "sys/bus/pci/devices/" + bus;
  for (const auto& each : entries(device / "hwmon")) {
    DeviceState state;
    state.clock = number_in(each / "freq1_input").value_or(0);
    if (state.clock <= 0) continue;
    state.most = highest_clock(device / "pp_dpm_sclk");
    for (const char* file : {"power1_average", "power1_input"})
      if (const auto microwatts = number_in(each / file); microwatts && !state.power) state.power = 1e-6 * *microwatts;
    state.limits = limits_of(device / "gpu_metrics");
    if (const auto processes = processes_on(bus)) state.others = count_others(*processes);
    return state;
  }
  return std::nullopt;
}

}  // namespace assay::devices
