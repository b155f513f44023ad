// One time line for all ranks: this rank's clock as rank 0's, for collectives that are timed from a common start to the
// last exit (method.md, rule 7). Where two ranks' clocks are one, nothing is probed and the error is nothing.
//
// Down a binomial tree every rank learns from its parent, which knows already: of `probes` round trips the fastest says
// where the parent's stamp lay, with an error of at most half that round trip, beside the parent's own. Taken before
// and after a stretch of measurements, two such looks give the drift between them; what the line through them leaves is
// bounded by the greater error. Source: Hoefler, Schneider, Lumsdaine, Accurately measuring collective operations
// (2008); Hunold and Carpen-Amarie (2016).
#pragma once

#include <algorithm>

#include "ranks/collectives.hpp"

namespace assay::ranks {

class GlobalClock {
 public:
  struct Look {  // in ticks: rank 0's clock is this rank's plus `offset`, give or take `error`
    std::int64_t at = 0, offset = 0, error = 0;
  };

  std::int64_t global(std::int64_t own) const { return own + look_.offset; }
  std::int64_t own(std::int64_t global) const { return global - look_.offset; }
  const Look& look() const { return look_; }
  // The offset at `own` on the line through the look before and the one now.
  std::int64_t between(const Look& before, std::int64_t own) const {
    if (look_.at == before.at) return own + look_.offset;
    const double share = static_cast<double>(own - before.at) / static_cast<double>(look_.at - before.at);
    return own + before.offset + static_cast<std::int64_t>(share * static_cast<double>(look_.offset - before.offset));
  }

  template <Communicator C>
  Task set(C& comm, int ranks) {
    const int me = comm.rank();
    if (me >= ranks) co_return;
    int bit = 1;
    while (bit < ranks && (me & bit) == 0) bit *= 2;
    look_ = {};
    if (me != 0) co_await learn(comm, me & ~bit);
    for (bit /= 2; bit > 0; bit /= 2) {
      if (me + bit < ranks) co_await teach(comm, me + bit);
    }
    look_.at = comm.now();
  }

 private:
  static constexpr int probes = 32;

  template <Communicator C>
  Task teach(C& comm, int child) {
    if (comm.same_clock(child)) {
      co_await comm.send(&look_, sizeof look_, child, clock_tag);
      co_return;
    }
    for (int probe = 0; probe < probes; ++probe) {
      co_await comm.recv(nullptr, 0, child, clock_tag);
      const std::int64_t now = global(comm.now());
      co_await comm.send(&now, sizeof now, child, clock_tag);
    }
    co_await comm.send(&look_, sizeof look_, child, clock_tag);
  }

  template <Communicator C>
  Task learn(C& comm, int parent) {
    if (comm.same_clock(parent)) {
      co_await comm.recv(&look_, sizeof look_, parent, clock_tag);
      co_return;
    }
    std::int64_t fastest = 0, offset = 0;
    for (int probe = 0; probe < probes; ++probe) {
      std::int64_t theirs = 0;
      const std::int64_t sent = comm.now();
      co_await comm.send(nullptr, 0, parent, clock_tag);
      co_await comm.recv(&theirs, sizeof theirs, parent, clock_tag);
      const std::int64_t trip = comm.now() - sent;
      if (probe > 0 && trip >= fastest) continue;
      fastest = trip;
      offset = theirs - (sent + trip / 2);
    }
    Look above;
    co_await comm.recv(&above, sizeof above, parent, clock_tag);
    look_ = {0, offset, above.error + (fastest + 1) / 2};
  }

  Look look_;
};

}  // namespace assay::ranks
