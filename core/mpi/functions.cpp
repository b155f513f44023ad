#include "mpi/functions.hpp"

#include <array>

namespace assay::mpirun {

std::string_view function_name(unsigned number) {
#define X(name) #name,
  static constexpr auto names = std::to_array<std::string_view>({
      "",
#include "mpi_library/abi/functions.inc"
  });
#undef X
  return number < names.size() ? names[number] : "";
}

}  // namespace assay::mpirun
