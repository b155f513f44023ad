// Memory that a program asks MPI for: the process's own.
#include <cstdlib>

#include "mpi_library/calls/call.hpp"

using namespace assay::abi;

MPI_FUNCTION(MPI_Alloc_mem, (MPI_Aint bytes, MPI_Info, void* base)) {
  return call(__func__, [&] {
    if (bytes < 0) fail(MPI_ERR_SIZE, "below zero: " + std::to_string(bytes));
    constexpr std::size_t line = 64;
    void* const memory = std::aligned_alloc(line, (static_cast<std::size_t>(bytes) + line) / line * line);
    if (!memory) fail(MPI_ERR_NO_MEM, std::to_string(bytes) + " bytes");
    *static_cast<void**>(base) = memory;
  });
}
MPI_FUNCTION(MPI_Free_mem, (void* base)) {
  std::free(base);
  return MPI_SUCCESS;
}
