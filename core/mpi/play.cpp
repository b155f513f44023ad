// The operations of a rank, one after another (programs/mpi_library/shared/segment.hpp).
#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/pump.hpp"
#include "mpi/requests.hpp"
#include "mpi_library/shared/reduce.hpp"
#include "timing/faults.hpp"

namespace assay::mpirun {
namespace {
using abi::Does;
using described::Call;
using described::RequestId;
using described::Simulated;
}  // namespace

int Program::place(int rank, int peer) const {
  if (peer < 0 || peer >= segment_.ranks()) overwritten(rank);
  return group_ == 0 ? peer : self(peer);
}
int Program::rank_at(int place) const { return group_ == 0 || place < 0 ? place : at_.at(place); }

RequestId& Program::slot(int rank, std::uint32_t slot) {
  auto& all = of(rank).requests;
  if (slot >= all.size()) {
    if (slot > 1U << 26) overwritten(rank);
    all.resize(std::max<std::size_t>(slot + 1, 2 * all.size()), described::none);
  }
  return all[slot];
}
RequestId& Program::under_way(int rank, std::uint32_t slot) {
  auto& all = of(rank).requests;
  if (slot >= all.size() || all[slot] == described::none) overwritten(rank);
  return all[slot];
}

void Program::report(int rank, std::uint64_t at, const described::Arrived& arrived, int flag,
                     const described::World::Note& note) const {
  if (at == 0) return;
  const abi::Result result{rank_at(arrived.source), arrived.tag, arrived.bytes, flag,
                           arrived.truncated,       note.tag,    note.data};
  std::memcpy(data(rank, at, sizeof result), &result, sizeof result);
}

// Of a message with a wide tag, what goes along is noted: it is sent next.
int Program::word_of(const abi::Op& op) {
  if (op.word != abi::wide_word) [[likely]]
    return op.word;
  if (op.does == Does::send || op.does == Does::isend) {
    world_.note({op.at2, op.bytes2});
    return wide_.word(op.at2);
  }
  return (op.bytes2 & abi::wide_tag) == 0 ? wide_.word(op.at2) : wide_.any_word(op.at2);
}

described::World::Note Program::note_of(int rank, const abi::Op& op, int word) {
  if (op.word != abi::wide_word) return {};
  return world_.noted_at(self(rank), source(rank, op.peer), word);
}

// A slot whose request is complete.
void Program::conclude(int rank, std::uint32_t number, std::uint64_t result) {
  const RequestId request = std::exchange(under_way(rank, number), described::none);
  ++ends_;
  const described::World::Note note = world_.noted(request);
  const described::Arrived arrived = world_.conclude(request);
  if (trace_) trace_->concludes(rank, number, {rank_at(arrived.source), arrived.tag, arrived.bytes, note.tag});
  report(rank, result, arrived, 1, note);
  auto& synchronous = of(rank).synchronous;
  if (synchronous.empty()) return;
  const auto send = synchronous.find(number);
  if (send == synchronous.end()) return;
  world_.conclude(send->second);
  synchronous.erase(send);
}

ranks::Task Program::wait(int rank, std::uint32_t number, std::uint64_t result) {
  const auto& synchronous = of(rank).synchronous;
  if (const auto send = synchronous.find(number); send != synchronous.end())
    co_await Await{world_, send->second, Call::wait};
  co_await Await{world_, under_way(rank, number), Call::wait};
  conclude(rank, number, result);
}

abi::Listed* Program::listed(int rank, const abi::Op& op) const {
  if (op.at == 0 || op.bytes > std::uint64_t{1} << 26) overwritten(rank);
  return reinterpret_cast<abi::Listed*>(data(rank, op.at, op.bytes * sizeof(abi::Listed)));
}

ranks::Task Program::wait_any(int rank, const abi::Op& op) {
  abi::Listed* const all = listed(rank, op);
  std::vector<RequestId> requests;
  for (std::uint64_t i = 0; i < op.bytes; ++i) {
    all[i].over = 0;
    requests.push_back(under_way(rank, all[i].slot));
  }
  First waiting{world_, self(rank), std::move(requests)};
  const std::size_t first = co_await waiting;
  const auto some = op.mode == static_cast<std::uint8_t>(abi::TestMode::some);
  for (std::size_t i = 0; i < op.bytes; ++i) {
    if (i != first) {
      if (!some || !world_.over(under_way(rank, all[i].slot))) continue;
      co_await Taken{world_, self(rank), under_way(rank, all[i].slot)};
    }
    conclude(rank, all[i].slot, all[i].result);
    all[i].over = 1;
  }
  report(rank, op.result, {}, static_cast<int>(first));
}

// While ranks only ask, no message is sent and no request ends; if nothing is under way either, that goes on for ever.
ranks::Task Program::ask_again(int rank) {
  if (std::exchange(messages_, world_.messages()) != world_.messages() || std::exchange(concluded_, ends_) != ends_)
    in_vain_ = 0;
  const auto patience = std::max(std::uint64_t{1} << 17, static_cast<std::uint64_t>(segment_.ranks()) << 13);
  if (++in_vain_ % patience == 0 && !world_.moves())
    ends("rank " + std::to_string(rank) + " asks for ever: nothing is under way, and every other rank asks or waits");
  if (trace_) trace_->asks_in_vain();
  co_await Poll{world_, self(rank)};
}

ranks::Task Program::test(int rank, const abi::Op& op) {
  abi::Listed* const all = listed(rank, op);
  const auto mode = static_cast<abi::TestMode>(op.mode);
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < op.bytes; ++i) {
    all[i].over = world_.over(under_way(rank, all[i].slot)) && (mode != abi::TestMode::any || count == 0);
    count += all[i].over;
  }
  const bool good = mode == abi::TestMode::all ? count == op.bytes : count > 0;
  if (!good) co_await ask_again(rank);
  for (std::uint64_t i = 0; i < op.bytes; ++i) {
    all[i].over = all[i].over && good;
    if (!all[i].over) continue;
    co_await Taken{world_, self(rank), under_way(rank, all[i].slot)};
    conclude(rank, all[i].slot, all[i].result);
  }
  report(rank, op.result, {}, good ? static_cast<int>(count) : 0);
}

ranks::Task Program::fork(int rank, const abi::Op& op, RequestId over, Trace::Strand* calls) {
  const auto* const ops = reinterpret_cast<const abi::Op*>(data(rank, op.at, op.bytes * sizeof op));
  const std::uint64_t count = op.bytes;
  const std::uint32_t slot = op.slot;
  const auto strand = calls ? trace_->fork(*calls) : nullptr;
  co_await play(rank, ops, count, strand.get());
  if (strand) trace_->joins(*strand, slot);
  world_.fulfil(over);
}
// Goes on by itself.
void Program::behind(int rank, ranks::Task task) {
  auto& forks = of(rank).forks;
  while (!forks.empty() && forks.front().done()) forks.pop_front();
  forks.push_back(guarded(rank, std::move(task)));
  forks.back().handle().resume();
}
ranks::Task Program::guarded(int rank, ranks::Task task) {
  try {
    co_await task;
  } catch (...) {
    of(rank).failure = std::current_exception();
    world_.halt();
  }
}

void Program::begins(int rank, const abi::Op& op) {
  Rank& mine = of(rank);
  if (op.at != 0) {
    mine.regions.emplace_back(std::string(reinterpret_cast<const char*>(data(rank, op.at, op.bytes)), op.bytes),
                              world_.now());
    return;
  }
  mine.call.function = static_cast<std::uint16_t>(op.slot);
  mine.began = world_.now();
}

void Program::ended_call(int rank, const abi::Op& op) {
  Rank& mine = of(rank);
  if (op.at != 0) {
    if (mine.regions.empty()) overwritten(rank);
    served_.regions[mine.regions.back().first].add(world_.now() - mine.regions.back().second);
    mine.regions.pop_back();
    return;
  }
  if (mine.call.function == 0) return;
  served_.calls.add({mine.call.function, op.bytes, op.peer}, world_.now() - mine.began);
  mine.call.function = 0;
}

ranks::Task Program::play(int rank, const abi::Op* ops, std::uint64_t count, Trace::Strand* strand) {
  Rank& mine = of(rank);
  const int self = this->self(rank);
  for (std::uint64_t i = 0; i < count; ++i) {
    const abi::Op& op = ops[i];
    if (strand) trace_->plays(*strand, op);
    switch (op.does) {
      case Does::starts:
        mine.started = true;
        break;
      case Does::send:
        if (op.mode == static_cast<std::uint8_t>(abi::SendMode::synchronous)) {
          const auto made = co_await SynchronousSend{world_, data(rank, op.at, op.bytes), op.bytes,
                                                     self,   place(rank, op.peer),        word_of(op)};
          co_await Await{world_, made.send, Call::wait};
          world_.conclude(made.send);
          co_await Await{world_, made.answer, Call::wait};
          world_.conclude(made.answer);
          break;
        }
        co_await Simulated::Send{world_,
                                 data(rank, op.at, op.bytes),
                                 op.bytes,
                                 self,
                                 place(rank, op.peer),
                                 word_of(op),
                                 describes_ready_ && op.mode == static_cast<std::uint8_t>(abi::SendMode::ready)};
        break;
      case Does::isend: {
        std::byte* const from = data(rank, op.at, op.bytes);
        if (op.mode == static_cast<std::uint8_t>(abi::SendMode::synchronous)) {
          const auto made = co_await SynchronousSend{world_, from, op.bytes, self, place(rank, op.peer), word_of(op)};
          slot(rank, op.slot) = made.answer;
          mine.synchronous[op.slot] = made.send;
          break;
        }
        const auto made = co_await Simulated::Isend{world_, from, op.bytes, self, place(rank, op.peer), word_of(op)};
        slot(rank, op.slot) = made.id;
        break;
      }
      case Does::irecv:
        slot(rank, op.slot) =
            world_.post(self, data(rank, op.at, op.bytes), op.bytes, source(rank, op.peer), word_of(op));
        break;
      case Does::sendrecv: {
        const RequestId received =
            world_.post(self, data(rank, op.at2, op.bytes2), op.bytes2, source(rank, op.peer2), op.word2);
        co_await Exchange{
            world_,
            world_.sendrecv(self, data(rank, op.at, op.bytes), op.bytes, place(rank, op.peer), op.word, received),
            received};
        const described::Arrived arrived = world_.conclude(received);
        if (strand) trace_->exchanged(*strand, {rank_at(arrived.source), arrived.tag, arrived.bytes, 0});
        report(rank, op.result, arrived);
        break;
      }
      case Does::wait:
        if (!mine.synchronous.empty()) {
          co_await wait(rank, op.slot, op.result);
          break;
        }
        co_await Await{world_, under_way(rank, op.slot), op.mode == 0 ? Call::wait : Call::recv};
        conclude(rank, op.slot, op.result);
        break;
      case Does::wait_any:
        co_await wait_any(rank, op);
        break;
      case Does::test:
        co_await test(rank, op);
        break;
      case Does::probe:
        report(rank, op.result, co_await Probe{world_, self, source(rank, op.peer), op.word});
        break;
      case Does::iprobe: {
        const int word = word_of(op);
        const auto found = world_.sighted(self, source(rank, op.peer), word);
        const auto note = note_of(rank, op, word);
        if (!found) co_await ask_again(rank);
        report(rank, op.result, found.value_or(described::Arrived{}), found.has_value(), note);
        break;
      }
      case Does::claim: {
        const int word = word_of(op);
        if (op.mode == 0) co_await Probe{world_, self, source(rank, op.peer), word};
        const auto note = note_of(rank, op, word);
        const auto found = world_.claim(self, source(rank, op.peer), word);
        if (!found) co_await ask_again(rank);
        if (found) mine.claimed[op.slot] = found->message;
        report(rank, op.result, found ? found->about : described::Arrived{}, found.has_value(), note);
        break;
      }
      case Does::receive_claimed: {
        const auto found = mine.claimed.find(op.slot);
        if (found == mine.claimed.end()) overwritten(rank);
        const auto message = found->second;
        mine.claimed.erase(found);
        slot(rank, op.slot) = world_.post_claimed(self, data(rank, op.at, op.bytes), op.bytes, message);
        break;
      }
      case Does::cancel: {
        RequestId& request = under_way(rank, op.slot);
        const bool gone = !mine.synchronous.contains(op.slot) && world_.cancel(request);
        if (gone) request = described::none;
        report(rank, op.result, {}, gone);
        break;
      }
      case Does::behind: {
        const RequestId over = slot(rank, op.slot) = world_.promise(self);
        behind(rank, fork(rank, op, over, strand));
        break;
      }
      case Does::compute:
        co_await Simulated::Compute{world_, self, {static_cast<double>(op.bytes) * 1e-12, 0, 0}};
        break;
      case Does::copy:
        std::memmove(data(rank, op.at2, op.bytes), data(rank, op.at, op.bytes), op.bytes);
        break;
      case Does::reduce: {
        std::byte *const in = data(rank, op.at, op.bytes2), *const inout = data(rank, op.at2, op.bytes2);
        if (!in || !inout ||
            !abi::reduce(static_cast<abi::Basic>(op.type), static_cast<abi::Reduction>(op.operation), in, inout,
                         op.bytes))
          overwritten(rank);
        break;
      }
      case Does::barrier: {
        Simulated comm(world_, described::Groups::Place{group_, rank});
        co_await comm.barrier(segment_.ranks());
        break;
      }
      case Does::access:
        co_await access(rank, op);
        break;
      case Does::attach:
        one_sided_.attach(rank, op.word, {op.at, op.bytes});
        break;
      case Does::detach:
        one_sided_.detach(rank, op.word, op.at);
        break;
      case Does::look:
        co_await ask_again(rank);
        break;
      case Does::begins:
        begins(rank, op);
        break;
      case Does::ends:
        ended_call(rank, op);
        break;
      case Does::finishes:
        mine.finished = true;
        break;
      case Does::aborts:
        served_.aborted = op.peer;
        served_.aborted_by = rank;
        ends("rank " + std::to_string(rank) + " called MPI_Abort with " + std::to_string(op.peer));
      default:
        overwritten(rank);
    }
  }
}

}  // namespace assay::mpirun
