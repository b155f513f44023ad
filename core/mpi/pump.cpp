#include "mpi/pump.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "events/stop.hpp"
#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "timing/faults.hpp"

namespace assay::mpirun {
namespace {

using abi::Does;
using described::Call;
using described::RequestId;
using described::Simulated;
using described::Time;
using described::World;

static_assert(abi::any_tag_word(3) == described::any_tag_of(3) && abi::greatest_tag == ranks::greatest_tag &&
              abi::any_source_rank == ranks::any_source && abi::word_of(1, 0) == 1 << described::tag_bits &&
              abi::last_context == described::Groups::contexts - 1);

// Behind what else happens at this time: meanwhile other ranks are let go, too.
struct Later {
  World& world;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { world.wake(world.now(), caller); }
  void await_resume() const noexcept {}
};

std::string how(std::uint32_t ended) {
  const int status = static_cast<int>(ended - 1);
  if (WIFSIGNALED(status))
    return "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

constexpr timespec between_looks{0, 50'000'000};

}  // namespace

Program::Program(OwnedSegment& segment, World& world, const std::vector<int>& places,
                 const std::function<bool()>& alive, Served& served)
    : segment_(segment),
      world_(world),
      places_(places),
      alive_(alive),
      served_(served),
      ranks_(static_cast<std::size_t>(segment.ranks())) {
  for (int rank = 0; rank < segment.ranks(); ++rank)
    if (places[static_cast<std::size_t>(rank)] != rank) group_ = 1;
  if (group_ == 0) return;
  group_ = world.groups().program(places, 0);
  for (int rank = 0; rank < segment.ranks(); ++rank) at_[places[static_cast<std::size_t>(rank)]] = rank;
}

int Program::place(int rank, int peer) const {
  if (peer < 0 || peer >= segment_.ranks())
    throw timing::MeasurementFault("rank " + std::to_string(rank) + ": no rank " + std::to_string(peer));
  return group_ == 0 ? peer : places_[static_cast<std::size_t>(peer)];
}
int Program::rank_at(int place) const { return group_ == 0 || place < 0 ? place : at_.at(place); }

void Program::ends(std::string failure) {
  if (served_.failure.empty()) served_.failure = std::move(failure);
  throw Ended();
}

void Program::died(int rank) {
  const std::uint32_t ended = segment_.control(rank).ended.load();
  ends("rank " + std::to_string(rank) + " " + how(ended) +
       (ranks_[static_cast<std::size_t>(rank)].started ? " before it called MPI_Finalize"
                                                       : " and had not called MPI_Init"));
}

// Waits in real time for what the rank hands over next.
void Program::collect(int rank) {
  abi::Control& control = segment_.control(rank);
  std::uint32_t& seen = ranks_[static_cast<std::size_t>(rank)].seen;
  ++served_.switches;
  while (control.posted.load() == seen) {
    control.awaited.store(1);
    if (control.posted.load() != seen) break;
    if (abi::futex(control.posted, FUTEX_WAIT, seen, &between_looks) == 0 || errno != ETIMEDOUT) continue;
    events::check_stop();
    look();
    if (control.posted.load() == seen && !alive_()) ends("the program's first process has ended");
  }
  control.awaited.store(0);
  seen = control.posted.load();
  if (control.ended.load() != 0) died(rank);
}

// For ranks that ended while they were not waited for, and those that never began.
void Program::look() {
  const abi::Header& header = segment_.header();
  if (const int refused = header.refused.load())
    ends("rank " + std::to_string(header.started.load()) + " could not be started: " + std::strerror(refused));
  if (header.deaths.load() == 0) return;
  for (int rank = 0; rank < segment_.ranks(); ++rank)
    if (segment_.control(rank).ended.load() != 0 && !ranks_[static_cast<std::size_t>(rank)].finished) died(rank);
}

RequestId& Program::request(int rank, std::uint32_t slot) {
  auto& all = ranks_[static_cast<std::size_t>(rank)].requests;
  if (slot >= all.size()) {
    if (slot > 1U << 26) throw timing::MeasurementFault("rank " + std::to_string(rank) + ": more than 2^26 requests");
    all.resize(std::max<std::size_t>(slot + 1, 2 * all.size()), described::none);
  }
  return all[slot];
}

void Program::report(int rank, std::uint64_t at, const described::Arrived& arrived, int flag) const {
  if (at == 0) return;
  const abi::Result result{rank_at(arrived.source), arrived.tag, arrived.bytes, flag, arrived.truncated};
  std::memcpy(segment_.data(rank, at, sizeof result), &result, sizeof result);
}

void Program::conclude(int rank, RequestId& request, std::uint64_t result, int flag) {
  report(rank, result, world_.conclude(std::exchange(request, described::none)), flag);
}

ranks::Task Program::pump(int rank) {
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  abi::Control& control = segment_.control(rank);
  const int self = places_[static_cast<std::size_t>(rank)];
  Simulated comm = group_ == 0 ? Simulated(world_, rank) : Simulated(world_, described::Groups::Place{group_, rank});
  const auto data = [&](std::uint64_t at, std::uint64_t bytes) { return segment_.data(rank, at, bytes); };
  const auto compute = [&](std::uint64_t picoseconds) {
    return Simulated::Compute{world_, self, {static_cast<double>(picoseconds) * 1e-12, 0, 0}};
  };
  try {
    while (!mine.finished) {
      collect(rank);
      if (control.compute > 0) co_await compute(static_cast<std::uint64_t>(control.compute));
      const std::uint32_t count = std::min(control.count, abi::most_ops);
      served_.operations += count;
      for (std::uint32_t i = 0; i < count; ++i) {
        const abi::Op& op = control.ops[i];
        switch (op.does) {
          case Does::starts:
            mine.started = true;
            break;
          case Does::send:
            co_await Simulated::Send{world_,
                                     data(op.at, op.bytes),
                                     op.bytes,
                                     self,
                                     place(rank, op.peer),
                                     op.word,
                                     op.mode == static_cast<std::uint8_t>(abi::SendMode::ready)};
            break;
          case Does::isend: {
            Simulated::Isend send{world_, data(op.at, op.bytes), op.bytes, self, place(rank, op.peer), op.word};
            request(rank, op.slot) = (co_await send).id;
            break;
          }
          case Does::irecv:
            request(rank, op.slot) = world_.post(self, data(op.at, op.bytes), op.bytes,
                                                 op.peer < 0 ? ranks::any_source : place(rank, op.peer), op.word);
            break;
          case Does::sendrecv: {
            RequestId received = world_.post(self, data(op.at2, op.bytes2), op.bytes2,
                                             op.peer2 < 0 ? ranks::any_source : place(rank, op.peer2), op.word2);
            co_await Exchange{
                world_, world_.sendrecv(self, data(op.at, op.bytes), op.bytes, place(rank, op.peer), op.word, received),
                received};
            conclude(rank, received, op.result);
            break;
          }
          case Does::wait:
            co_await Await{world_, request(rank, op.slot), op.mode == 0 ? Call::wait : Call::recv};
            conclude(rank, request(rank, op.slot), op.result);
            break;
          case Does::compute:
            co_await compute(op.bytes);
            break;
          case Does::copy:
            std::memmove(data(op.at2, op.bytes), data(op.at, op.bytes), op.bytes);
            break;
          case Does::barrier:
            co_await comm.barrier(segment_.ranks());
            break;
          case Does::begins:
            mine.function = static_cast<std::uint16_t>(op.slot);
            break;
          case Does::ends:
            mine.function = 0;
            break;
          case Does::finishes:
            mine.finished = true;
            break;
          case Does::aborts:
            served_.aborted = op.peer;
            served_.aborted_by = rank;
            ends("rank " + std::to_string(rank) + " called MPI_Abort with " + std::to_string(op.peer));
          default:
            throw timing::MeasurementFault("rank " + std::to_string(rank) + ": unknown operation");
        }
      }
      control.now = world_.clock();
      control.go.fetch_add(1);
      if (control.asleep.load() != 0) abi::wake(control.go);
      if (!mine.finished) co_await Later{world_};
    }
    finished_ = std::max(finished_, world_.now());
  } catch (...) {
    world_.halt();
    throw;
  }
}

void Program::name_calls() {
  for (described::Waiting& each : served_.waiting) {
    each.rank = rank_at(each.rank);
    each.peer = rank_at(each.peer);
    served_.calls.emplace_back(function_name(ranks_[static_cast<std::size_t>(each.rank)].function));
  }
}

}  // namespace assay::mpirun
