// One-sided operations of a rank through the World: as puts and gets where the machine's description has them, else as
// messages that the target's node takes and answers by itself, as the steps of non-blocking collective calls. What a
// rank does to its own memory takes no time.
#include <coroutine>
#include <cstring>
#include <string>
#include <utility>

#include "mpi/pump.hpp"
#include "mpi/requests.hpp"

namespace assay::mpirun {
namespace {

using described::Call;
using described::RequestId;
using described::Simulated;

// The caller goes on when its processor has done its part.
struct Carry {
  described::Exposed& exposed;
  int origin, target;
  std::size_t number;
  const void* brings;
  std::byte* into;
  std::uint64_t bytes;
  bool puts;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const {
    if (puts)
      exposed.put(origin, described::Exposed::elsewhere, brings, bytes, target, number, caller);
    else
      exposed.get(origin, described::Exposed::elsewhere, into, bytes, target, number, caller);
  }
  void await_resume() const noexcept {}
};

// The tags of a window's own messages, the first two are the library's (windows/epochs.cpp).
int numbered_word(std::int32_t window, std::size_t number) {
  return abi::word_of(window, 2 + static_cast<int>(number % (abi::greatest_tag - 2)));
}

}  // namespace

void Program::operate(int rank, const abi::Op& op, OneSided::Operation& its) {
  its.does = static_cast<abi::Access>(op.mode);
  its.origin = rank;
  its.target = op.peer;
  place(rank, op.peer);
  its.window = op.word;
  its.type = static_cast<abi::Basic>(op.type);
  its.reduction = static_cast<abi::Reduction>(op.operation);
  its.element = static_cast<std::uint64_t>(op.word2);
  its.exclusive = op.type == 1;
  its.attached = op.peer2 == 1;
  const bool empty = (op.at == 0 && op.bytes > 0) || (op.at2 == 0 && op.bytes2 > 0);
  if (its.element == 0 || empty || op.bytes2 > std::uint64_t{1} << 40) overwritten(rank);
  const auto* const spans = reinterpret_cast<const abi::Span*>(data(rank, op.at2, op.bytes2 * sizeof(abi::Span)));
  its.spans.assign(spans, spans + op.bytes2);
  std::uint64_t bytes = 0;
  for (const abi::Span& each : its.spans) bytes += each.bytes;
  const std::byte* const brings = data(rank, op.at, op.bytes);
  const bool compares = its.does == abi::Access::compare, takes = its.does == abi::Access::get;
  if (its.does < abi::Access::lock && !takes && its.reduction != abi::Reduction::no_op &&
      op.bytes != bytes * (compares ? 2 : 1))
    overwritten(rank);
  if (its.accumulates() || op.peer == rank || !world_.model().describes_puts())
    its.operand.assign(brings, brings + op.bytes);
  if (its.fetches() || takes) its.result = data(rank, op.result, bytes);
}

ranks::Task Program::access(int rank, const abi::Op& op) {
  OneSided::Operation its;
  operate(rank, op, its);
  if (its.does != abi::Access::unlock) its.over = slot(rank, op.slot) = world_.promise(self(rank));
  const std::byte* const brings = data(rank, op.at, op.bytes);
  const std::size_t number = one_sided_.begin(std::move(its));
  const OneSided::Operation& begun = one_sided_.at(number);
  if (begun.target == rank) {
    arrived(number);
    one_sided_.done(number);
    co_return;
  }
  if (!world_.model().describes_puts()) {
    const RequestId there =
        world_.post(self(begun.target), nullptr, begun.operand.size(), self(rank), numbered_word(begun.window, number));
    const auto sent = co_await Simulated::Isend{world_,     begun.operand.data(), begun.operand.size(),
                                                self(rank), self(begun.target),   numbered_word(begun.window, number)};
    behind(rank, arrive(number, sent.id, there));
    co_return;
  }
  co_await Carry{world_.exposed(),
                 self(rank),
                 self(begun.target),
                 number,
                 brings,
                 begun.result,
                 begun.puts() ? op.bytes : begun.bytes,
                 begun.puts()};
}

// All that it brings is at its target, which does what is to be done.
void Program::arrived(std::size_t number) {
  OneSided::Operation& its = one_sided_.at(number);
  its.brought = true;
  if (its.puts()) return one_sided_.come(number, its.operand.data());
  its.found.resize(its.bytes);
  one_sided_.read(number, its.found.data());
  if (its.bytes > 0) std::memcpy(its.result, its.found.data(), its.bytes);
}

// By messages: what has been sent comes to the target, which answers.
ranks::Task Program::arrive(std::size_t number, RequestId sent, RequestId there) {
  co_await Await{world_, there, Call::wait};
  world_.conclude(there);
  arrived(number);
  const OneSided::Operation& its = one_sided_.at(number);
  co_await Await{world_, sent, Call::wait};
  world_.conclude(sent);
  const bool waits = its.does == abi::Access::lock && !its.granted;
  if (its.does != abi::Access::unlock && !waits) co_await answer(number);
  one_sided_.done(number);
}

// A message back from the target, with what was found there.
ranks::Task Program::answer(std::size_t number) {
  const OneSided::Operation& its = one_sided_.at(number);
  const int word = numbered_word(its.window, number), origin = self(its.origin), target = self(its.target);
  const RequestId back = world_.post(origin, nullptr, its.found.size(), target, word);
  const bool fetches = its.result != nullptr;
  const auto sent = co_await Simulated::Isend{
      world_, fetches ? its.found.data() : nullptr, fetches ? its.found.size() : 0, target, origin, word};
  co_await Await{world_, back, Call::wait};
  world_.conclude(back);
  co_await Await{world_, sent.id, Call::wait};
  world_.conclude(sent.id);
}

ranks::Task Program::answer_grant(std::size_t number) {
  co_await answer(number);
  one_sided_.grant_comes(number);
}
ranks::Task Program::fulfil(RequestId request) {
  co_await Later{world_};
  world_.fulfil(request);
}

// --- what OneSided asks for
pid_t Program::asleep(int rank) {
  if (of(rank).finished)
    ends("rank " + std::to_string(rank) + " has called MPI_Finalize, and another rank accesses its memory");
  if (of(rank).running) await_batch(rank);
  return segment_.control(rank).pid;
}
void Program::send_grant(std::size_t number) {
  const OneSided::Operation& lock = one_sided_.at(number);
  if (lock.origin == lock.target) return one_sided_.grant_comes(number);
  if (!world_.model().describes_puts()) return behind(lock.target, answer_grant(number));
  const int from = self(lock.target), to = self(lock.origin);
  OneSided::Operation grant;
  grant.grants = number;
  world_.exposed().put(from, described::Exposed::elsewhere, nullptr, 0, to, one_sided_.begin(std::move(grant)),
                       std::noop_coroutine());
}
void Program::send_result(std::size_t number) {
  const OneSided::Operation& its = one_sided_.at(number);
  world_.exposed().get(self(its.origin), described::Exposed::elsewhere, its.result, its.bytes, self(its.target), number,
                       std::noop_coroutine());
}
void Program::over(RequestId request) {
  ++ends_;
  world_.fulfil(request);
}
void Program::over_soon(int rank, RequestId request) {
  ++ends_;
  behind(rank, fulfil(request));
}
void Program::refuses(std::string why) { ends(std::move(why)); }

}  // namespace assay::mpirun
