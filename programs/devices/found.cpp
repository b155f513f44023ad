#include "devices/found.hpp"

#include <fstream>
#include <map>

#include "devices/amdgpu.hpp"
#include "devices/cuda.hpp"
#include "devices/opencl.hpp"
#include "devices/state_watch.hpp"

namespace assay::devices {
namespace {

FoundDevices& found_by(std::string_view way) {  // looked for once, when first needed
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

// ", nearest to NUMA node 1 of its host"; "" where the kernel does not say it.
std::string host_node_of(const std::string& bus) {
  int node = -1;
  if (!bus.empty()) std::ifstream(system_root() + "sys/bus/pci/devices/" + bus + "/numa_node") >> node;
  return node < 0 ? "" : ", nearest to NUMA node " + std::to_string(node) + " of its host";
}

StateWatch& watch_of(const std::shared_ptr<Device>& device) {  // one of a device, from its first case on
  static auto* const all = new std::map<std::string, StateWatch>;
  return all->try_emplace(device->facts().label, device).first->second;
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
          std::to_string(facts.units) + " compute units, " + std::to_string(facts.memory) + " bytes" +
          host_node_of(facts.bus));
  StateWatch& watch = watch_of(device);
  if (!watch.looks()) return;
  at.on_finish([&at, &watch] {
    if (const auto line = watch.end()) at.write(*line);
    return std::string();
  });
  const auto state = device->state();
  if (!observed || !state) return;
  const auto seen = std::make_shared<DeviceState>(*state);
  at.add_metric("clock", [=] {
    *seen = device->state().value_or(*seen);
    return seen->clock;
  });
  if (state->power) at.add_metric("power", [=] { return seen->power.value_or(0); });
}

}  // namespace assay::devices
