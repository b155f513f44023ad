// The state of a device over time: a thread looks at it 20 times per second while a launch measures, and one line of
// the launch has what it saw (event `device`):
//
//   host, device, name   which device: cuda:0, and what its driver calls it
//   most                 its highest clock as stated, Hz; 0: not stated
//   time                 of each look, s since 1970
//   clock, power         Hz and W at each look
//   others               processes on it other than this one, at each look
//   limits               what slowed it down at each look: of power, temperature and hardware, separated by commas
//
// Of power, others and limits null is what is not known.
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "devices/device.hpp"
#include "timing/output.hpp"

namespace assay::devices {

class StateWatch {
 public:
  explicit StateWatch(std::shared_ptr<Device> device);  // begins to look, where the device's state is known
  ~StateWatch();
  bool looks() const { return thread_.joinable(); }
  // Ends the looks and returns the line; nothing where there is none, or when it was returned before.
  std::optional<timing::Json> end();

 private:
  void look();
  std::shared_ptr<Device> device_;
  std::vector<std::pair<double, DeviceState>> seen_;
  std::jthread thread_;
};

}  // namespace assay::devices
