// CUDA's run-time compiler, opened as the program runs. It needs no device.
#pragma once

#include <string>

namespace assay::devices {

// PTX of a source in the prelude's words for a compute capability (90 is 9.0); MeasurementFault of one line, which
// begins with `where`, says what is wrong with it or that there is no NVRTC.
std::string compile_cuda(const std::string& source, const std::string& name, int capability, const std::string& where);

// "" where NVRTC is here; else why not, and what to install.
std::string missing_nvrtc();

}  // namespace assay::devices
