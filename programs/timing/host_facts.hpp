// What the host is that measured, as the launch line says it: the front's provenance is that of the host which submits.
// Keys are those of src/assay/machine/provenance.py where both have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/output.hpp"

namespace assay::timing {

// How many cores and sockets a set of processors touches, and how many hardware threads those cores have.
struct Span {
  std::int64_t cores = 0, sockets = 0, threads = 0;
};

Span span_of(const std::vector<std::int64_t>& cpus, const std::string& system = "/");  // `system` is "/" but in tests

// "0-3,8" as numbers; what is not understood ends it.
std::vector<std::int64_t> cpu_list(const std::string& text);

// Host name, processor, kernel, memory (bytes), processors online and those that a cpuset leaves, quota, clock source.
// Null where the kernel does not say.
Json host_facts(const std::string& host, const std::string& system = "/");

}  // namespace assay::timing
