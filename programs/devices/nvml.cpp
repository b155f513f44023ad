#include "devices/nvml.hpp"

#include <algorithm>

#include "devices/library.hpp"

namespace assay::devices {
namespace {

struct Nvml {
  Library library{"libnvidia-ml.so.1"};
  int (*start)() = nullptr;
  int (*by_bus)(const char*, void**) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*most)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*processes)(void*, unsigned*, void*) = nullptr;
  bool started = false;
  Nvml() {
    library.find(start, "nvmlInit_v2");
    library.find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    library.find(clock, "nvmlDeviceGetClockInfo");
    library.find(most, "nvmlDeviceGetMaxClockInfo", true);
    library.find(power, "nvmlDeviceGetPowerUsage", true);
    library.find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", true);
    library.find(processes, "nvmlDeviceGetComputeRunningProcesses_v3", true);
    started = library.here() && start() == 0;
  }
};

constexpr int clock_of_multiprocessors = 1, too_small = 7;

struct NvmlProcess {  // nvmlProcessInfo_t
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

std::string limits_of(unsigned long long reasons) {
  constexpr struct {
    unsigned long long bits;
    const char* reason;
  } known[] = {{0x4, "power"}, {0x20 | 0x40, "temperature"}, {0x8 | 0x80, "hardware"}};
  std::string limits;
  for (const auto& each : known)
    if (reasons & each.bits) add_reason(limits, each.reason);
  return limits;
}

std::optional<std::vector<long>> processes_on(const Nvml& with, void* device) {
  if (with.processes == nullptr) return std::nullopt;
  std::vector<NvmlProcess> found(64);
  auto count = static_cast<unsigned>(found.size());
  int error = with.processes(device, &count, found.data());
  if (error == too_small) {
    found.resize(count += 64);
    error = with.processes(device, &count, found.data());
  }
  if (error != 0) return std::nullopt;
  std::vector<long> numbers;
  for (unsigned at = 0; at < count; ++at) numbers.push_back(found[at].pid);
  return numbers;
}

}  // namespace

std::optional<DeviceState> nvml_state(const std::string& bus) {
  static auto* const with = new Nvml;
  void* device = nullptr;
  if (!with->started || with->by_bus(bus.c_str(), &device) != 0) return std::nullopt;
  DeviceState state;
  unsigned megahertz = 0, most = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  if (with->clock(device, clock_of_multiprocessors, &megahertz) != 0) return std::nullopt;
  state.clock = 1e6 * megahertz;
  if (with->most != nullptr && with->most(device, clock_of_multiprocessors, &most) == 0) state.most = 1e6 * most;
  if (with->power != nullptr && with->power(device, &milliwatts) == 0) state.power = 1e-3 * milliwatts;
  if (with->reasons != nullptr && with->reasons(device, &reasons) == 0) state.limits = limits_of(reasons);
  if (const auto processes = processes_on(*with, device)) state.others = count_others(*processes);
  return state;
}

}  // namespace assay::devices
