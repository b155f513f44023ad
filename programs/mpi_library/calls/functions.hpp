// The functions of MPI's standard ABI by number, as the simulator has them; 0 is none.
#pragma once

namespace assay::abi {

enum class Function : int {
  none,
#define X(name) name,
#include "mpi_library/abi/functions.inc"
#undef X
};

inline const char* name_of(Function function) {
  static constexpr const char* names[] = {
      "",
#define X(name) #name,
#include "mpi_library/abi/functions.inc"
#undef X
  };
  return names[static_cast<int>(function)];
}

}  // namespace assay::abi
