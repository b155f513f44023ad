// A rank's process: its parts of the segment.
#pragma once

#include "mpi_library/shared/segment.hpp"

namespace assay::abi {

struct Process {
  Header* header = nullptr;
  Control* control = nullptr;
  std::byte* arena = nullptr;
  int rank = -1, ranks = 0;
};
extern Process process;

// A part of the segment in this process's memory; none where it cannot be mapped.
void* map_part(int file, std::uint64_t from, std::uint64_t bytes);
// From now on this process is that rank; false where its parts cannot be mapped.
bool become(int file, Header* header, int rank);

// Ends this rank with a line on standard error, and with it the program.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void end_with(const char* format, ...);

}  // namespace assay::abi
