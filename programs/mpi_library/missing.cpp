// The functions of MPI that the library has not: each says its name and ends the program. They are weak, so that a
// definition elsewhere in the library takes its place; `assay mpirun --check` tells them by that.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {
[[noreturn]] void missing(const char* name) {
  std::fflush(nullptr);
  std::fprintf(
      stderr, "assay: %s: not available in Assay's library (assay mpirun --check PROGRAM lists what a program needs)\n",
      name);
  std::fflush(stderr);
  _exit(86);
}
}  // namespace

#define X(name)                                                      \
  extern "C" [[gnu::weak, noreturn]] void name() { missing(#name); } \
  extern "C" [[gnu::weak, noreturn]] void P##name() { missing(#name); }
#include "mpi_library/abi/functions.inc"
