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

[metric.build]
unit = "s"
help = "time in which the driver compiled the kernel; drivers keep what they compiled"

[metric.clock]
unit = "1/s"
help = "clock of the device right after a block, by the vendor's own accounting (NVML, or the kernel's files of amdgpu)"

[metric.power]
unit = "W"
help = "power of the device right after a block, by the same"

[figure.build]
metric = "build"
unit = "s"
help = "time to compile the kernel"

[figure.clock]
metric = "clock"
unit = "1/s"
better = "higher"
help = "clock of the device right after a block, where the vendor's accounting says it"

[figure.power]
metric = "power"
unit = "W"
better = "lower"
help = "power of the device right after a block, where the vendor's accounting says it"
)fragment";

// The device of a case, which gets the labels `name` and `on` (GPU, accelerator, or CPU through OpenCL); null where
// there is none, which the case then says.
std::shared_ptr<Device> device_of(timing::Case& at);

// Notes what the device is. Where the vendor's accounting knows its state: looks at it from now on (state_watch.hpp),
// and where it is `observed` stores its clock and power after each block of the case's last metric.
void watch_device(timing::Case& at, const std::shared_ptr<Device>& device, bool observed = true);

}  // namespace assay::devices
