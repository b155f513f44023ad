// What can go wrong in a benchmark program, by the exit status it ends with: 2 the command line or the record, 1 the
// measurement. Each message is one line that names the culprit, the value seen and what is accepted.
#pragma once

#include <stdexcept>
#include <string>

namespace assay::timing {

struct InputFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct MeasurementFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace assay::timing
