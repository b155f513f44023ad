// main() of a message-passing program on MPI. One binary a program:
//
//   mpicxx -std=c++20 -O3 -march=native -I programs -DASSAY_PROGRAM='"ranks/echo.hpp"' [-DASSAY_FLAGS='"-O3 …"']
//          programs/mpi/main.cpp programs/timing/*.cpp -o echo
//
// ASSAY_PROGRAM is the file to include (below programs/, or an absolute path for a person's own); it leaves the program
// as assay::ranks::Program, with its `record` and its `run(comm, session)`.
// ASSAY_MACHINE is what the record's `machine` names, a header that leaves the communicator that the program needs as
// assay::mpi::Machine (mpi/files.hpp); without it that is Communicator.
// Options are those of every program and --deadline SECONDS: a job that is not done by then says on standard error
// which benchmark it was and what each rank was waiting for, and ends with status 1. Only rank 0 writes samples.
#ifndef ASSAY_PROGRAM
#error "ASSAY_PROGRAM names the program's file, such as -DASSAY_PROGRAM='\"ranks/echo.hpp\"'"
#endif

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "mpi/communicator.hpp"
#include "mpi/deadline.hpp"
#include "mpi/placement.hpp"
#include "mpi/quota.hpp"
#include "mpi/transport.hpp"
#include "timing/reference.hpp"
#include ASSAY_PROGRAM
#ifdef ASSAY_MACHINE
#include ASSAY_MACHINE
#endif

namespace assay::mpi {

#ifndef ASSAY_MACHINE
using Machine = Communicator;
#endif

// What rank 0 found wrong with the input, all must know: 0 or an exit status.
inline int agreed(int status, MPI_Comm among) {
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, among);
  return status;
}

inline std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text, static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));
  if (name.starts_with("Open MPI v")) name = "Open MPI " + name.substr(10);
  std::ranges::replace(name, '\t', ' ');
  return name;
}

inline int measure(const std::string& name, const timing::Options& options, Machine& comm) {
  const timing::ClockQuality clock = timing::measure_clock();
  const std::vector<timing::Placement> places = gather_placement(comm);
  const std::vector<std::string> hosts = gather_hosts(comm, places);
  const std::string transport = find_transport(comm, places);
  std::unique_ptr<timing::Output> output;
  int status = 0;
  if (comm.rank() == 0) {
    try {
      output = std::make_unique<timing::Output>(options.out);
      const auto ranks = places.begin() + comm.host().value_or(comm.size());  // the host is none of those asked for
      timing::Json launch =
          timing::launch_event(name, options, {places.begin(), ranks}, hosts, transport, library(), clock);
      output->line(launch.number("reference", timing::time_reference()));
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
      status = 1;
    }
  }
  if ((status = agreed(status, comm.handle())) != 0) return status;
  ranks::Session session(
      options, [&](const timing::Json& event) { output->line(event); }, false, clock.overhead, clock.resolution);
  for (const auto& place : places) {
    bool lead = true;
    for (const auto& earlier : places) lead = lead && (earlier.rank >= place.rank || earlier.host != place.host);
    session.leads.push_back(lead);
  }
  const std::int64_t stopped_before = timing::times_stopped();
  const ranks::Task task = ranks::Program::run(comm, session);
  task.handle().resume();
  if (!task.done()) throw std::logic_error("a rank suspended, which cannot be on MPI");
  task.result();
  const std::string stopped = stopped_by_quota(comm, stopped_before);
  if (comm.rank() == 0) {
    if (!stopped.empty()) output->note(stopped);
    output->line(timing::Json().text("event", "done").number("reference", timing::time_reference()));
    status = session.passed() ? 0 : 1;
  }
  return agreed(status, comm.handle());
}

// All ranks of the job; for a record that says `host = true` and one process more, the last rank: started by the others
// from this very binary, it stands for the launching process.
inline Machine join(bool hosted, char** argv) {
  MPI_Comm parent = MPI_COMM_NULL, other = MPI_COMM_NULL, all = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (!hosted) return Machine(MPI_COMM_WORLD);
  int code = MPI_SUCCESS;
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    if (code != MPI_SUCCESS) return Machine(MPI_COMM_WORLD);  // no host: not every MPI starts processes later
  }
  MPI_Intercomm_merge(parent == MPI_COMM_NULL ? other : parent, parent != MPI_COMM_NULL, &all);
  int size = 0;
  MPI_Comm_size(all, &size);
  return Machine(all, size - 1);
}

inline int run(int argc, char** argv) {
  const std::string name = timing::name_of(ranks::Program::record);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    std::vector<const char*> words(argv, argv + argc);
    const double deadline = take_deadline(words);
    const timing::Options options = timing::parse_options(static_cast<int>(words.size()), words.data());
    if (options.action != timing::Options::Action::run) {
      if (rank == 0) {
        const bool help = options.action == timing::Options::Action::help;
        const std::string_view record = ranks::Program::record;
        std::fputs((help ? timing::help_text(record, deadline_help) : std::string(record)).c_str(), stdout);
      }
      return 0;
    }
    if (options.metrics.empty()) throw timing::InputFault(timing::unresolved(ranks::Program::record));
    Machine comm = join(options.host, argv);
    if (deadline > 0) arm_deadline(name, comm.rank(), deadline);
    return measure(name, options, comm);
  } catch (const timing::InputFault& fault) {  // the same on every rank, as all have the same command line
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
    return 2;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s: rank %d: %s\n", name.c_str(), rank, fault.what());
    std::fflush(stderr);
    usleep(200'000);  // a starter forwards a rank's output while the job lives: MPICH's may drop it with the abort
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace assay::mpi

int main(int argc, char** argv) {
  assay::timing::hold_leash();
  MPI_Init(&argc, &argv);
  const int status = assay::mpi::run(argc, argv);
  MPI_Finalize();
  return status;
}
