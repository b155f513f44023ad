// Memory of the ranks' processes, which is read and written from here (process_vm_readv(2)) while they sleep.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "mpi_library/shared/segment.hpp"

namespace assay::mpirun {

using Spans = std::vector<abi::Span>;  // one after another in a message

// Such memory cannot be reached: what is wrong, as the end of a sentence.
class Unreachable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

void read_memory(pid_t process, const Spans& spans, std::byte* into);
void write_memory(pid_t process, const Spans& spans, const std::byte* from);

}  // namespace assay::mpirun
