// Broadcast, gather and scatter: from and to one rank after another, and by binomial trees.
//
// Trees are over ranks counted from the root: rank v's parent is v without its lowest set bit; the larger subtrees are
// served first. Source: Thakur, Rabenseifner, Gropp 2005.
#pragma once

#include <algorithm>

#include "mpi_library/collectives/steps.hpp"

namespace assay::abi {

inline int from_root(int rank, int root, int ranks) { return (rank - root + ranks) % ranks; }

inline void broadcast_linear(Steps& s, Place data, std::int64_t bytes, int root) {
  if (s.rank() != root) return s.recv(data, bytes, root);
  for (int k = 1; k < s.size(); ++k) s.send(data, bytes, (root + k) % s.size());
}

inline void broadcast_binomial(Steps& s, Place data, std::int64_t bytes, int root) {
  const int ranks = s.size(), own = from_root(s.rank(), root, ranks);
  int bit = 1;
  while (bit < ranks && (own & bit) == 0) bit *= 2;
  if (own != 0) s.recv(data, bytes, ((own & ~bit) + root) % ranks);
  for (bit /= 2; bit > 0; bit /= 2)
    if (own + bit < ranks) s.send(data, bytes, (own + bit + root) % ranks);
}

// `all`, at the root, has the parts in order of rank; `own` is this rank's part, which the caller copies at the root.
inline void gather_linear(Steps& s, Place own, Place all, const Lengths& lengths, int root) {
  if (s.rank() != root) return s.send(own, lengths.bytes(s.rank()), root);
  for (int k = 0; k < s.size(); ++k)
    if (k != root) s.irecv(lengths.at(all, k), lengths.bytes(k), k);
  s.wait_all();
}
inline void scatter_linear(Steps& s, Place all, Place own, const Lengths& lengths, int root) {
  if (s.rank() != root) return s.recv(own, lengths.bytes(s.rank()), root);
  for (int k = 0; k < s.size(); ++k)
    if (k != root) s.isend(lengths.at(all, k), lengths.bytes(k), k);
  s.wait_all();
}

// Parts of one length. A subtree's parts travel together, in order from its top.
inline void gather_binomial(Steps& s, Place own, Place all, std::int64_t bytes, int root) {
  const int ranks = s.size(), place = from_root(s.rank(), root, ranks);
  int subtree = 1;  // ranks in it, this one's own first
  while (subtree < ranks && (place & subtree) == 0) subtree *= 2;
  const int held = std::min(subtree, ranks - place);
  const Place parts = held > 1 ? s.room(bytes * held) : own;
  if (held > 1) s.copy(own, parts, bytes);
  for (int bit = 1; bit < subtree && place + bit < ranks; bit *= 2) {
    const int there = std::min(bit, ranks - place - bit);
    s.recv(parts + static_cast<Place>(bytes * bit), bytes * there, (place + bit + root) % ranks);
  }
  if (place != 0) return s.send(parts, bytes * held, ((place & ~subtree) + root) % ranks);
  s.copy(parts, all + static_cast<Place>(bytes * root), bytes * (ranks - root));
  s.copy(parts + static_cast<Place>(bytes * (ranks - root)), all, bytes * root);
}
inline void scatter_binomial(Steps& s, Place all, Place own, std::int64_t bytes, int root) {
  const int ranks = s.size(), place = from_root(s.rank(), root, ranks);
  int subtree = 1;
  while (subtree < ranks && (place & subtree) == 0) subtree *= 2;
  const int held = std::min(subtree, ranks - place);
  const Place parts = held > 1 || place == 0 ? s.room(bytes * held) : own;
  if (place == 0) {
    s.copy(all + static_cast<Place>(bytes * root), parts, bytes * (ranks - root));
    s.copy(all, parts + static_cast<Place>(bytes * (ranks - root)), bytes * root);
  } else {
    s.recv(parts, bytes * held, ((place & ~subtree) + root) % ranks);
  }
  for (int bit = subtree / 2; bit > 0; bit /= 2) {
    if (place + bit >= ranks) continue;
    const int there = std::min(bit, ranks - place - bit);
    s.send(parts + static_cast<Place>(bytes * bit), bytes * there, (place + bit + root) % ranks);
  }
  if (parts != own) s.copy(parts, own, bytes);
}

}  // namespace assay::abi
