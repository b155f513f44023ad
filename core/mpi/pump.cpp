#include "mpi/pump.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "events/stop.hpp"
#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "timing/faults.hpp"

namespace assay::mpirun {
namespace {

using described::Simulated;
using described::World;

static_assert(abi::any_tag_word(3) == described::any_tag_of(3) && abi::greatest_tag == ranks::greatest_tag &&
              abi::any_source_rank == ranks::any_source && abi::word_of(1, 0) == 1 << described::tag_bits &&
              abi::last_context < described::Groups::contexts - 1);

std::string how(std::uint32_t ended) {
  const int status = static_cast<int>(ended - 1);
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

constexpr timespec between_looks{0, 50'000'000};

}  // namespace

Program::Program(OwnedSegment& segment, World& world, const std::vector<int>& places,
                 const std::function<bool()>& alive, bool describes_ready, Served& served, Trace* trace)
    : segment_(segment),
      world_(world),
      places_(places),
      alive_(alive),
      describes_ready_(describes_ready),
      served_(served),
      trace_(trace),
      ranks_(static_cast<std::size_t>(segment.ranks())),
      one_sided_(*this) {
  world.exposed().lies_elsewhere(one_sided_);
  for (int rank = 0; rank < segment.ranks(); ++rank)
    if (self(rank) != rank) group_ = 1;
  if (group_ == 0) return;
  group_ = world.groups().program(places, 0);
  for (int rank = 0; rank < segment.ranks(); ++rank) at_[self(rank)] = rank;
}

void Program::ends(std::string failure) {
  if (served_.failure.empty()) served_.failure = std::move(failure);
  throw Ended();
}

void Program::died(int rank) {
  const std::uint32_t ended = segment_.control(rank).ended.load();
  served_.died = rank;
  ends("rank " + std::to_string(rank) + " " + how(ended) +
       (of(rank).started ? " before it called MPI_Finalize" : " and had not called MPI_Init"));
}

void Program::overwritten(int rank) const {
  throw timing::MeasurementFault("rank " + std::to_string(rank) +
                                 ": the memory that it shares with the simulator was overwritten");
}

// Waits in real time until the rank sleeps again, and has handed over what comes next.
void Program::await_batch(int rank) {
  abi::Control& control = segment_.control(rank);
  const std::uint32_t seen = of(rank).seen;
  while (control.posted.load() == seen) {
    control.awaited.store(1);
    if (control.posted.load() != seen) break;
    if (abi::futex(control.posted, FUTEX_WAIT, seen, &between_looks) == 0 || errno != ETIMEDOUT) continue;
    events::check_stop();
    look();
    if (control.posted.load() == seen && !alive_()) {
      look();
      served_.abandoned = true;
      ends(segment_.header().started.load() == 0
               ? "the program does not start Assay's MPI library: it is not linked to libmpi_abi.so.1; compile it with "
                 "`assay mpicc`"
               : "the program's first process has ended");
    }
  }
  control.awaited.store(0);
  if (control.ended.load() != 0) died(rank);
}
void Program::collect(int rank) {
  ++served_.switches;
  await_batch(rank);
  of(rank).seen = segment_.control(rank).posted.load();
  of(rank).running = false;
}

// For ranks that ended while they were not waited for, and those that never began.
void Program::look() {
  const abi::Header& header = segment_.header();
  if (const int refused = header.refused.load())
    ends("rank " + std::to_string(header.started.load()) + " could not be started: " + std::strerror(refused));
  if (header.deaths.load() == 0) return;
  for (int rank = 0; rank < segment_.ranks(); ++rank)
    if (segment_.control(rank).ended.load() != 0 && !of(rank).finished) died(rank);
}

ranks::Task Program::pump(int rank) {
  Rank& mine = of(rank);
  abi::Control& control = segment_.control(rank);
  try {
    Trace::Strand* const strand = trace_ ? &trace_->main(rank) : nullptr;
    while (!mine.finished) {
      collect(rank);
      if (strand) trace_->computes(*strand, control.compute);
      if (control.compute > 0)
        co_await Simulated::Compute{world_, self(rank), {static_cast<double>(control.compute) * 1e-12, 0, 0}};
      const std::uint32_t count = std::min(control.count, abi::most_ops);
      served_.operations += count;
      co_await play(rank, control.ops, count, strand);
      control.now = world_.clock();
      mine.running = true;
      control.go.fetch_add(1);
      if (control.asleep.load() != 0) abi::wake(control.go);
      if (mine.finished) break;
      if (strand) trace_->goes_on(*strand);
      co_await Later{world_};
    }
    finished_ = std::max(finished_, world_.now());
  } catch (...) {
    failed_ = true;
    world_.halt();
    throw;
  }
}

void Program::rethrow() const {
  for (const Rank& each : ranks_)
    if (each.failure) std::rethrow_exception(each.failure);
}

void Program::name_calls() {
  for (described::Waiting& each : served_.waiting) {
    each.rank = rank_at(each.rank);
    each.peer = rank_at(each.peer);
    served_.waits_in.emplace_back(function_name(of(each.rank).call.function));
    if (const int holder = one_sided_.awaits_lock_of(each.rank); holder >= 0 && each.peer < 0) {
      each.peer = holder;
      each.tag = ranks::any_tag;
    }
  }
}

}  // namespace assay::mpirun
