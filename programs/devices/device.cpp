#include "devices/device.hpp"

#include <algorithm>

namespace assay::devices {

std::shared_ptr<Memory> Device::allocate(std::int64_t bytes) {
  std::erase_if(reserved_, [](const auto& each) { return each.expired(); });
  if (!holds(bytes, bytes)) throw timing::MeasurementFault(lacks("memory of " + std::to_string(bytes) + " bytes"));
  auto memory = reserve(bytes);
  reserved_.push_back(memory);
  return memory;
}

std::int64_t Device::in_use() const {
  std::int64_t bytes = 0;
  for (const auto& each : reserved_)
    if (const auto memory = each.lock()) bytes += memory->bytes;
  return bytes;
}

std::string Device::lacks(std::string_view what) const {
  return facts_.label + ": no room for " + std::string(what) + ": half of its " + std::to_string(facts_.memory) +
         " bytes may be in use, " + std::to_string(facts_.largest) + " at once, and " + std::to_string(in_use()) +
         " are";
}

void Device::fault(std::string_view doing, std::string_view what) const {
  throw timing::MeasurementFault(facts_.label + " (" + facts_.name + "): " + std::string(doing) + ": " +
                                 std::string(what));
}

}  // namespace assay::devices
