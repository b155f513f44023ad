// The functions of MPI's standard ABI by number, as the library has them.
#pragma once

#include <string_view>

namespace assay::mpirun {

std::string_view function_name(unsigned number);  // "" for 0 and for none

}  // namespace assay::mpirun
