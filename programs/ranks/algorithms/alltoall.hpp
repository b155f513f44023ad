// All to all: with all messages posted at once, by pairwise exchange, and by Bruck's rounds.
//
// Pairwise: in step k rank r sends to r + k and receives from r - k; for a power of two r and r ^ k exchange. Bruck:
// the blocks are turned so that block k is k ranks on; in round j all blocks whose number has bit j go 2^j ranks on in
// one message. Sources: Thakur, Rabenseifner, Gropp 2005; Bruck et al. 1997.
#pragma once

#include <bit>

#include "ranks/algorithms/table.hpp"

namespace assay::ranks {

template <Communicator C>
Task alltoall_linear(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const auto place = [&](int rank) { return static_cast<std::size_t>(rank) * x.block; };
  std::vector<typename C::ReceiveRequest> due;
  std::vector<typename C::SendRequest> leaving;
  copy_bytes(at_byte(x.out, place(me)), at_byte(x.in, place(me)), x.block);
  for (int k = 1; k < ranks; ++k) {
    const int from = (me - k + ranks) % ranks;
    due.push_back(co_await comm.irecv(at_byte(x.out, place(from)), x.block, from, collective_tag));
  }
  for (int k = 1; k < ranks; ++k) {
    const int to = (me + k) % ranks;
    leaving.push_back(co_await comm.isend(at_byte(x.in, place(to)), x.block, to, collective_tag));
  }
  for (auto& each : due) co_await comm.wait(each);
  for (auto& each : leaving) co_await comm.wait(each);
}

template <Communicator C>
Task alltoall_pairwise(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const auto place = [&](int rank) { return static_cast<std::size_t>(rank) * x.block; };
  const bool paired = std::has_single_bit(static_cast<unsigned>(ranks));
  copy_bytes(at_byte(x.out, place(me)), at_byte(x.in, place(me)), x.block);
  for (int k = 1; k < ranks; ++k) {
    const int to = paired ? me ^ k : (me + k) % ranks, from = paired ? to : (me - k + ranks) % ranks;
    co_await comm.sendrecv(at_byte(x.in, place(to)), x.block, to, at_byte(x.out, place(from)), x.block, from,
                           collective_tag);
  }
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
