// What a collective call sends and receives on one rank: the program's memory as one part for each rank, packed into
// blocks of the arena and back. Counts are of either size.
#pragma once

#include <cstring>
#include <vector>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/collectives/reductions.hpp"

namespace assay::abi {

inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

// One side of a call: so many elements of a type for each rank, one after another.
template <class Count>
struct Even {
  void* data;
  Count count;
  Datatype& type;
  Even(Steps& s, const void* from, Count elements, MPI_Datatype handle)
      : data(const_cast<void*>(from)), count(elements), type(committed(handle)) {
    check_count(count);
    s.hold(type);
  }
  std::int64_t bytes(int = 0) const { return count * type.size; }
  char* part(int rank) const { return static_cast<char*>(data) + rank * count * type.extent; }
  std::int64_t elements(int = 0) const { return count; }
  Datatype& type_of(int = 0) const { return type; }
  Lengths lengths(int ranks) const { return Lengths(bytes(), ranks); }
};
// With counts and places of its own for each rank, in extents of the type.
template <class Count, class Displacement>
struct Uneven {
  void* data;
  const Count* counts;
  const Displacement* places;
  Datatype& type;
  Uneven(Steps& s, const void* from, const Count* elements, const Displacement* displacements, MPI_Datatype handle)
      : data(const_cast<void*>(from)), counts(elements), places(displacements), type(committed(handle)) {
    s.hold(type);
    for (int k = 0; k < s.peers(); ++k) check_count(counts[k]);
  }
  std::int64_t bytes(int rank) const { return counts[rank] * type.size; }
  char* part(int rank) const {
    return static_cast<char*>(data) + static_cast<std::int64_t>(places[rank]) * type.extent;
  }
  std::int64_t elements(int rank) const { return counts[rank]; }
  Datatype& type_of(int) const { return type; }
  Lengths lengths(int ranks) const {
    std::vector<std::int64_t> all;
    for (int k = 0; k < ranks; ++k) all.push_back(bytes(k));
    return Lengths(all);
  }
};
// With a type of its own for each rank as well, and places in bytes.
template <class Count, class Displacement>
struct Typed {
  void* data;
  const Count* counts;
  const Displacement* places;
  std::vector<Datatype*> types;
  Typed(Steps& s, const void* from, const Count* elements, const Displacement* displacements,
        const MPI_Datatype* handles, int ranks)
      : data(const_cast<void*>(from)), counts(elements), places(displacements) {
    for (int k = 0; k < ranks; ++k) {
      check_count(counts[k]);
      types.push_back(&committed(handles[k]));
      s.hold(*types.back());
    }
  }
  std::int64_t bytes(int rank) const { return counts[rank] * type_of(rank).size; }
  char* part(int rank) const { return static_cast<char*>(data) + places[rank]; }
  std::int64_t elements(int rank) const { return counts[rank]; }
  Datatype& type_of(int rank) const { return *types[static_cast<std::size_t>(rank)]; }
  Lengths lengths(int ranks) const {
    std::vector<std::int64_t> all;
    for (int k = 0; k < ranks; ++k) all.push_back(bytes(k));
    return Lengths(all);
  }
};

template <class Side>
void pack_part(const Side& side, int rank, Place to) {
  if (side.bytes(rank) > 0) pack(side.type_of(rank), side.part(rank), side.elements(rank), at(to));
}
template <class Side>
void unpack_part(const Side& side, int rank, Place from) {
  if (side.bytes(rank) > 0) unpack(side.type_of(rank), at(from), side.bytes(rank), side.part(rank));
}
template <class Side>
Place packed(Steps& s, const Side& side, const Lengths& lengths) {
  const Place block = s.room(lengths.all());
  for (int k = 0; k < s.peers(); ++k) pack_part(side, k, lengths.at(block, k));
  return block;
}
template <class Side>
void unpack_later(Steps& s, Side side, Lengths lengths, Place block, int skipped = -1) {
  s.then([&s, side, lengths, block, skipped] {
    for (int k = 0; k < s.peers(); ++k)
      if (k != skipped) unpack_part(side, k, lengths.at(block, k));
  });
}

// --- reductions
// Contributions `first` to `last` of a block of all, in order: the sum takes the last one's place.
inline Place fold_gathered(const Operation& operation, Datatype& type, std::int64_t count, Place all, int first,
                           int last) {
  const auto bytes = static_cast<Place>(count * type.size);
  for (int k = last - 1; k >= first; --k)  // in with inout: the right operand is the sum so far
    apply(operation, type, at(all + bytes * static_cast<Place>(k)), at(all + bytes * static_cast<Place>(last)), count);
  return all + bytes * static_cast<Place>(last);
}

template <class Count>
struct Contribution {
  Even<Count> side;
  Operation& does;
  Place own;
  Contribution(Steps& s, const void* from, const void* to, Count count, MPI_Datatype type, MPI_Op op)
      : side(s, in_place(from) ? to : from, count, type), does(operation(op, side.type)), own(s.room(side.bytes())) {
    s.hold(does);
    pack_part(side, 0, own);
  }
  Fold fold(Steps& s) const { return {s, does, side.type, side.count}; }
};
// `to` gets `count` elements of the block, when all steps have run.
template <class Count>
void give_result(Steps& s, const Contribution<Count>& c, Place block, void* to) {
  auto side = c.side;
  side.data = to;
  s.then([side, block] { unpack_part(side, 0, block); });
}

}  // namespace assay::abi
