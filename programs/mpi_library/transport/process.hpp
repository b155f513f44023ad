// A rank's process: its parts of the segment.
//
// The program is started once. The library's constructor, before main, makes the ranks of it by fork, so that they
// share all memory that they do not write; the first process stays behind and notes how each of them ends.
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

// Ends this rank with a line on standard error, and with it the program.
[[noreturn, gnu::cold, gnu::format(printf, 1, 2)]] void end_with(const char* format, ...);

}  // namespace assay::abi
