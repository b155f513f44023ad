// Launches of one kernel as a case measures them: a batch, queued and waited for, by the host's clock and by the
// device's own timer, with its clock and power.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "devices/found.hpp"
#include "devices/timer.hpp"
#include "timing/program.hpp"

namespace assay::devices {

// Measures `time`, of which a launch of `groups` times `group` work items does `traits.unit` operations, and `timer`
// and `build`.
inline void measure_launches(timing::Case& at, const std::shared_ptr<Device>& device,
                             const std::shared_ptr<Kernel>& kernel, std::int64_t groups, std::int64_t group,
                             const timing::Traits& traits) {
  const std::int64_t unit = traits.unit;
  const auto work = [=](std::int64_t operations) {
    for (; operations > 0; operations -= unit) device->launch(*kernel, groups, group);
    device->finish();
  };
  at.observe("build", [=] { return kernel->built; }, true);
  at.measure("time", work, traits);
  const auto timer = std::make_shared<Timer>(device, kernel, groups, group);
  at.add_metric("timer", [=] { return timer->read() / static_cast<double>(unit); });
  watch_device(at, device);
  at.on_finish([=] { return timer->warning(); });
}

}  // namespace assay::devices
