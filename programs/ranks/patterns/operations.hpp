// One operation of each pattern, made of sends and receives, as MPICH 1.2 made its collectives: broadcast and reduction
// by binomial trees, not in pieces; collect by the root's receives in turn; transposition with all messages posted at
// once. Null data are simulated without being carried.
// What is done in a rank's own memory is charged where it is described (own_memory.hpp).
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include "ranks/communicator.hpp"
#include "ranks/own_memory.hpp"
#include "ranks/patterns/counts.hpp"

namespace assay::ranks {

// What a rank's pattern works on: `out` is sent, `in` received, `pack` lies between for what is packed.
struct Area {
  std::byte *out = nullptr, *in = nullptr, *pack = nullptr;
};
// Bytes that an area needs in each of the three.
struct Room {
  std::size_t out = 0, in = 0, pack = 0;
};
inline Room room(Pattern pattern, std::size_t bytes, std::size_t stride, int rank, int ranks) {
  switch (pattern) {
    case Pattern::strided:
      return {bytes * stride, bytes * stride, bytes};
    case Pattern::collect:
      return {bytes, rank == 0 ? bytes * static_cast<std::size_t>(ranks) : 0, 0};
    case Pattern::transposition:
      return {matrix(bytes, ranks), matrix(bytes, ranks), 2 * matrix(bytes, ranks)};
    case Pattern::neighbour_1d:
    case Pattern::neighbour_2d:
    case Pattern::neighbour_3d:
      return {bytes, 2 * static_cast<std::size_t>(dimensions(pattern)) * bytes, 0};
    default:
      return {bytes, bytes, 0};
  }
}

inline constexpr int pattern_tag = 1;

// A message there and one back, `trips` times, between the two ranks that name each other; `first` sends first. The
// loop is inside, where no trip pays for a frame.
template <Communicator C>
Task there_and_back(C& comm, Area area, std::size_t bytes, int other, bool first, std::int64_t trips) {
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    if (first) co_await comm.send(area.out, bytes, other, pattern_tag);
    co_await comm.recv(area.in, bytes, other, pattern_tag);
    if (!first) co_await comm.send(area.out, bytes, other, pattern_tag);
  }
}

// The same with 8-byte words `stride` words apart, packed before each message and unpacked after it.
template <Communicator C>
Task strided_there_and_back(C& comm, Area area, std::size_t bytes, std::size_t stride, int other, bool first,
                            std::int64_t trips) {
  const std::size_t words = bytes / 8;
  bool sends = first;
  for (std::int64_t passage = 0; passage < 2 * trips; ++passage, sends = !sends) {
    if (sends) {
      co_await own_memory(comm, "pack", bytes, area.out, [=] {
        for (std::size_t i = 0; i < words; ++i) std::memcpy(area.pack + 8 * i, area.out + 8 * stride * i, 8);
      });
      co_await comm.send(area.pack, bytes, other, pattern_tag);
    } else {
      co_await comm.recv(area.pack, bytes, other, pattern_tag);
      co_await own_memory(comm, "pack", bytes, area.in, [=] {
        for (std::size_t i = 0; i < words; ++i) std::memcpy(area.in + 8 * stride * i, area.pack + 8 * i, 8);
      });
    }
  }
}

// Everybody's `out` into the root's `in`, in order of rank.
template <Communicator C>
Task collect(C& comm, Area area, std::size_t bytes) {
  const int me = comm.rank(), ranks = comm.size();
  if (me > 0) {
    co_await comm.send(area.out, bytes, 0, pattern_tag);
    co_return;
  }
  co_await own_memory(comm, "copy", bytes, area.out, [=] { std::memcpy(area.in, area.out, bytes); });
  for (int rank = 1; rank < ranks; ++rank) {
    std::byte* place = area.in ? area.in + static_cast<std::size_t>(rank) * bytes : nullptr;
    co_await comm.recv(place, bytes, rank, pattern_tag);
    co_await own_memory(comm, "gather", bytes, nullptr, [] {});
  }
}

// Apart from the coroutine, in whose body the compiler leaves the loop unvectorised.
[[gnu::noinline]] inline void keep_greatest(double* __restrict mine, const double* __restrict theirs,
                                            std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) mine[i] = std::max(mine[i], theirs[i]);
}

// The greatest of everybody's doubles, element by element, into the root's `out`; `in` is written over.
template <Communicator C>
Task greatest(C& comm, Area area, std::size_t bytes) {
  const int me = comm.rank(), ranks = comm.size();
  const std::size_t words = bytes / 8;
  for (int bit = 1; bit < ranks; bit *= 2) {
    if ((me & bit) != 0) {
      co_await comm.send(area.out, bytes, me & ~bit, pattern_tag);
      co_return;
    }
    if (me + bit >= ranks) continue;
    co_await comm.recv(area.in, bytes, me + bit, pattern_tag);
    co_await own_memory(comm, "maximum", bytes, area.in, [=] {
      keep_greatest(reinterpret_cast<double*>(area.out), reinterpret_cast<const double*>(area.in), words);
    });
  }
}

// Rows of the matrix of ranks * side columns in `out`; the same rows of its transpose into `in`.
template <Communicator C>
Task transpose(C& comm, Area area, std::size_t side) {
  const int me = comm.rank(), ranks = comm.size();
  const std::size_t block = side * side, bytes = 8 * block, columns = side * static_cast<std::size_t>(ranks);
  auto *out = reinterpret_cast<double*>(area.out), *in = reinterpret_cast<double*>(area.in);
  auto* sent = reinterpret_cast<double*>(area.pack);
  double* got = sent ? sent + columns * side : nullptr;
  const auto place = [=](double* base, int rank) {
    return base ? base + static_cast<std::size_t>(rank) * block : base;
  };
  std::vector<typename C::ReceiveRequest> due;
  std::vector<typename C::SendRequest> leaving;
  for (int k = 1; k < ranks; ++k) {
    const int from = (me + k) % ranks;
    due.push_back(co_await comm.irecv(place(got, from), bytes, from, pattern_tag));
  }
  co_await own_memory(comm, "rearrange", columns * side * 8, area.out, [=] {
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = 0; row < side; ++row) sent[column * side + row] = out[row * columns + column];
    std::memcpy(place(got, me), place(sent, me), bytes);
  });
  for (int k = 1; k < ranks; ++k) {
    const int to = (me - k + ranks) % ranks;
    leaving.push_back(co_await comm.isend(place(sent, to), bytes, to, pattern_tag));
  }
  for (auto& each : due) co_await comm.wait(each);
  for (auto& each : leaving) co_await comm.wait(each);
  co_await own_memory(comm, "rearrange", columns * side * 8, area.in, [=] {
    for (std::size_t from = 0; from < static_cast<std::size_t>(ranks); ++from)
      for (std::size_t row = 0; row < side; ++row)
        std::memcpy(in + row * columns + from * side, got + from * block + row * side, side * 8);
  });
}

// Whom a rank's direction goes to, and whom it comes from.
struct Shift {
  int to = 0, from = 0;
};
// Along each dimension to the next and then to the one before: worked out before an operation, which is timed.
struct Shifts {
  int count = 0;
  std::array<Shift, 6> each;
  Shifts(int ranks, int rank, int dimensions) : count(2 * dimensions) {
    const std::array<int, 3> extents = torus(ranks, dimensions);
    for (int direction = 0; direction < count; ++direction) {
      const int step = direction % 2 == 0 ? 1 : -1;
      each[static_cast<std::size_t>(direction)] = {neighbour(extents, rank, direction / 2, step),
                                                   neighbour(extents, rank, direction / 2, -step)};
    }
  }
};

// In each direction, all ranks at once; what each brings has a place of its own in `in`.
template <Communicator C>
Task neighbours(C& comm, Area area, std::size_t bytes, Shifts shifts) {
  for (int direction = 0; direction < shifts.count; ++direction) {
    const Shift shift = shifts.each[static_cast<std::size_t>(direction)];
    std::byte* place = area.in ? area.in + static_cast<std::size_t>(direction) * bytes : nullptr;
    if (shift.to == comm.rank()) {
      co_await own_memory(comm, "copy", bytes, area.out, [=] { std::memcpy(place, area.out, bytes); });
    } else {
      co_await comm.sendrecv(area.out, bytes, shift.to, place, bytes, shift.from, pattern_tag);
    }
  }
}

}  // namespace assay::ranks
