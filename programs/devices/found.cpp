#include "devices/found.hpp"

#include <algorithm>

#include "devices/cuda.hpp"
#include "devices/opencl.hpp"

namespace assay::devices {
namespace {

FoundDevices& found_by(std::string_view way) {  // looked for once, when first asked for
  if (way == "cuda") {
    static auto* const cuda = new FoundDevices(find_cuda());
    return *cuda;
  }
  static auto* const opencl = new FoundDevices(find_opencl());
  return *opencl;
}

std::vector<std::string> labels(std::string_view way) {
  std::vector<std::string> all;
  for (const auto& each : found_by(way).devices) all.push_back(each->facts().label);
  return all;
}

[[maybe_unused]] const bool named = timing::name_choices("opencl", [] { return labels("opencl"); }) &&
                                    timing::name_choices("cuda", [] { return labels("cuda"); });

}  // namespace

std::shared_ptr<Device> device_of(timing::Case& at) {
  const std::string& label = at.choice("device");
  const std::string way = label.substr(0, label.find(':'));
  const FoundDevices& found = found_by(way);
  for (const auto& each : found.devices)
    if (each->facts().label == label) {
      at.also_label("on", each->facts().kind);
      at.also_label("name", each->facts().name);
      return each;
    }
  std::string accepted;
  for (const auto& each : found.devices) accepted += (accepted.empty() ? "device=" : ",") + each->facts().label;
  at.skip(found.missing.empty() ? "there is no device " + label : found.missing, "device",
          accepted.empty() ? "a machine with a device" : accepted);
  return nullptr;
}

void watch_device(timing::Case& at, const std::shared_ptr<Device>& device, bool observed) {
  const Facts& facts = device->facts();
  at.note(facts.label + ": " + facts.name + ", " + facts.kind + ", " + facts.driver + ", " +
          std::to_string(facts.units) + " compute units, " + std::to_string(facts.memory) + " bytes");
  if (!observed || !device->state()) return;
  const auto seen = std::make_shared<DeviceState>();
  at.add_metric("clock", [=] {
    const DeviceState now = device->state().value_or(DeviceState{});
    const std::uint64_t held = seen->held | now.held;
    const int processes = std::max(seen->processes, now.processes);
    *seen = now;
    seen->held = held, seen->processes = processes;
    return now.clock;
  });
  at.add_metric("power", [=] { return seen->power; });
  at.on_finish([=] {
    const std::string reasons = held_by(seen->held);
    std::string text = reasons.empty() ? "" : device->facts().label + " was held back by " + reasons;
    if (seen->processes > 1)
      text += (text.empty() ? device->facts().label : "; it") + " had " + std::to_string(seen->processes - 1) +
              " other processes";
    return text;
  });
}

}  // namespace assay::devices
