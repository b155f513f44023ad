// Allgather (round a ring, by recursive doubling, by Bruck's rounds), broadcast by scatter and allgather, and all to
// all (all messages at once, by pairs, by Bruck's rounds). Sources: Thakur, Rabenseifner, Gropp 2005; Bruck et al.
// 1997.
#pragma once

#include <bit>

#include "mpi_library/collectives/rooted.hpp"

namespace assay::abi {

inline bool is_cube(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

// `all` has this rank's part in its place.
inline void allgather_ring(Steps& s, Place all, const Lengths& lengths) {
  const int n = s.size(), me = s.rank();
  for (int k = 0; k < n - 1; ++k) {
    const int has = (me - k + n) % n, gets = (me - k - 1 + n) % n;
    s.sendrecv(lengths.at(all, has), lengths.bytes(has), (me + 1) % n, lengths.at(all, gets), lengths.bytes(gets),
               (me - 1 + n) % n);
  }
}
inline void allgather_linear(Steps& s, Place all, const Lengths& lengths) {
  const int n = s.size(), me = s.rank();
  for (int k = 1; k < n; ++k)
    s.irecv(lengths.at(all, (me - k + n) % n), lengths.bytes((me - k + n) % n), (me - k + n) % n);
  for (int k = 1; k < n; ++k) s.isend(lengths.at(all, me), lengths.bytes(me), (me + k) % n);
  s.wait_all();
}
// Of a power of two of ranks.
inline void allgather_doubling(Steps& s, Place all, const Lengths& lengths) {
  for (int bit = 1; bit < s.size(); bit *= 2) {
    const int other = s.rank() ^ bit, mine = s.rank() & ~(bit - 1), theirs = other & ~(bit - 1);
    s.sendrecv(lengths.at(all, mine), lengths.place(mine + bit) - lengths.place(mine), other, lengths.at(all, theirs),
               lengths.place(theirs + bit) - lengths.place(theirs), other);
  }
}
// Parts of one length, turned so that this rank's is the first.
inline void allgather_bruck(Steps& s, Place all, std::int64_t bytes) {
  const int n = s.size(), me = s.rank();
  const auto length = static_cast<Place>(bytes);
  const Place turned = s.room(bytes * n);
  s.copy(all + length * static_cast<Place>(me), turned, bytes);
  for (int have = 1; have < n; have *= 2) {
    const int more = std::min(have, n - have);
    s.sendrecv(turned, bytes * more, (me - have + n) % n, turned + length * static_cast<Place>(have), bytes * more,
               (me + have) % n);
  }
  s.copy(turned, all + length * static_cast<Place>(me), bytes * (n - me));
  s.copy(turned + length * static_cast<Place>(n - me), all, bytes * me);
}

// The data in as many parts as ranks, counted from the root, the last ones shorter: down a binomial tree, then to all.
inline void broadcast_scattered(Steps& s, Place data, std::int64_t bytes, int root, bool doubling) {
  const int n = s.size(), place = from_root(s.rank(), root, n);
  const std::int64_t each = (bytes + n - 1) / n;
  const auto begin = [&](int part) { return std::min(bytes, each * part); };
  const auto span = [&](int from, int to) { return begin(std::min(to, n)) - begin(from); };
  const auto rank_at = [&](int at) { return (at + root) % n; };
  const auto part = [&](int at) { return data + static_cast<Place>(begin(at)); };
  int subtree = 1;
  while (subtree < n && (place & subtree) == 0) subtree *= 2;
  if (place != 0) s.recv(part(place), span(place, place + subtree), rank_at(place & ~subtree));
  for (int bit = subtree / 2; bit > 0; bit /= 2)
    if (place + bit < n) s.send(part(place + bit), span(place + bit, place + 2 * bit), rank_at(place + bit));
  if (doubling) {
    for (int bit = 1; bit < n; bit *= 2) {
      const int other = place ^ bit, mine = place & ~(bit - 1), theirs = other & ~(bit - 1);
      s.sendrecv(part(mine), span(mine, mine + bit), rank_at(other), part(theirs), span(theirs, theirs + bit),
                 rank_at(other));
    }
    return;
  }
  for (int k = 0; k < n - 1; ++k) {
    const int has = (place - k + n) % n, gets = (place - k - 1 + n) % n;
    s.sendrecv(part(has), span(has, has + 1), rank_at((place + 1) % n), part(gets), span(gets, gets + 1),
               rank_at((place - 1 + n) % n));
  }
}

// Part k of `in` to rank k, into its `out`; the caller copies a rank's part to itself.
inline void alltoall_linear(Steps& s, Place in, const Lengths& sent, Place out, const Lengths& received) {
  const int n = s.size(), me = s.rank();
  for (int k = 1; k < n; ++k) {
    const int from = (me - k + n) % n;
    s.irecv(received.at(out, from), received.bytes(from), from);
  }
  for (int k = 1; k < n; ++k) {
    const int to = (me + k) % n;
    s.isend(sent.at(in, to), sent.bytes(to), to);
  }
  s.wait_all();
}
// Step k: of a power of two ranks r and r ^ k exchange, else r sends to r + k and receives from r - k.
inline void alltoall_pairwise(Steps& s, Place in, const Lengths& sent, Place out, const Lengths& received) {
  const int n = s.size(), me = s.rank();
  for (int k = 1; k < n; ++k) {
    const int to = is_cube(n) ? me ^ k : (me + k) % n, from = is_cube(n) ? me ^ k : (me - k + n) % n;
    s.sendrecv(sent.at(in, to), sent.bytes(to), to, received.at(out, from), received.bytes(from), from);
  }
}
// Parts of one length, turned so that part k is for the rank k further on; in round j all whose number has bit j go 2^j
// ranks on in one message.
inline void alltoall_bruck(Steps& s, Place in, Place out, std::int64_t bytes) {
  const int n = s.size(), me = s.rank();
  const auto part = [&](Place block, int k) { return block + static_cast<Place>(bytes * k); };
  const Place turned = s.room(bytes * n), leaving = s.room(bytes * n), arrived = s.room(bytes * n);
  s.copy(part(in, me), turned, bytes * (n - me));
  s.copy(in, part(turned, n - me), bytes * me);
  for (int bit = 1; bit < n; bit *= 2) {
    int packed = 0;
    for (int k = bit; k < n; ++k)
      if ((k & bit) != 0) s.copy(part(turned, k), part(leaving, packed++), bytes);
    s.sendrecv(leaving, bytes * packed, (me + bit) % n, arrived, bytes * packed, (me - bit + n) % n);
    packed = 0;
    for (int k = bit; k < n; ++k)
      if ((k & bit) != 0) s.copy(part(arrived, packed++), part(turned, k), bytes);
  }
  for (int k = 0; k < n; ++k) s.copy(part(turned, k), part(out, (me - k + n) % n), bytes);
}

}  // namespace assay::abi
