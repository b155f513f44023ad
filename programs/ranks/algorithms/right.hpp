// Whether a collective operation does what it must: everybody's data are right, and nobody leaves a barrier early.
// `once` is the operation as a Task on every rank.
#pragma once

#include "ranks/algorithms/data.hpp"
#include "ranks/algorithms/possible.hpp"
#include "ranks/global_clock.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

// Memory of one rank: `in`, `out` and, where an algorithm may need it, twice as much to spare.
class Held {
 public:
  Held() = default;
  explicit Held(std::size_t bytes, bool spare = true)
      : in_(bytes + 8), out_(bytes + 8), spare_(spare ? 2 * bytes + 8 : 0) {}
  Exchange exchange(std::size_t block, int root, bool copies_own = true) {
    return {in_.data(), out_.data(), spare_.data(), block, root, copies_own};
  }
  std::vector<std::byte>& in() { return in_; }

 private:
  std::vector<std::byte> in_, out_, spare_;
};

// `once(exchange)` on data of its own, among the first ranks; `real`: their memory on a real machine; `wrong`: what
// else was found wrong by then. `how` follows in the verdict.
template <Communicator C, class Once>
Task verify_data(C& comm, CollectiveCase at, Held& real, std::int64_t& wrong, std::string_view how, Verdict& verdict,
                 Once once) {
  const int me = comm.rank(), ranks = at.among;
  if (me >= ranks) co_return;
  const std::size_t bytes = blocks(at.operation, ranks) * at.bytes;
  constexpr std::size_t most = std::size_t{128} << 20;  // of all ranks in one process
  if (comm.is_simulated() && 4 * bytes * static_cast<std::size_t>(ranks) > most) {
    verdict = {true, not_carried};
    co_return;
  }
  Held own;
  if (comm.is_simulated()) own = Held(bytes);
  Held& held = comm.is_simulated() ? own : real;
  const Exchange x = held.exchange(at.bytes, at.root);
  put_data(at.operation, x, held.in().data(), me, ranks);
  co_await once(x);
  std::int64_t found = wrong_data(at.operation, x, me, ranks) + std::exchange(wrong, 0), other = 0;
  co_await reduce(comm, ranks, &found, &other, 1, [](auto& mine, auto theirs) { mine += theirs; });
  verdict.passed = found == 0;
  verdict.detail = std::to_string(ranks) + " ranks, every byte" + std::string(how);
  if (found > 0) verdict.detail += ": " + std::to_string(found) + " wrong";
}

// The last rank enters `once()` late; on the global clock no rank may leave before it.
template <Communicator C, class Once>
Task verify_late(C& comm, int among, Verdict& verdict, Once once) {
  constexpr double late = 2e-4;
  if (comm.rank() >= among) co_return;
  GlobalClock clock;
  co_await clock.set(comm, among);
  if (comm.rank() == among - 1) {
    const std::int64_t until = comm.now() + static_cast<std::int64_t>(late * C::ticks_a_second);
    co_await comm.compute(late, [&] {
      while (!comm.is_simulated() && comm.now() < until) {
      }
    });
  }
  Passage stay{clock.global(comm.now()) - clock.look().error, 0}, other;
  co_await once();
  stay.out = clock.global(comm.now()) + clock.look().error;
  co_await reduce(comm, among, &stay, &other, 1, [](Passage& mine, const Passage& theirs) {
    mine.in = std::max(mine.in, theirs.in);
    mine.out = std::min(mine.out, theirs.out);
  });
  verdict.passed = stay.out >= stay.in;
  verdict.detail = std::to_string(among) + " ranks, one of them late";
  if (!verdict.passed) verdict.detail += ": a rank left before the late one came";
}

}  // namespace assay::ranks
