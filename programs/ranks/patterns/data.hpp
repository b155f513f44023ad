// The data by which a pattern is verified: what each rank puts into its `out`, and how many bytes or numbers of its
// `in` (its `out` where the greatest are found) are not what the ranks before must have sent.
#pragma once

#include "ranks/buffers.hpp"
#include "ranks/patterns/operations.hpp"

namespace assay::ranks {

// Of what is verified: a case and who takes part. `other`: the partner where ranks work in pairs.
struct Sample {
  Pattern pattern;
  std::size_t bytes, stride;
  int rank, ranks, other;
};

// Number `i` of what `rank` contributes to the greatest: a whole number below 2^53, which a double holds.
inline double contribution(int rank, std::size_t i) {
  std::uint64_t state = static_cast<std::uint64_t>(rank) * 1000003 + i;
  return static_cast<double>(Session::random(state) >> 12);
}

inline void put_data(const Sample& of, const Area& area, const Room& room) {
  const auto salt = static_cast<std::uint64_t>(of.rank);
  auto* numbers = reinterpret_cast<double*>(area.out);
  if (area.in) poison(area.in, room.in);
  if (of.pattern == Pattern::strided) {
    poison(area.out, room.out);
    write_pattern(area.pack, of.bytes, salt, true);
    for (std::size_t i = 0; i < of.bytes / 8; ++i) std::memcpy(area.out + 8 * of.stride * i, area.pack + 8 * i, 8);
    poison(area.pack, room.pack);
  } else if (of.pattern == Pattern::reduction) {
    for (std::size_t i = 0; i < of.bytes / 8; ++i) numbers[i] = contribution(of.rank, i);
  } else if (of.pattern == Pattern::transposition) {
    const std::size_t here = room.out / 8;
    for (std::size_t i = 0; i < here; ++i)
      numbers[i] = static_cast<double>(static_cast<std::size_t>(of.rank) * here + i);
  } else if (of.pattern == Pattern::broadcast && of.rank > 0) {
    poison(area.out, of.bytes);
  } else {
    write_pattern(area.out, of.bytes, salt, true);
  }
#ifdef ASSAY_BREAK  // the tests' saboteur, where write_pattern() does not serve
  if (of.pattern == Pattern::reduction || of.pattern == Pattern::transposition) numbers[0] = 1e17;
#endif
}

inline std::int64_t wrong_data(const Sample& of, const Area& area, const Room& room) {
  const auto from = static_cast<std::uint64_t>(of.other);
  std::int64_t wrong = 0;
  switch (of.pattern) {
    case Pattern::pingpong:
    case Pattern::bisection_regular:
    case Pattern::bisection_random:
      return of.other == of.rank ? 0 : wrong_bytes(area.in, of.bytes, from, true);
    case Pattern::strided: {  // the words between must be as they were
      for (std::size_t i = 0; i < of.bytes / 8; ++i) {
        for (std::size_t k = 0; k < 8 * of.stride; ++k)
          wrong += area.in[8 * of.stride * i + k] != (k < 8 ? pattern(8 * i + k, from, true) : std::byte{0xa5});
      }
      return wrong;
    }
    case Pattern::broadcast:
      return wrong_bytes(area.out, of.bytes, 0, true);
    case Pattern::collect:
      for (int rank = 0; of.rank == 0 && rank < of.ranks; ++rank)
        wrong += wrong_bytes(area.in + static_cast<std::size_t>(rank) * of.bytes, of.bytes,
                             static_cast<std::uint64_t>(rank), true);
      return wrong;
    case Pattern::reduction:
      for (std::size_t i = 0; of.rank == 0 && i < of.bytes / 8; ++i) {
        double most = 0;
        for (int rank = 0; rank < of.ranks; ++rank) most = std::max(most, contribution(rank, i));
        wrong += reinterpret_cast<const double*>(area.out)[i] != most;
      }
      return wrong;
    case Pattern::transposition: {
      const std::size_t side = rows(of.bytes, of.ranks), columns = side * static_cast<std::size_t>(of.ranks);
      const std::size_t first = static_cast<std::size_t>(of.rank) * side;
      for (std::size_t i = 0; i < room.in / 8; ++i) {
        const std::size_t row = first + i / columns, column = i % columns;
        wrong += reinterpret_cast<const double*>(area.in)[i] != static_cast<double>(column * columns + row);
      }
      return wrong;
    }
    default: {
      const auto extents = torus(of.ranks, dimensions(of.pattern));
      for (int direction = 0; direction < 2 * dimensions(of.pattern); ++direction) {
        const int sender = neighbour(extents, of.rank, direction / 2, direction % 2 == 0 ? -1 : 1);
        wrong += wrong_bytes(area.in + static_cast<std::size_t>(direction) * of.bytes, of.bytes,
                             static_cast<std::uint64_t>(sender), true);
      }
      return wrong;
    }
  }
}

}  // namespace assay::ranks
