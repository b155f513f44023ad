// Barriers of ranks: linear, up and down a binomial tree, by dissemination, recursive doubling and dimension exchange.
//
// Linear: every rank reports to rank 0, which answers each. Tree: up a binomial tree to rank 0 and down again.
// Dissemination (Hensgen, Finkel, Manber 1988): in round k rank r sends to r + 2^k and receives from r - 2^k. Recursive
// doubling: in round k ranks r and r ^ 2^k exchange messages at once. Dimension exchange: the same pairs from the
// highest dimension of the cube down, the lower rank sending first, as suits channels that carry one way at a time.
// Beyond a power of two the last two fold the surplus ranks onto the first ones.
//
// Each is flat, many barriers in one frame, as a barrier is short beside a frame's allocation. With witnesses a message
// carries 8 bytes: which of 64 witnesses (another 64 in each run) are known to have entered, so that every barrier that
// is timed is also checked; without, it carries none.
#pragma once

#include <bit>

#include "ranks/algorithms/table.hpp"
#include "ranks/pace.hpp"

namespace assay::ranks {

class Witnesses {
 public:
  explicit Witnesses(std::uint64_t turn) : turn_(turn) {}
  void next() { ++turn_; }
  std::uint64_t turn() const { return turn_; }
  // They are evenly spaced; a rank's bit, none where it is no witness.
  std::uint64_t of(int rank, int among) const {
    if (among <= 64) return std::uint64_t{1} << rank;
    const int stride = among / 64, place = rank - static_cast<int>(turn_ % static_cast<std::uint64_t>(stride));
    return place < 0 || place % stride != 0 || place / stride >= 64 ? 0 : std::uint64_t{1} << (place / stride);
  }
  void count(std::uint64_t seen, int among) {
    wrong_ += seen != (among >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << among) - 1);
  }
  std::int64_t take_wrong() { return std::exchange(wrong_, 0); }  // exits before all had entered

 private:
  std::uint64_t turn_;
  std::int64_t wrong_ = 0;
};

// Among the first `among` ranks; `ticks` has room for each reading, or is null.
struct Barriers {
  int among = 0;
  Run run{1, 1};
  std::int64_t* ticks = nullptr;
  Witnesses* witnesses = nullptr;

  std::size_t bytes() const { return witnesses ? sizeof(std::uint64_t) : 0; }
  std::uint64_t seen(int rank) const { return witnesses ? witnesses->of(rank, among) : 0; }
  void count(std::uint64_t seen) const {
    if (witnesses) witnesses->count(seen, among);
  }
  // A reading begins and ends; what it began at is kept in its place, and not in each rank's frame.
  void begins(std::int64_t reading, std::int64_t now) const {
    if (ticks) ticks[reading] = now;
  }
  void ends(std::int64_t reading, std::int64_t now) const {
    if (ticks) ticks[reading] = now - ticks[reading];
  }
#ifdef ASSAY_BREAK  // the tests' saboteur: a round is left out
  static constexpr int first_step = 2;
#else
  static constexpr int first_step = 1;
#endif
};

template <Communicator C>
Task barrier_linear(C& comm, Barriers b) {
  const int me = comm.rank();
  if (me >= b.among) co_return;
  for (std::int64_t reading = 0; reading < b.run.readings; ++reading) {
    b.begins(reading, comm.now());
    for (std::int64_t i = 0; i < b.run.batch; ++i) {
      std::uint64_t seen = b.seen(me), received = 0;
      if (me != 0) {
        co_await comm.send(&seen, b.bytes(), 0, collective_tag);
        co_await comm.recv(&seen, b.bytes(), 0, collective_tag);
      }
      for (int other = Barriers::first_step; me == 0 && other < b.among; ++other) {
        co_await comm.recv(&received, b.bytes(), other, collective_tag);
        seen |= received;
      }
      for (int other = 1; me == 0 && other < b.among; ++other)
        co_await comm.send(&seen, b.bytes(), other, collective_tag);
      b.count(seen);
    }
    b.ends(reading, comm.now());
  }
}

template <Communicator C>
Task barrier_binomial(C& comm, Barriers b) {
  const int me = comm.rank();
  if (me >= b.among) co_return;
  for (std::int64_t reading = 0; reading < b.run.readings; ++reading) {
    b.begins(reading, comm.now());
    for (std::int64_t i = 0; i < b.run.batch; ++i) {
      std::uint64_t seen = b.seen(me), received = 0;
      int bit = Barriers::first_step;
      for (; bit < b.among && (me & bit) == 0; bit *= 2) {
        if (me + bit >= b.among) continue;
        co_await comm.recv(&received, b.bytes(), me + bit, collective_tag);
        seen |= received;
      }
      if (me != 0 && bit < b.among) {
        co_await comm.send(&seen, b.bytes(), me & ~bit, collective_tag);
        co_await comm.recv(&seen, b.bytes(), me & ~bit, collective_tag);
      }
      for (bit /= 2; bit >= Barriers::first_step; bit /= 2) {
        if (me + bit < b.among) co_await comm.send(&seen, b.bytes(), me + bit, collective_tag);
      }
      b.count(seen);
    }
    b.ends(reading, comm.now());
  }
}

template <Communicator C>
Task barrier_dissemination(C& comm, Barriers b) {
  const int me = comm.rank();
  if (me >= b.among) co_return;
  for (std::int64_t reading = 0; reading < b.run.readings; ++reading) {
    b.begins(reading, comm.now());
    for (std::int64_t i = 0; i < b.run.batch; ++i) {
      std::uint64_t seen = b.seen(me), received = 0;
      for (int step = Barriers::first_step; step < b.among; step *= 2) {
        co_await comm.sendrecv(&seen, b.bytes(), me + step < b.among ? me + step : me + step - b.among, &received,
                               b.bytes(), me < step ? me - step + b.among : me - step, collective_tag);
        seen |= received;
      }
      b.count(seen);
    }
    b.ends(reading, comm.now());
  }
}

// `doubling`: distances grow and both send at once; else they shrink and the lower rank sends first.
template <bool doubling, Communicator C>
Task barrier_in_pairs(C& comm, Barriers b) {
  const int me = comm.rank(), cube = static_cast<int>(std::bit_floor(static_cast<unsigned>(b.among)));
  if (me >= b.among) co_return;
  for (std::int64_t reading = 0; reading < b.run.readings; ++reading) {
    b.begins(reading, comm.now());
    for (std::int64_t i = 0; i < b.run.batch; ++i) {
      std::uint64_t seen = b.seen(me), received = 0;
      if (me >= cube) {
        co_await comm.send(&seen, b.bytes(), me - cube, collective_tag);
        co_await comm.recv(&seen, b.bytes(), me - cube, collective_tag);
        b.count(seen);
        continue;
      }
      if (me + cube < b.among) {
        co_await comm.recv(&received, b.bytes(), me + cube, collective_tag);
        seen |= received;
      }
      for (int step = Barriers::first_step; step < cube; step *= 2) {
        const int other = me ^ (doubling ? step : cube / 2 / step);
        if (doubling) {
          co_await comm.sendrecv(&seen, b.bytes(), other, &received, b.bytes(), other, collective_tag);
        } else if (me < other) {
          co_await comm.send(&seen, b.bytes(), other, collective_tag);
          co_await comm.recv(&received, b.bytes(), other, collective_tag);
        } else {
          co_await comm.recv(&received, b.bytes(), other, collective_tag);
          co_await comm.send(&seen, b.bytes(), other, collective_tag);
        }
        seen |= received;
      }
      if (me + cube < b.among) co_await comm.send(&seen, b.bytes(), me + cube, collective_tag);
      b.count(seen);
    }
    b.ends(reading, comm.now());
  }
}

template <Communicator C>
Task barrier_doubling(C& comm, Barriers b) {
  return barrier_in_pairs<true>(comm, b);
}
template <Communicator C>
Task barrier_dimensions(C& comm, Barriers b) {
  return barrier_in_pairs<false>(comm, b);
}

}  // namespace assay::ranks
