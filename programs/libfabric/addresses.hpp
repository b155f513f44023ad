// A rank's process under MPICH: its part of the segment, and the addresses of the others.
#pragma once

#include <cstdint>

#include "libfabric/libfabric.hpp"

namespace assay::fabric {

inline constexpr const char* path_variable = "ASSAY_MPI_SEGMENT_PATH";  // /proc/PID/fd/NUMBER

// Finds the segment; false where this process is no rank of `assay mpirun`.
bool attach();
// MPICH makes a file of shared memory for each node, which is a rank here, and would leave it behind if it were killed.
void unlink_shared_memory();

// An address is a rank of MPI_COMM_WORLD; its number is its place in the address vector.
inline constexpr std::size_t address_bytes = 8;
std::uint64_t own_address();
fi_addr_t add_address(std::uint64_t address);
std::uint64_t address_at(fi_addr_t number);
int rank_at(fi_addr_t number);

}  // namespace assay::fabric
