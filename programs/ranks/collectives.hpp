// Collectives made of nothing but sends and receives, the same on every machine. They keep the sampling loop's ranks in
// step outside timed regions; they are not what a library's own collectives would do.
#pragma once

#include <cstddef>

#include "ranks/communicator.hpp"

namespace assay::ranks {

inline constexpr int barrier_tag = last_tag + 1;
inline constexpr int broadcast_tag = last_tag + 2;
inline constexpr int gather_tag = last_tag + 3;
inline constexpr int reduce_tag = last_tag + 4;
inline constexpr int clock_tag = last_tag + 5;

// Dissemination barrier (Hensgen, Finkel, Manber 1988): in round k rank r sends to r + 2^k and receives from r - 2^k.
template <Communicator C>
Task barrier(C& comm) {
  const int me = comm.rank(), ranks = comm.size();
  for (int step = 1; step < ranks; step *= 2)
    co_await comm.sendrecv(nullptr, 0, (me + step) % ranks, nullptr, 0, (me - step + ranks) % ranks, barrier_tag);
}

// From rank 0 down a binomial tree to ranks 0 … ranks - 1: rank r hears from r without its lowest set bit.
template <Communicator C>
Task broadcast(C& comm, void* data, std::size_t bytes, int ranks) {
  const int me = comm.rank();
  if (me >= ranks) co_return;
  int bit = 1;
  while (bit < ranks && (me & bit) == 0) bit *= 2;
  if (me != 0) co_await comm.recv(data, bytes, me & ~bit, broadcast_tag);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (me + bit < ranks) co_await comm.send(data, bytes, me + bit, broadcast_tag);
  }
}
template <Communicator C>
Task broadcast(C& comm, void* data, std::size_t bytes) {
  return broadcast(comm, data, bytes, comm.size());
}

// To rank 0 up the same tree: every rank joins what its children found into its own `count` values, element by element;
// rank 0 then holds those of ranks 0 … ranks - 1. `room` is as large and is written over; without data both are null.
// `join` is best a type of its own: a million ranks may be in here, each with a frame that holds it.
template <Communicator C, class Value, class Join>
Task reduce(C& comm, int ranks, Value* values, Value* room, std::size_t count, Join join) {
  if (comm.rank() >= ranks) co_return;
  for (int bit = 1; bit < ranks; bit *= 2) {
    if ((comm.rank() & bit) != 0) {
      co_await comm.send(values, count * sizeof(Value), comm.rank() & ~bit, reduce_tag);
      break;
    }
    if (comm.rank() + bit >= ranks) continue;
    co_await comm.recv(room, count * sizeof(Value), comm.rank() + bit, reduce_tag);
    for (std::size_t i = 0; values && i < count; ++i) join(values[i], room[i]);
  }
}

// Everybody's `mine` (the same number of bytes) into `all` of rank 0, in order of rank; `all` may be null elsewhere.
template <Communicator C>
Task gather(C& comm, const void* mine, std::size_t bytes, void* all) {
  if (comm.rank() != 0) {
    co_await comm.send(mine, bytes, 0, gather_tag);
    co_return;
  }
  auto* place = static_cast<std::byte*>(all);
  const auto* from = static_cast<const std::byte*>(mine);
  for (std::size_t i = 0; i < bytes; ++i) place[i] = from[i];
  for (int rank = 1; rank < comm.size(); ++rank) co_await comm.recv(place + rank * bytes, bytes, rank, gather_tag);
}

}  // namespace assay::ranks
