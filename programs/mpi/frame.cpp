#include "mpi/frame.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "mpi/deadline.hpp"
#include "mpi/looks.hpp"
#include "mpi/placement.hpp"
#include "mpi/quota.hpp"
#include "mpi/transport.hpp"
#include "timing/processor_time.hpp"
#include "timing/reference.hpp"

namespace assay::mpi {

namespace {

// What rank 0 found wrong with the input, all must know: 0 or an exit status.
int agreed(int status, MPI_Comm among) {
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, among);
  return status;
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text, static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));
  if (name.starts_with("Open MPI v")) name = "Open MPI " + name.substr(10);
  std::ranges::replace(name, '\t', ' ');
  return name;
}

int measure(const std::string& name, const timing::Options& options, Communicator& comm, const Part& part,
            std::string_view flags) {
  const timing::ClockQuality clock = timing::measure_clock();
  const std::vector<timing::Placement> places = gather_placement(comm);
  const std::vector<std::string> hosts = gather_hosts(comm, places);
  const std::string transport = find_transport(comm);
  std::unique_ptr<timing::Output> output;
  int status = 0;
  if (comm.rank() == 0) {
    try {
      output = std::make_unique<timing::Output>(options.out);
      const auto ranks = places.begin() + comm.host().value_or(comm.size());  // the host is none of those asked for
      timing::Json launch =
          timing::launch_event(name, options, {places.begin(), ranks}, hosts, transport, library(), clock, flags);
      output->line(launch.number("reference", timing::time_reference()));
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
      status = 1;
    }
  }
  if ((status = agreed(status, comm.handle())) != 0) return status;
  ranks::Session session(
      options, [&](const ranks::Event& event) { output->line(event.json); }, false, clock.overhead, clock.resolution);
  for (const auto& place : places) {
    bool lead = true;
    for (const auto& earlier : places) lead = lead && (earlier.rank >= place.rank || earlier.host != place.host);
    session.leads.push_back(lead);
  }
  if (session.leads[static_cast<std::size_t>(comm.rank())]) timing::node_looks().begin();
  const std::int64_t stopped_before = timing::times_stopped();
  part(session);
  const std::string stopped = stopped_by_quota(comm, stopped_before);
  const std::vector<timing::Json> looks = gather_looks(comm, places, session.leads);
  const timing::ProcessorTime own = timing::processor_time();
  double spent[] = {own.user, own.system};  // of all ranks
  MPI_Reduce(comm.rank() == 0 ? MPI_IN_PLACE : spent, spent, 2, MPI_DOUBLE, MPI_SUM, 0, comm.handle());
  if (comm.rank() == 0) {
    if (!stopped.empty()) output->remark(timing::Remark::warning, stopped);
    for (const timing::Json& look : looks) output->line(look);
    timing::Json done = timing::Json().text("event", "done").number("reference", timing::time_reference());
    output->line(done.number("user", spent[0]).number("system", spent[1]));
    status = session.passed() ? 0 : 1;
  }
  return agreed(status, comm.handle());
}

// All ranks of the job; for a record that says `host = true` and one process more, the last rank, whose number is the
// second: started by the others from this very binary, it stands for the launching process.
std::pair<MPI_Comm, int> join(bool hosted, char** argv) {
  MPI_Comm parent = MPI_COMM_NULL, other = MPI_COMM_NULL, all = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (!hosted) return {MPI_COMM_WORLD, -1};
  int code = MPI_SUCCESS;
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    if (code != MPI_SUCCESS) return {MPI_COMM_WORLD, -1};  // no host: not every MPI starts processes later
  }
  MPI_Intercomm_merge(parent == MPI_COMM_NULL ? other : parent, parent != MPI_COMM_NULL, &all);
  int size = 0;
  MPI_Comm_size(all, &size);
  return {all, size - 1};
}

int run(int argc, char** argv, std::string_view record, On on, std::string_view flags) {
  const std::string name = timing::name_of(record);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    std::vector<const char*> words(argv, argv + argc);
    const double deadline = take_deadline(words);
    const timing::Options options = timing::parse_options(static_cast<int>(words.size()), words.data());
    if (options.action != timing::Options::Action::run) {
      if (rank == 0) {
        const bool help = options.action == timing::Options::Action::help;
        std::fputs((help ? timing::help_text(record, deadline_help) : std::string(record)).c_str(), stdout);
      }
      return 0;
    }
    if (options.metrics.empty()) throw timing::InputFault(timing::unresolved(record));
    const auto [all, host] = join(options.host, argv);
    return on(all, host, [&](Communicator& comm, const Part& part) {
      if (deadline > 0) arm_deadline(name, comm.rank(), deadline);
      return measure(name, options, comm, part, flags);
    });
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

}  // namespace

// In a laboratory, whose links are slow, MPICH 4.0 over UCX hung in MPI_Finalize: some ranks waited for others that had
// closed their connections. There ranks end together, without it (ASSAY_UNFINALIZED, set by the launcher).
static void end_together() {
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::int64_t until = timing::now_ns() + 200'000'000; timing::now_ns() < until;) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  std::fflush(nullptr);
  _exit(0);
}

int frame(int argc, char** argv, std::string_view record, On on, std::string_view flags) {
  timing::hold_leash();
  arm_start(timing::name_of(record), argc, argv);
  MPI_Init(&argc, &argv);
  end_of_start();
  const int status = run(argc, argv, record, on, flags);
  if (status == 0 && std::getenv("ASSAY_UNFINALIZED") != nullptr) end_together();
  MPI_Finalize();
  return status;
}

}  // namespace assay::mpi
