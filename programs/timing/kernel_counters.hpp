// Counters of whole devices (memory controllers, RAPL) by perf_event_open(2): what /sys/bus/event_source/devices says
// of one, and how it is opened on one hardware thread for all that runs there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace assay::timing {

// A file that gives counts of eight bytes, or less than 0 (errno says why). `type`: the device's number.
using OpenCounter = std::function<int(std::int64_t type, std::uint64_t config, std::int64_t cpu)>;

int open_counter(std::int64_t type, std::uint64_t config, std::int64_t cpu);

// "event=0x04,umask=0x03" as perf's number: the event in bits 0 to 7, its mask in 8 to 15, as uncore_imc and power have
// them.
std::uint64_t counter_config(const std::string& text);

}  // namespace assay::timing
