// The functions of MPI's standard ABI by number, as the simulator has them; 0 is none.
#pragma once

namespace assay::abi {

enum class Function : int {
  none,
#define X(name) name,
#include "mpi/abi/functions.inc"
#undef X
};

}  // namespace assay::abi
