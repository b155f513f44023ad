// What the host is that measured, as the launch line says it: the front's provenance is that of the host which submits.
// Keys are those of src/assay/machine/provenance.py where both have them.
#pragma once

#include <string>

#include "timing/output.hpp"
#include "timing/topology.hpp"

namespace assay::timing {

// Host name, CPU model, kernel, memory (bytes), hardware threads online and those that a cpuset leaves, quota, clock
// source. Null where the kernel does not say.
Json host_facts(const std::string& host, const std::string& system = "/");

}  // namespace assay::timing
