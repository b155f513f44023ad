// New windows, which all ranks of a communicator make together.
#pragma once

#include "mpi_library/windows/window.hpp"

namespace assay::abi {

// Of `bytes` at `base` of each rank, counted in units.
Window& make_window(Communicator& parent, void* base, std::int64_t bytes, std::int64_t unit, int flavour,
                    MPI_Info info);
// Of memory that is made for it: each rank's own; or what all ranks of a node can reach, an Error where the ranks are
// not of one node.
Window& allocate_window(Communicator& parent, std::int64_t bytes, std::int64_t unit, MPI_Info info);
Window& share_window(Communicator& parent, std::int64_t bytes, std::int64_t unit, MPI_Info info);

}  // namespace assay::abi
