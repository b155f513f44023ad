// libnvidia-ml.so.1 that is none: what ASSAY_SHIM_NVML names is the state of its one device. "fine": its highest clock,
// nothing holds it back; "limited": two thirds of that from the first look on, by power and temperature; "late": the
// same from 0.4 s after the first look on; "shared": two other processes; "hidden": a process that is not this one;
// "bare": it knows the clock alone; "silent": it knows no clock.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool chosen(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM_NVML");
  return stated != nullptr && std::strcmp(stated, what) == 0;
}
bool limited() {
  static const auto begun = std::chrono::steady_clock::now();
  return chosen("limited") ||
         (chosen("late") && std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(400));
}

}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  *device = nullptr;
  return std::string(bus) == "0000:c1:00.0" ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* megahertz) {
  *megahertz = limited() ? 1200 : 1800;
  return chosen("silent") ? 3 : kind == 1 ? 0 : 2;
}
int nvmlDeviceGetMaxClockInfo(void*, int, unsigned* megahertz) { return *megahertz = 1800, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = limited() ? 700000 : 300000;
  return chosen("bare") ? 3 : 0;  // 3: not supported
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = limited() ? 0x4 | 0x20 : 0x1;
  return chosen("bare") ? 3 : 0;
}
struct Process {  // nvmlProcessInfo_t
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* list) {
  if (chosen("bare")) return 3;
  const auto own = static_cast<unsigned>(getpid());
  const unsigned running = chosen("shared") ? 3 : 1;
  const bool room = *count >= running;
  *count = running;
  if (!room) return 7;  // the list is too small
  for (unsigned at = 0; at < running; ++at)
    list[at] = {chosen("hidden") ? own + 1 : at == 1 ? own : own + 7 + at, 1 << 20, 0xffffffff, 0xffffffff};
  if (running == 1 && !chosen("hidden")) list[0].pid = own;
  return 0;
}
}
