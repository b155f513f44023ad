// Reductions. Partial results are always of ranks that follow each other, and folded in their order, so that operations
// need not commute; what asks for more says so. Sources: Thakur, Rabenseifner, Gropp 2005; Rabenseifner 2004.
//
// Each takes this rank's packed contribution, which it may overwrite, and gives the block of the result.
#pragma once

#include <utility>

#include "mpi_library/collectives/all.hpp"

namespace assay::abi {

struct Fold {
  Steps& s;
  const Operation& operation;
  Datatype& type;
  std::int64_t count;

  std::int64_t bytes() const { return bytes(count); }
  std::int64_t bytes(std::int64_t elements) const { return elements * type.size; }
  // `own` becomes it and what another rank sent, which is of lower ranks or of higher ones.
  void lower(Place other, Place own, std::int64_t elements) const { s.reduce(operation, type, other, own, elements); }
  // The blocks change their names where the result is in the other one.
  void higher(Place& other, Place& own) const {
    s.reduce(operation, type, own, other, count);
    std::swap(own, other);
  }
};

// Up a binomial tree over ranks from the root, which for operations that do not commute is rank 0, and one message
// more.
inline Place reduce_binomial(const Fold& f, Place own, int root) {
  Steps& s = f.s;
  const int n = s.size(), top = f.operation.commutative ? root : 0, place = from_root(s.rank(), top, n);
  Place other = s.room(f.bytes());
  for (int bit = 1; bit < n; bit *= 2) {
    if ((place & bit) != 0) {
      s.send(own, f.bytes(), ((place & ~bit) + top) % n);
      break;
    }
    if (place + bit >= n) continue;
    s.recv(other, f.bytes(), (place + bit + top) % n);
    f.higher(other, own);
  }
  if (top == root) return own;
  if (s.rank() == top) s.send(own, f.bytes(), root);
  if (s.rank() == root) s.recv(own, f.bytes(), top);
  return own;
}

// The root takes one after another, from the last rank to the first.
inline Place reduce_linear(const Fold& f, Place own, int root) {
  Steps& s = f.s;
  if (s.rank() != root) {
    s.send(own, f.bytes(), root);
    return own;
  }
  const Place result = s.room(f.bytes()), other = s.room(f.bytes());
  for (int k = s.size() - 1; k >= 0; --k) {
    const Place into = k == s.size() - 1 ? result : other;
    if (k == root)
      s.copy(own, into, f.bytes());
    else
      s.recv(into, f.bytes(), k);
    if (into == other) s.reduce(f.operation, f.type, other, result, f.count);
  }
  return result;
}

// Ranks beyond a power of two first give theirs to their neighbours: of the first 2 r ranks the even ones to the odd
// ones. What is left is a cube, whose members are in order of rank.
struct Cube {
  int ranks, surplus, place;  // place: -1 outside
  Cube(int n, int rank) : ranks(static_cast<int>(std::bit_floor(static_cast<unsigned>(n)))), surplus(n - ranks) {
    if (rank < 2 * surplus)
      place = rank % 2 == 0 ? -1 : rank / 2;
    else
      place = rank - surplus;
  }
  int rank_at(int at) const { return at < surplus ? 2 * at + 1 : at + surplus; }
};
inline Place into_cube(const Fold& f, const Cube& cube, Place own) {
  Steps& s = f.s;
  if (s.rank() >= 2 * cube.surplus) return own;
  if (cube.place < 0) {
    s.send(own, f.bytes(), s.rank() + 1);
    return own;
  }
  const Place other = s.room(f.bytes());
  s.recv(other, f.bytes(), s.rank() - 1);
  f.lower(other, own, f.count);
  return own;
}
inline void out_of_cube(const Fold& f, const Cube& cube, Place result) {
  Steps& s = f.s;
  if (s.rank() >= 2 * cube.surplus) return;
  if (cube.place < 0)
    s.recv(result, f.bytes(), s.rank() + 1);
  else
    s.send(result, f.bytes(), s.rank() - 1);
}

inline Place allreduce_doubling(const Fold& f, Place own) {
  Steps& s = f.s;
  const Cube cube(s.size(), s.rank());
  own = into_cube(f, cube, own);
  if (cube.place >= 0) {
    Place other = s.room(f.bytes());
    for (int bit = 1; bit < cube.ranks; bit *= 2) {
      const int peer = cube.rank_at(cube.place ^ bit);
      s.sendrecv(own, f.bytes(), peer, other, f.bytes(), peer);
      if (peer < s.rank())
        f.lower(other, own, f.count);
      else
        f.higher(other, own);
    }
  }
  out_of_cube(f, cube, own);
  return own;
}

// The elements in as many parts as the cube has ranks: this rank's part of the result by halving, for operations that
// commute. `own` has it in its place.
inline Lengths cube_parts(const Fold& f, const Cube& cube) {
  std::vector<std::int64_t> bytes;
  for (int k = 0; k < cube.ranks; ++k) bytes.push_back(f.bytes(f.count / cube.ranks + (k < f.count % cube.ranks)));
  return Lengths(bytes);
}
inline void halve(const Fold& f, const Cube& cube, const Lengths& parts, Place own) {
  Steps& s = f.s;
  const Place other = s.room(f.bytes());
  int first = 0;
  for (int half = cube.ranks / 2; half > 0; half /= 2) {
    const int peer = cube.rank_at(cube.place ^ half);
    const int kept = first + ((cube.place & half) != 0 ? half : 0),
              given = first + ((cube.place & half) != 0 ? 0 : half);
    const std::int64_t keep = parts.place(kept + half) - parts.place(kept);
    s.sendrecv(parts.at(own, given), parts.place(given + half) - parts.place(given), peer, other, keep, peer);
    s.reduce(f.operation, f.type, other, parts.at(own, kept), keep / std::max<std::int64_t>(f.type.size, 1));
    first = kept;
  }
}

inline Place allreduce_rabenseifner(const Fold& f, Place own) {
  Steps& s = f.s;
  const Cube cube(s.size(), s.rank());
  own = into_cube(f, cube, own);
  if (cube.place >= 0) {
    const Lengths parts = cube_parts(f, cube);
    halve(f, cube, parts, own);
    for (int bit = 1; bit < cube.ranks; bit *= 2) {
      const int peer = cube.rank_at(cube.place ^ bit), mine = cube.place & ~(bit - 1),
                theirs = (cube.place ^ bit) & ~(bit - 1);
      s.sendrecv(parts.at(own, mine), parts.place(mine + bit) - parts.place(mine), peer, parts.at(own, theirs),
                 parts.place(theirs + bit) - parts.place(theirs), peer);
    }
  }
  out_of_cube(f, cube, own);
  return own;
}

// The parts go to the root's place in the cube up a binomial tree; a root that is outside takes that of its neighbour.
inline Place reduce_rabenseifner(const Fold& f, Place own, int root) {
  Steps& s = f.s;
  const Cube cube(s.size(), s.rank()), roots(s.size(), root);
  own = into_cube(f, cube, own);
  const int top = roots.place >= 0 ? roots.place : root / 2;
  if (cube.place >= 0) {
    const Lengths parts = cube_parts(f, cube);
    halve(f, cube, parts, own);
    // The halves of the last steps are joined first: a rank whose place differs from the root's in a bit gives all it
    // has.
    for (int bit = 1; bit < cube.ranks; bit *= 2) {
      const int peer = cube.rank_at(cube.place ^ bit), mine = cube.place & ~(bit - 1),
                theirs = (cube.place ^ bit) & ~(bit - 1);
      if (((cube.place ^ top) & bit) != 0) {
        s.send(parts.at(own, mine), parts.place(mine + bit) - parts.place(mine), peer);
        break;
      }
      s.recv(parts.at(own, theirs), parts.place(theirs + bit) - parts.place(theirs), peer);
    }
  }
  if (roots.place < 0) {
    if (s.rank() == root) s.recv(own, f.bytes(), cube.rank_at(top));
    if (cube.place == top) s.send(own, f.bytes(), root);
  }
  return own;
}

// Rank k's part of the result, in a block of its own.
inline Place reduce_scatter_pairwise(const Fold& f, Place own, const Lengths& parts) {
  Steps& s = f.s;
  const int n = s.size(), me = s.rank();
  const std::int64_t bytes = parts.bytes(me);
  const Place result = s.room(bytes), other = s.room(bytes);
  s.copy(parts.at(own, me), result, bytes);
  for (int k = 1; k < n; ++k) {
    const int to = (me + k) % n, from = (me - k + n) % n;
    s.sendrecv(parts.at(own, to), parts.bytes(to), to, other, bytes, from);
    s.reduce(f.operation, f.type, other, result, bytes / std::max<std::int64_t>(f.type.size, 1));
  }
  return result;
}
// By halving, which needs a power of two of ranks and an operation that commutes.
inline Place reduce_scatter_halving(const Fold& f, Place own, const Lengths& parts) {
  halve(f, Cube(f.s.size(), f.s.rank()), parts, own);
  return parts.at(own, f.s.rank());
}
inline Place reduce_scatter_rooted(const Fold& f, Place own, const Lengths& parts) {
  const Place all = reduce_binomial(f, own, 0);
  const Place result = f.s.room(parts.bytes(f.s.rank()));
  scatter_linear(f.s, all, result, parts, 0);
  if (f.s.rank() == 0) f.s.copy(all, result, parts.bytes(0));
  return result;
}

// The sum of the ranks up to this one, and for `exclusive` up to the one before, which rank 0 has none of.
inline Place scan_linear(const Fold& f, Place own, bool exclusive) {
  Steps& s = f.s;
  const Place before = s.room(f.bytes());
  if (s.rank() > 0) {
    s.recv(before, f.bytes(), s.rank() - 1);
    f.lower(before, own, f.count);
  }
  if (s.rank() + 1 < s.size()) s.send(own, f.bytes(), s.rank() + 1);
  return exclusive ? before : own;
}
inline Place scan_doubling(const Fold& f, Place own, bool exclusive) {
  Steps& s = f.s;
  const int me = s.rank();
  Place whole = s.room(f.bytes()), other = s.room(f.bytes());  // `whole`: of the 2^k ranks that have exchanged
  const Place before = s.room(f.bytes());
  bool any = false;
  s.copy(own, whole, f.bytes());
  for (int bit = 1; bit < s.size(); bit *= 2) {
    const int peer = me ^ bit;
    if (peer >= s.size()) continue;
    s.sendrecv(whole, f.bytes(), peer, other, f.bytes(), peer);
    if (peer > me) {
      f.higher(other, whole);
      continue;
    }
    f.lower(other, whole, f.count);
    if (!exclusive) {
      f.lower(other, own, f.count);
    } else if (any) {
      f.lower(other, before, f.count);
    } else {
      s.copy(other, before, f.bytes());
      any = true;
    }
  }
  return exclusive ? before : own;
}

}  // namespace assay::abi
