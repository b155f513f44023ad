// The devices that this process can reach, and their names as the parameter `device` has them: opencl, opencl:1,
// cuda:0.
#pragma once

#include "devices/device.hpp"
#include "timing/program.hpp"

namespace assay::devices {

inline constexpr std::string_view parameters_fragment = R"fragment(
part = "devices"
kind = "node"
or_nothing = true
needs_device = true
outcomes = ["name"]

[parameter.device]
type = "choice"
default = ["opencl", "cuda"]
choices = ["opencl", "cuda"]
numbered = true
sweep = true
help = "how a device is reached, with its number behind a colon; without a number all of that kind"
)fragment";

// The device of a case, which gets the labels `name` and `on` (GPU, accelerator, or CPU through OpenCL); null where
// there is none, which the case then says.
std::shared_ptr<Device> device_of(timing::Case& at);

// Notes how long the kernels of a case were compiled, and by which driver.
void note_device(timing::Case& at, const Device& device);

}  // namespace assay::devices
