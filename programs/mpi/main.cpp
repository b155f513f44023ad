// main() of a message-passing program on MPI, of which each has a binary of its own (execute/build.py).
//
// ASSAY_PROGRAM is the file to include (below programs/, or an absolute path for a person's own); it leaves the program
// as assay::ranks::Program, with its `record` and its `run(comm, session)`.
// ASSAY_MACHINE is what the record's `machine` names, a header that leaves the communicator that the program needs as
// assay::mpi::Machine (mpi/files.hpp); without it that is Communicator.
#ifndef ASSAY_PROGRAM
#error "ASSAY_PROGRAM names the program's file, such as -DASSAY_PROGRAM='\"ranks/echo.hpp\"'"
#endif

#include <stdexcept>

#include "mpi/frame.hpp"
#include ASSAY_PROGRAM
#ifdef ASSAY_MACHINE
#include ASSAY_MACHINE
#endif

namespace assay::mpi {

#ifndef ASSAY_MACHINE
using Machine = Communicator;
#endif

static int on(MPI_Comm all, int host, const Measure& measure) {
  Machine comm(all, host);
  return measure(comm, [&comm](ranks::Session& session) {
    const ranks::Task task = ranks::Program::run(comm, session);
    task.handle().resume();
    if (!task.done()) throw std::logic_error("a rank suspended, which cannot be on MPI");
    task.result();
  });
}

}  // namespace assay::mpi

int main(int argc, char** argv) { return assay::mpi::frame(argc, argv, assay::ranks::Program::record, assay::mpi::on); }
