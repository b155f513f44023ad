// Beginning and end: MPI_Init, MPI_Finalize, MPI_Abort, the clock.
#include <algorithm>
#include <cstdio>

#include "mpi_library/calls/attributes.hpp"
#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/functions.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/messages/buffered.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::abi {
namespace {

enum class State { before, inside, over };
constinit State state = State::before;
constinit int thread_level = MPI_THREAD_SINGLE;

void begin(const char* function, int level) {
  if (!process.control) {
    std::fprintf(stderr, "%s: this program is to be started by `assay mpirun --on MACHINE -n N`\n", function);
    _exit(1);
  }
  if (state != State::before) end_with("%s: MPI was initialized before", function);
  state = State::inside;
  thread_level = level;
  initialized = true;
  define_communicators();
  add(Does::starts);
  flush();
}

}  // namespace
}  // namespace assay::abi

using namespace assay::abi;

MPI_FUNCTION(MPI_Init, (int*, char***)) {
  begin("MPI_Init", MPI_THREAD_SINGLE);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Init_thread, (int*, char***, int required, int* provided)) {
  if (required >= MPI_THREAD_MULTIPLE)
    std::fprintf(stderr, "rank %d: MPI_Init_thread: MPI_THREAD_MULTIPLE is not provided; got MPI_THREAD_SERIALIZED\n",
                 process.rank);
  *provided = std::min<int>(required, MPI_THREAD_SERIALIZED);
  begin("MPI_Init_thread", *provided);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Initialized, (int* flag)) {
  *flag = state != State::before;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Finalized, (int* flag)) {
  *flag = state == State::over;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Query_thread, (int* provided)) {
  *provided = thread_level;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Is_thread_main, (int* flag)) {
  *flag = getpid() == gettid();
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Finalize, ()) {
  if (state != State::inside) end_with("MPI_Finalize: MPI is not initialized, or finalized already");
  try {  // as if the program freed it
    delete_attributes(MPI_COMM_SELF, communicator(MPI_COMM_SELF).attributes);
  } catch (const Error& error) {
    return raised("MPI_Finalize", MPI_COMM_SELF, error);
  }
  charge_computing();
  flush_buffered(true);
  add(Does::finishes);
  flush();
  initialized = false;
  state = State::over;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Abort, (MPI_Comm, int code)) {
  std::fflush(nullptr);
  add(Does::aborts).peer = code;
  flush();
  _exit(code);  // is ended before
}

extern "C" double MPI_Wtime() { return clock_now(); }
extern "C" double PMPI_Wtime() __attribute__((alias("MPI_Wtime")));
extern "C" double MPI_Wtick() { return 1e-12; }
extern "C" double PMPI_Wtick() __attribute__((alias("MPI_Wtick")));

MPI_FUNCTION(MPI_Get_version, (int* version, int* subversion)) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Get_library_version, (char* text, int* length)) {
  write("Assay's library of MPI's standard ABI", text, length, MPI_MAX_LIBRARY_VERSION_STRING);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Abi_get_version, (int* version, int* subversion)) {
  *version = MPI_ABI_VERSION;
  *subversion = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Pcontrol, (int, ...)) { return MPI_SUCCESS; }

MPI_FUNCTION(MPI_Get_processor_name, (char* name, int* length)) {
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%u", process.control->node);
  return MPI_SUCCESS;
}
