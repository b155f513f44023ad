// Joules by perf's energy events: the device `power` of /sys/bus/event_source/devices, which shows the same RAPL
// counters as powercap where that is absent or for root alone (Documentation/ABI/testing/
// sysfs-bus-event_source-devices-events: a count times `.scale` is in `.unit`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timing/kernel_counters.hpp"

namespace assay::timing {

// "/sys/bus/event_source/devices"; tests put a tree of their own in its place by ASSAY_PERF_DEVICES.
std::string perf_devices_folder();

class EnergyEvents {
 public:
  struct Event {
    std::string_view name;  // energy-pkg, energy-ram or energy-psys
    int file;               // gives counts of eight bytes since it was opened
    double joules;          // per count
  };

  // Opens each event on every hardware thread of the device's `cpumask`: one of each socket.
  explicit EnergyEvents(const std::string& devices = perf_devices_folder(), const OpenCounter& open = {});
  ~EnergyEvents();
  EnergyEvents(const EnergyEvents&) = delete;
  EnergyEvents& operator=(const EnergyEvents&) = delete;

  bool there() const { return there_; }                       // the kernel has such a device with an event of these
  const std::vector<Event>& events() const { return open_; }  // all of them, or none where one was refused
  int refused() const { return refused_; }                    // errno of that; 0 where none was

 private:
  std::vector<Event> open_;
  bool there_ = false;
  int refused_ = 0;
};

}  // namespace assay::timing
