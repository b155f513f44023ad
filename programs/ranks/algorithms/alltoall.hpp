// All to all: with all messages posted at once, by pairwise exchange, and by Bruck's rounds.
//
// Pairwise: in step k rank r sends to r + k and receives from r - k; for a power of two r and r ^ k exchange. Bruck:
// the blocks are turned so that block k is k ranks on; in round j all blocks whose number has bit j go 2^j ranks on in
// one message. Sources: Thakur, Rabenseifner, Gropp 2005; Bruck et al. 1997.
#pragma once

#include "ranks/algorithms/table.hpp"

namespace assay::ranks {

// Messages of one length, and alltoallv's of unlike ones: what goes from one rank to another, and where it lies.
struct Even {
  static std::size_t bytes(const Exchange& x, int, int, int) { return x.block; }
  static std::size_t place(const Exchange& x, int other) { return static_cast<std::size_t>(other) * x.block; }
};
struct Uneven {
  static std::size_t bytes(const Exchange& x, int from, int to, int ranks) { return uneven(x.block, from, to, ranks); }
  static std::size_t place(const Exchange& x, int other) { return static_cast<std::size_t>(other) * 2 * x.block; }
};

template <class Lengths, Communicator C>
Task all_at_once(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  std::vector<typename C::ReceiveRequest> due;
  std::vector<typename C::SendRequest> leaving;
  const std::size_t own = Lengths::place(x, me);
  if (x.copies_own) copy_bytes(at_byte(x.out, own), at_byte(x.in, own), Lengths::bytes(x, me, me, ranks));
  for (int k = 1; k < ranks; ++k) {
    const int from = (me - k + ranks) % ranks;
    due.push_back(co_await comm.irecv(at_byte(x.out, Lengths::place(x, from)), Lengths::bytes(x, from, me, ranks), from,
                                      collective_tag));
  }
  for (int k = 1; k < ranks; ++k) {
    const int to = (me + k) % ranks;
    leaving.push_back(co_await comm.isend(at_byte(x.in, Lengths::place(x, to)), Lengths::bytes(x, me, to, ranks), to,
                                          collective_tag));
  }
  for (auto& each : due) co_await comm.wait(each);
  for (auto& each : leaving) co_await comm.wait(each);
}

template <class Lengths, Communicator C>
Task in_pairs(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const std::size_t own = Lengths::place(x, me);
  if (x.copies_own) copy_bytes(at_byte(x.out, own), at_byte(x.in, own), Lengths::bytes(x, me, me, ranks));
  for (int k = 1; k < ranks; ++k) {
    const auto [to, from] = pair_in_step(k, me, ranks);
    co_await comm.sendrecv(at_byte(x.in, Lengths::place(x, to)), Lengths::bytes(x, me, to, ranks), to,
                           at_byte(x.out, Lengths::place(x, from)), Lengths::bytes(x, from, me, ranks), from,
                           collective_tag);
  }
}

template <Communicator C>
Task alltoall_linear(C& comm, Exchange x) {
  return all_at_once<Even>(comm, x);
}
template <Communicator C>
Task alltoall_pairwise(C& comm, Exchange x) {
  return in_pairs<Even>(comm, x);
}
template <Communicator C>
Task alltoallv_linear(C& comm, Exchange x) {
  return all_at_once<Uneven>(comm, x);
}
template <Communicator C>
Task alltoallv_pairwise(C& comm, Exchange x) {
  return in_pairs<Uneven>(comm, x);
}

// `out` serves for the packed blocks; they arrive behind the turned ones, in the second half of `spare`.
template <Communicator C>
Task alltoall_bruck(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const auto place = [&](int k) { return static_cast<std::size_t>(k) * x.block; };
  for (int k = 0; k < ranks; ++k)
    copy_bytes(at_byte(x.spare, place(k)), at_byte(x.in, place((me + k) % ranks)), x.block);
  for (int bit = 1; bit < ranks; bit *= 2) {
    int packed = 0;
    for (int k = bit; k < ranks; ++k) {
      if ((k & bit) != 0) copy_bytes(at_byte(x.out, place(packed++)), at_byte(x.spare, place(k)), x.block);
    }
    std::byte* const arrived = at_byte(x.spare, place(ranks));
    co_await comm.sendrecv(x.out, place(packed), (me + bit) % ranks, arrived, place(packed), (me - bit + ranks) % ranks,
                           collective_tag);
    packed = 0;
    for (int k = bit; k < ranks; ++k) {
      if ((k & bit) != 0) copy_bytes(at_byte(x.spare, place(k)), at_byte(arrived, place(packed++)), x.block);
    }
  }
  for (int k = 0; k < ranks; ++k)
    copy_bytes(at_byte(x.out, place((me - k + ranks) % ranks)), at_byte(x.spare, place(k)), x.block);
}

}  // namespace assay::ranks
