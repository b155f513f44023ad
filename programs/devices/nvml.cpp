#include "devices/nvml.hpp"

#include "devices/library.hpp"

namespace assay::devices {
namespace {

struct Nvml {
  Library library{"libnvidia-ml.so.1"};
  int (*start)() = nullptr;
  int (*by_bus)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*processes)(void*, unsigned*, void*) = nullptr;
  bool started = false;
  Nvml() {
    library.find(start, "nvmlInit_v2");
    library.find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(clock, "nvmlDeviceGetClockInfo");
    library.find(power, "nvmlDeviceGetPowerUsage", true);
    library.find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", true);
    library.find(processes, "nvmlDeviceGetComputeRunningProcesses_v3", true);
    started = library.here() && start() == 0;
  }
};

constexpr int clock_of_multiprocessors = 1, too_small = 7;

}  // namespace

std::string held_by(std::uint64_t reasons) {
  constexpr struct {
    std::uint64_t bit;
    const char* words;
  } known[] = {{0x4, "its power cap"},
               {0x8, "a hardware slowdown"},
               {0x20, "its temperature"},
               {0x40, "its temperature (hardware)"},
               {0x80, "a power brake from outside"}};
  std::string text;
  for (const auto& each : known)
    if (reasons & each.bit) text += (text.empty() ? "" : ", ") + std::string(each.words);
  return text;
}

std::optional<DeviceState> nvml_state(const std::string& bus) {
  static auto* const with = new Nvml;
  void* device = nullptr;
  if (!with->started || with->by_bus(bus.c_str(), &device) != 0) return std::nullopt;
  DeviceState state;
  unsigned megahertz = 0, milliwatts = 0, count = 0;
  unsigned long long reasons = 0;
  if (with->clock(device, clock_of_multiprocessors, &megahertz) != 0) return std::nullopt;
  state.clock = 1e6 * megahertz;
  if (with->power != nullptr && with->power(device, &milliwatts) == 0) state.power = 1e-3 * milliwatts;
  if (with->reasons != nullptr && with->reasons(device, &reasons) == 0) state.held = reasons;
  if (with->processes != nullptr) {
    const int error = with->processes(device, &count, nullptr);
    if (error == 0 || error == too_small) state.processes = static_cast<int>(count);
  }
  return state;
}

}  // namespace assay::devices
