// Collective calls of an intercommunicator: what one group gives, the other gets. Within a group by the algorithms of a
// communicator's calls, and from group to group by the first rank of each, as MPICH makes them; where each rank has a
// length of its own, and of long gathers and scatters, every rank by itself.
#pragma once

#include <algorithm>

#include "mpi_library/collectives/chosen.hpp"
#include "mpi_library/collectives/sides.hpp"

namespace assay::abi::between {

inline constexpr std::int64_t by_first_ranks =
    2048;  // bytes that a gather's root gets, below which one message has all

// The root, the others of its group, which take no part, and the group that the root gives to or takes from.
enum class Role : std::uint8_t { root, idle, other };
inline Role role_of(const Steps& s, int root) {
  if (root == MPI_ROOT) return Role::root;
  if (root == MPI_PROC_NULL) return Role::idle;
  if (root < 0 || root >= s.peers())
    fail(MPI_ERR_ROOT, "no rank " + std::to_string(root) + " in a remote group of " + std::to_string(s.peers()));
  return Role::other;
}
inline void refuse_in_place(const void* buffer) {
  if (in_place(buffer)) fail(MPI_ERR_BUFFER, "MPI_IN_PLACE in a collective call of two groups");
}

// The first ranks exchange `own`, of either length, and hand what came to their groups, in `other`.
inline void exchange(Steps& s, Place own, std::int64_t bytes, Place other, std::int64_t room) {
  s.across();
  if (s.rank() == 0) s.sendrecv(own, bytes, 0, other, room, 0);
  s.within();
  broadcast(s, other, room, 0);
}
// `all` gets the parts of the other group's ranks.
inline void allgather(Steps& s, Place own, std::int64_t bytes, Place all, std::int64_t room) {
  s.within();
  const Place gathered = s.rank() == 0 ? s.room(bytes * s.size()) : Place{0};
  gather_binomial(s, own, gathered, bytes, 0);
  exchange(s, gathered, bytes * s.size(), all, room);
}

inline void barrier(Steps& s) {
  s.within();
  abi::barrier(s);
  exchange(s, 0, 0, 0, 0);
}

template <class Count>
void bcast(Steps& s, void* data, Count count, MPI_Datatype type, int root) {
  const Role role = role_of(s, root);
  if (role == Role::idle) return;
  const Even<Count> side(s, data, count, type);
  const Place block = s.room(side.bytes());
  if (role == Role::root) {
    pack_part(side, 0, block);
    return s.send(block, side.bytes(), 0);
  }
  if (s.rank() == 0) s.recv(block, side.bytes(), root);
  s.within();
  broadcast(s, block, side.bytes(), 0);
  s.then([side, block] { unpack_part(side, 0, block); });
}

// --- gather and scatter: `together` where one message between the groups has all parts.
template <class All>
void gather_at_root(Steps& s, const All& all, bool together) {
  const Lengths lengths = all.lengths(s.peers());
  const Place block = s.room(lengths.all());
  if (together) {
    s.recv(block, lengths.all(), 0);
  } else {
    for (int k = 0; k < s.peers(); ++k) s.irecv(lengths.at(block, k), lengths.bytes(k), k);
    s.wait_all();
  }
  unpack_later(s, all, lengths, block);
}
template <class Own>
void gather_from(Steps& s, const Own& own, int root, bool together) {
  const Place part = s.room(own.bytes());
  pack_part(own, 0, part);
  if (!together) return s.send(part, own.bytes(), root);
  const std::int64_t all = own.bytes() * s.size();
  const Place gathered = s.rank() == 0 ? s.room(all) : Place{0};
  s.within();
  gather_binomial(s, part, gathered, own.bytes(), 0);
  s.across();
  if (s.rank() == 0) s.send(gathered, all, root);
}
template <class Count>
void gather(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u, int root) {
  const Role role = role_of(s, root);
  if (role == Role::root) {
    const Even<Count> all(s, to, m, u);
    gather_at_root(s, all, all.bytes() * s.peers() < by_first_ranks);
  } else if (role == Role::other) {
    refuse_in_place(from);
    const Even<Count> own(s, from, n, t);
    gather_from(s, own, root, own.bytes() * s.size() < by_first_ranks);
  }
}
template <class Count, class Displacement>
void gatherv(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, const Count* counts,
             const Displacement* places, MPI_Datatype u, int root) {
  const Role role = role_of(s, root);
  if (role == Role::root) {
    gather_at_root(s, Uneven<Count, Displacement>(s, to, counts, places, u), false);
  } else if (role == Role::other) {
    refuse_in_place(from);
    gather_from(s, Even<Count>(s, from, n, t), root, false);
  }
}

template <class All>
void scatter_at_root(Steps& s, const All& all, bool together) {
  const Lengths lengths = all.lengths(s.peers());
  const Place block = packed(s, all, lengths);
  if (together) return s.send(block, lengths.all(), 0);
  for (int k = 0; k < s.peers(); ++k) s.isend(lengths.at(block, k), lengths.bytes(k), k);
  s.wait_all();
}
template <class Own>
void scatter_to(Steps& s, const Own& own, int root, bool together) {
  const Place part = s.room(own.bytes());
  if (together) {
    const std::int64_t all = own.bytes() * s.size();
    const Place block = s.rank() == 0 ? s.room(all) : Place{0};
    if (s.rank() == 0) s.recv(block, all, root);
    s.within();
    scatter_binomial(s, block, part, own.bytes(), 0);
  } else {
    s.recv(part, own.bytes(), root);
  }
  s.then([own, part] { unpack_part(own, 0, part); });
}
template <class Count>
void scatter(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u, int root) {
  const Role role = role_of(s, root);
  if (role == Role::root) {
    const Even<Count> all(s, from, n, t);
    scatter_at_root(s, all, all.bytes() * s.peers() < by_first_ranks);
  } else if (role == Role::other) {
    refuse_in_place(to);
    const Even<Count> own(s, to, m, u);
    scatter_to(s, own, root, own.bytes() * s.size() < by_first_ranks);
  }
}
template <class Count, class Displacement>
void scatterv(Steps& s, const void* from, const Count* counts, const Displacement* places, MPI_Datatype t, void* to,
              Count m, MPI_Datatype u, int root) {
  const Role role = role_of(s, root);
  if (role == Role::root) {
    scatter_at_root(s, Uneven<Count, Displacement>(s, from, counts, places, t), false);
  } else if (role == Role::other) {
    refuse_in_place(to);
    scatter_to(s, Even<Count>(s, to, m, u), root, false);
  }
}

// --- everything to everyone
template <class Count>
void allgather(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u) {
  refuse_in_place(from);
  const Even<Count> own(s, from, n, t), all(s, to, m, u);
  const Lengths lengths = all.lengths(s.peers());
  const Place part = s.room(own.bytes()), block = s.room(lengths.all());
  pack_part(own, 0, part);
  allgather(s, part, own.bytes(), block, lengths.all());
  unpack_later(s, all, lengths, block);
}
// A rank does not know the lengths of its own group's parts: each sends its own to the other group's first rank.
template <class Count, class Displacement>
void allgatherv(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, const Count* counts,
                const Displacement* places, MPI_Datatype u) {
  refuse_in_place(from);
  const Even<Count> own(s, from, n, t);
  const Uneven<Count, Displacement> all(s, to, counts, places, u);
  const Lengths lengths = all.lengths(s.peers());
  const Place part = s.room(own.bytes()), block = s.room(lengths.all());
  pack_part(own, 0, part);
  for (int k = 0; s.rank() == 0 && k < s.peers(); ++k) s.irecv(lengths.at(block, k), lengths.bytes(k), k);
  s.isend(part, own.bytes(), 0);
  s.wait_all();
  s.within();
  broadcast(s, block, lengths.all(), 0);
  unpack_later(s, all, lengths, block);
}

// In step k rank r sends to r + k and receives from r - k, modulo the larger group.
template <class Out, class In>
void alltoall(Steps& s, const Out& sent, const In& received) {
  const int theirs = s.peers(), n = std::max(s.size(), theirs), me = s.rank();
  const Lengths leaving = sent.lengths(theirs), coming = received.lengths(theirs);
  const Place out = packed(s, sent, leaving), in = s.room(coming.all());
  for (int k = 0; k < n; ++k) {
    const int to = (me + k) % n, from = (me - k + n) % n;
    const Place data = to < theirs ? leaving.at(out, to) : 0, into = from < theirs ? coming.at(in, from) : 0;
    if (to < theirs && from < theirs)
      s.sendrecv(data, leaving.bytes(to), to, into, coming.bytes(from), from);
    else if (to < theirs)
      s.send(data, leaving.bytes(to), to);
    else if (from < theirs)
      s.recv(into, coming.bytes(from), from);
  }
  unpack_later(s, received, coming, in);
}

// --- reductions: a group's result goes to the other one.
// The program's own operation cannot run behind the call: every rank gets the other group's contributions, and folds
// them in the end.
inline bool folds_itself(const Steps& s, const Operation& operation) { return s.behind() && operation.own(); }
inline Place receive_all(Steps& s, std::int64_t bytes) {
  const Place all = s.room(bytes * s.peers());
  for (int k = 0; k < s.peers(); ++k) s.irecv(all + static_cast<Place>(bytes * k), bytes, k);
  return all;
}
// `given` takes the block with the other group's result.
template <class Count, class Given>
void fold_theirs(Steps& s, const Contribution<Count>& c, Given given) {
  const Place all = receive_all(s, c.side.bytes());
  for (int k = 0; k < s.peers(); ++k) s.isend(c.own, c.side.bytes(), k);
  s.wait_all();
  s.then(
      [last = s.peers() - 1, c, all, given] { given(fold_gathered(c.does, c.side.type, c.side.count, all, 0, last)); });
}

template <class Count>
void reduce(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op, int root) {
  const Role role = role_of(s, root);
  if (role == Role::idle) return;
  if (role == Role::root) {
    const Even<Count> side(s, to, count, type);
    Operation& does = operation(op, side.type);
    s.hold(does);
    if (folds_itself(s, does)) {
      const Place all = receive_all(s, side.bytes());
      s.wait_all();
      return s.then([last = s.peers() - 1, &does, side, all] {
        unpack_part(side, 0, fold_gathered(does, side.type, side.count, all, 0, last));
      });
    }
    const Place result = s.room(side.bytes());
    s.recv(result, side.bytes(), 0);
    return s.then([side, result] { unpack_part(side, 0, result); });
  }
  refuse_in_place(from);
  const Contribution<Count> c(s, from, to, count, type, op);
  if (folds_itself(s, c.does)) return s.send(c.own, c.side.bytes(), root);
  s.within();
  const Place result = abi::reduce(c.fold(s), c.own, 0);
  s.across();
  if (s.rank() == 0) s.send(result, c.side.bytes(), root);
}

template <class Count>
void allreduce(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op) {
  refuse_in_place(from);
  const Contribution<Count> c(s, from, to, count, type, op);
  auto side = c.side;
  side.data = to;
  const auto given = [side](Place block) { unpack_part(side, 0, block); };
  if (folds_itself(s, c.does)) return fold_theirs(s, c, given);
  s.within();
  const Place result = abi::reduce(c.fold(s), c.own, 0), other = s.room(side.bytes());
  exchange(s, result, side.bytes(), other, side.bytes());
  s.then([given, other] { given(other); });
}
// `parts`: of the other group's result, by rank of this one; `mine`: where this rank's goes.
template <class Count>
void reduce_scatter(Steps& s, const Contribution<Count>& c, const Lengths& parts, const Even<Count>& mine) {
  if (folds_itself(s, c.does))
    return fold_theirs(s, c, [mine, at = parts.place(s.rank())](Place block) {
      unpack_part(mine, 0, block + static_cast<Place>(at));
    });
  const std::int64_t bytes = c.side.bytes();
  s.within();
  const Place result = abi::reduce(c.fold(s), c.own, 0), other = s.rank() == 0 ? s.room(bytes) : Place{0};
  s.across();
  if (s.rank() == 0) s.sendrecv(result, bytes, 0, other, bytes, 0);
  s.within();
  const Place part = s.room(mine.bytes());
  scatter_linear(s, other, part, parts, 0);
  if (s.rank() == 0) s.copy(other, part, mine.bytes());
  s.then([mine, part] { unpack_part(mine, 0, part); });
}

}  // namespace assay::abi::between
