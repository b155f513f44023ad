// A moment at which all ranks begin, by the global clock (method.md, rule 7), for operations that are read one by one
// and are no windows (windows.hpp): who leaves a barrier first waits for the others inside its operation, for up to a
// message's time. On a real machine.
#pragma once

#include <algorithm>
#include <string>

#include "ranks/collectives.hpp"
#include "ranks/global_clock.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

class AgreedStart {
 public:
  // How far ahead a moment is agreed: four times as long as the fastest of some barriers takes, and 20 us.
  template <Communicator C>
  Task set(C& comm) {
    co_await clock_.set(comm, comm.size());
    std::int64_t fastest = 0;
    for (int probe = 0; probe < probes; ++probe) {
      const std::int64_t before = comm.now();
      co_await barrier(comm);
      const std::int64_t took = comm.now() - before;
      fastest = probe == 0 ? took : std::min(fastest, took);
    }
    ahead_ = 4 * fastest + static_cast<std::int64_t>(2e-5 * C::ticks_a_second);
  }
  // Rank 0 agrees the next moment; `moment`: by this rank's clock.
  template <Communicator C>
  Task agree(C& comm, std::int64_t& moment) const {
    std::int64_t at = comm.now() + ahead_;
    co_await broadcast(comm, &at, sizeof at);
    moment = clock_.own(at);
  }
  // At rank 0, of each start: whether some rank came too late for it.
  void counts(bool missed) {
    ++agreed_;
    missed_ += missed;
  }
  // Said once at the end, at rank 0.
  void report(Session& session) const {
    if (missed_ == 0) return;
    session.note(std::to_string(missed_) + " of " + std::to_string(agreed_) + " readings began late on some rank");
  }

 private:
  static constexpr int probes = 8;
  GlobalClock clock_;
  std::int64_t ahead_ = 0;  // ticks
  std::int64_t agreed_ = 0, missed_ = 0;
};

}  // namespace assay::ranks
