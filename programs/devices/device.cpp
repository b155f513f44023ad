#include "devices/device.hpp"

#include <algorithm>

namespace assay::devices {

std::shared_ptr<Memory> Device::allocate(std::int64_t bytes) {
  std::erase_if(reserved_, [](const auto& each) { return each.expired(); });
  std::int64_t in_use = 0;
  for (const auto& each : reserved_)
    if (const auto memory = each.lock()) in_use += memory->bytes;
  if (!holds(in_use + bytes, bytes))
    fault("memory", std::to_string(bytes) + " bytes more than the " + std::to_string(in_use) + " in use: half of its " +
                        std::to_string(facts_.memory) + " bytes may be, " + std::to_string(facts_.largest) +
                        " at once");
  auto memory = reserve(bytes);
  reserved_.push_back(memory);
  return memory;
}

void Device::fault(std::string_view doing, std::string_view what) const {
  throw timing::MeasurementFault(facts_.label + " (" + facts_.name + "): " + std::string(doing) + ": " +
                                 std::string(what));
}

}  // namespace assay::devices
