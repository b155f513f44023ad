// Allreduce, allgather, and the broadcast made of a scatter and a ring.
//
// Recursive doubling: in round k ranks r and r ^ 2^k exchange all they have; beyond a power of two the surplus ranks
// are folded onto the first ones before and get the result after. Ring allreduce: a reduce-scatter round the ring, then
// an allgather round it, each in p - 1 steps of a p-th of the words. Bruck's allgather: in round k rank r sends what it
// has to r - 2^k, and turns the blocks into order at the end. Sources: Thakur, Rabenseifner, Gropp 2005; Bruck et al.
// 1997; Patarasuk and Yuan 2009 (ring).
#pragma once

#include <bit>

#include "ranks/algorithms/rooted.hpp"

namespace assay::ranks {

template <Communicator C>
Task allreduce_binomial(C& comm, Exchange x) {
  x.root = 0;
  co_await reduce_binomial(comm, x);
  co_await broadcast_binomial(comm, x);
}

template <Communicator C>
Task allreduce_doubling(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const int cube = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  copy_bytes(x.out, x.in, x.block);
  if (me >= cube) {
    co_await comm.send(x.out, x.block, me - cube, collective_tag);
    co_await comm.recv(x.out, x.block, me - cube, collective_tag);
    co_return;
  }
  if (me + cube < ranks) {
    co_await comm.recv(x.spare, x.block, me + cube, collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
  for (int step = 1; step < cube; step *= 2) {
    co_await comm.sendrecv(x.out, x.block, me ^ step, x.spare, x.block, me ^ step, collective_tag);
    co_await sum(comm, x.out, x.spare, x.block);
  }
  if (me + cube < ranks) co_await comm.send(x.out, x.block, me + cube, collective_tag);
}

// Part `k` of a block of whole words that is divided among `ranks`: where it begins; the last ends at the block's end.
inline std::size_t part_begins(std::size_t block, int k, int ranks) {
  return block / 8 * static_cast<std::size_t>(k) / static_cast<std::size_t>(ranks) * 8;
}
inline std::size_t part_bytes(std::size_t block, int k, int ranks) {
  return (k + 1 == ranks ? block : part_begins(block, k + 1, ranks)) - part_begins(block, k, ranks);
}

// Every part of the block round the ring, rank r beginning with part r + `ahead`, so that after p - 1 steps all have
// all.
template <Communicator C>
Task parts_round(C& comm, Exchange x, int ahead) {
  const int ranks = comm.size(), place = (comm.rank() - x.root + ranks) % ranks;
  const int next = (comm.rank() + 1) % ranks, previous = (comm.rank() - 1 + ranks) % ranks;
  for (int step = 0; step + 1 < ranks; ++step) {
    const int gives = (place + ahead - step + ranks) % ranks, gets = (gives - 1 + ranks) % ranks;
    co_await comm.sendrecv(at_byte(x.out, part_begins(x.block, gives, ranks)), part_bytes(x.block, gives, ranks), next,
                           at_byte(x.out, part_begins(x.block, gets, ranks)), part_bytes(x.block, gets, ranks),
                           previous, collective_tag);
  }
}

template <Communicator C>
Task allreduce_ring(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  const int next = (me + 1) % ranks, previous = (me - 1 + ranks) % ranks;
  x.root = 0;
  copy_bytes(x.out, x.in, x.block);
  for (int step = 0; step + 1 < ranks; ++step) {
    const int gives = (me - step + ranks) % ranks, gets = (gives - 1 + ranks) % ranks;
    const std::size_t bytes = part_bytes(x.block, gets, ranks);
    co_await comm.sendrecv(at_byte(x.out, part_begins(x.block, gives, ranks)), part_bytes(x.block, gives, ranks), next,
                           x.spare, bytes, previous, collective_tag);
    co_await sum(comm, at_byte(x.out, part_begins(x.block, gets, ranks)), x.spare, bytes);
  }
  co_await parts_round(comm, x, 1);
}

// Van de Geijn's broadcast: the root sends each rank its part, and the parts go round the ring.
template <Communicator C>
Task broadcast_scattered(C& comm, Exchange x) {
  const int ranks = comm.size(), place = (comm.rank() - x.root + ranks) % ranks;
  if (place == 0) {
    for (int k = 1; k < ranks; ++k)
      co_await comm.send(at_byte(x.out, part_begins(x.block, k, ranks)), part_bytes(x.block, k, ranks),
                         (x.root + k) % ranks, collective_tag);
  } else {
    co_await comm.recv(at_byte(x.out, part_begins(x.block, place, ranks)), part_bytes(x.block, place, ranks), x.root,
                       collective_tag);
  }
  co_await parts_round(comm, x, 0);
}

// Everybody to everybody at once.
template <Communicator C>
Task allgather_linear(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  std::vector<typename C::ReceiveRequest> due;
  std::vector<typename C::SendRequest> leaving;
  copy_bytes(at_byte(x.out, static_cast<std::size_t>(me) * x.block), x.in, x.block);
  for (int k = 1; k < ranks; ++k) {
    const int from = (me - k + ranks) % ranks;
    due.push_back(
        co_await comm.irecv(at_byte(x.out, static_cast<std::size_t>(from) * x.block), x.block, from, collective_tag));
  }
  for (int k = 1; k < ranks; ++k)
    leaving.push_back(co_await comm.isend(x.in, x.block, (me + k) % ranks, collective_tag));
  for (auto& each : due) co_await comm.wait(each);
  for (auto& each : leaving) co_await comm.wait(each);
}

template <Communicator C>
Task allgather_ring(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  copy_bytes(at_byte(x.out, static_cast<std::size_t>(me) * x.block), x.in, x.block);
  for (int step = 0; step + 1 < ranks; ++step) {
    const int gives = (me - step + ranks) % ranks, gets = (gives - 1 + ranks) % ranks;
    co_await comm.sendrecv(at_byte(x.out, static_cast<std::size_t>(gives) * x.block), x.block, (me + 1) % ranks,
                           at_byte(x.out, static_cast<std::size_t>(gets) * x.block), x.block, (me - 1 + ranks) % ranks,
                           collective_tag);
  }
}

template <Communicator C>
Task allgather_bruck(C& comm, Exchange x) {
  const int me = comm.rank(), ranks = comm.size();
  copy_bytes(x.spare, x.in, x.block);
  for (int have = 1; have < ranks; have *= 2) {
    const auto bytes = static_cast<std::size_t>(std::min(have, ranks - have)) * x.block;
    co_await comm.sendrecv(x.spare, bytes, (me - have + ranks) % ranks,
                           at_byte(x.spare, static_cast<std::size_t>(have) * x.block), bytes, (me + have) % ranks,
                           collective_tag);
  }
  for (int k = 0; k < ranks; ++k)
    copy_bytes(at_byte(x.out, static_cast<std::size_t>((me + k) % ranks) * x.block),
               at_byte(x.spare, static_cast<std::size_t>(k) * x.block), x.block);
}

}  // namespace assay::ranks
