// The state of an AMD device by the files of the kernel's amdgpu below /sys/bus/pci/devices (hwmon, pp_dpm_sclk and
// gpu_metrics; the kernel's documentation of amdgpu, section "GPU Power/Thermal Controls and Monitoring") and of its
// compute driver below /sys/class/kfd (drivers/gpu/drm/amd/amdkfd: kfd_topology.c, kfd_process.c).
#pragma once

#include "devices/device_state.hpp"

namespace assay::devices {

// Of the device at this PCI address; nothing where its files do not have a clock.
std::optional<DeviceState> amdgpu_state(const std::string& bus);

// "/", or in tests what ASSAY_DEVICE_SYSTEM says: where /sys and /proc are read for devices and their host's memory.
std::string system_root();

}  // namespace assay::devices
