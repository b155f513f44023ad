// What each collective call does on one rank: its arguments into blocks, the algorithm's steps, the result out of its
// block. MPI_IN_PLACE as the standard has it. Counts are of either size.
#pragma once

#include "mpi_library/collectives/between.hpp"

namespace assay::abi {

inline bool inter(const Steps& s) { return s.comm().is_inter(); }
inline void check_root(const Steps& s, int root) {
  if (root < 0 || root >= s.size())
    fail(MPI_ERR_ROOT, "no rank " + std::to_string(root) + " in a communicator of " + std::to_string(s.size()));
}

inline void barrier_call(Steps& s) {
  if (inter(s)) return between::barrier(s);
  barrier(s);
}

template <class Count>
void bcast(Steps& s, void* data, Count count, MPI_Datatype type, int root) {
  if (inter(s)) return between::bcast(s, data, count, type, root);
  check_root(s, root);
  const Even<Count> side(s, data, count, type);
  const Place block = s.room(side.bytes());
  if (s.rank() == root) pack_part(side, 0, block);
  broadcast(s, block, side.bytes(), root);
  if (s.rank() != root) s.then([side, block] { unpack_part(side, 0, block); });
}

// --- gather and scatter: `own` is a rank's part, `all` the root's side.
template <class Own, class All>
void gather_call(Steps& s, const Own& own, const All* all, int root, bool own_in_place, bool even) {
  const std::int64_t bytes = s.rank() == root && own_in_place ? all->bytes(root) : own.bytes();
  const Place part = s.room(bytes);
  if (s.rank() == root && own_in_place)
    pack_part(*all, root, part);
  else
    pack_part(own, 0, part);
  const Lengths lengths = all ? all->lengths(s.size()) : Lengths(bytes, s.size());
  const Place block = s.rank() == root ? s.room(lengths.all()) : Place{0};
  if (even && way_of(Collective::gather, bytes, s.size()) == Way::binomial) {
    gather_binomial(s, part, block, bytes, root);
  } else {
    gather_linear(s, part, block, lengths, root);
    if (s.rank() == root) s.copy(part, lengths.at(block, root), std::min(bytes, lengths.bytes(root)));
  }
  if (s.rank() == root) unpack_later(s, *all, lengths, block, own_in_place ? root : -1);
}
template <class Count>
void gather(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u, int root) {
  if (inter(s)) return between::gather(s, from, n, t, to, m, u, root);
  check_root(s, root);
  const bool top = s.rank() == root, stays = top && in_place(from);
  const Even<Count> own(s, stays ? to : from, stays ? m : n, stays ? u : t);
  if (!top) return gather_call<Even<Count>, Even<Count>>(s, own, nullptr, root, false, true);
  const Even<Count> all(s, to, m, u);
  gather_call(s, own, &all, root, stays, true);
}
template <class Count, class Displacement>
void gatherv(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, const Count* counts,
             const Displacement* places, MPI_Datatype u, int root) {
  if (inter(s)) return between::gatherv(s, from, n, t, to, counts, places, u, root);
  check_root(s, root);
  const bool top = s.rank() == root, stays = top && in_place(from);
  const Even<Count> own(s, stays ? to : from, stays ? counts[root] : n, stays ? u : t);
  if (!top) return gather_call<Even<Count>, Even<Count>>(s, own, nullptr, root, false, false);
  const Uneven<Count, Displacement> all(s, to, counts, places, u);
  gather_call(s, own, &all, root, stays, false);
}

template <class All, class Own>
void scatter_call(Steps& s, const All* all, const Own& own, int root, bool own_in_place, bool even) {
  const bool top = s.rank() == root;
  const std::int64_t bytes = top && own_in_place ? all->bytes(root) : own.bytes();
  const Lengths lengths = all ? all->lengths(s.size()) : Lengths(bytes, s.size());
  const Place block = all ? packed(s, *all, lengths) : Place{0}, part = s.room(top ? lengths.bytes(root) : bytes);
  if (even && way_of(Collective::scatter, bytes, s.size()) == Way::binomial) {
    scatter_binomial(s, block, part, bytes, root);
  } else {
    scatter_linear(s, block, part, lengths, root);
    if (top) s.copy(lengths.at(block, root), part, lengths.bytes(root));
  }
  if (!(top && own_in_place)) s.then([own, part] { unpack_part(own, 0, part); });
}
template <class Count>
void scatter(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u, int root) {
  if (inter(s)) return between::scatter(s, from, n, t, to, m, u, root);
  check_root(s, root);
  const bool top = s.rank() == root, stays = top && in_place(to);
  const Even<Count> own(s, to, stays ? n : m, stays ? t : u);
  if (!top) return scatter_call<Even<Count>, Even<Count>>(s, nullptr, own, root, false, true);
  const Even<Count> all(s, from, n, t);
  scatter_call(s, &all, own, root, stays, true);
}
template <class Count, class Displacement>
void scatterv(Steps& s, const void* from, const Count* counts, const Displacement* places, MPI_Datatype t, void* to,
              Count m, MPI_Datatype u, int root) {
  if (inter(s)) return between::scatterv(s, from, counts, places, t, to, m, u, root);
  check_root(s, root);
  const bool top = s.rank() == root, stays = top && in_place(to);
  const Even<Count> own(s, to, stays ? counts[root] : m, stays ? t : u);
  if (!top) return scatter_call<Even<Count>, Even<Count>>(s, nullptr, own, root, false, false);
  const Uneven<Count, Displacement> all(s, from, counts, places, t);
  scatter_call(s, &all, own, root, stays, false);
}

// --- everything to everyone
template <class Own, class All>
void allgather_call(Steps& s, const Own* own, const All& all, bool even) {
  const Lengths lengths = all.lengths(s.size());
  const Place block = s.room(lengths.all());
  if (own)
    pack(own->type, own->data,
         std::min(own->bytes(), lengths.bytes(s.rank())) / std::max<std::int64_t>(own->type.size, 1),
         at(lengths.at(block, s.rank())));
  else
    pack_part(all, s.rank(), lengths.at(block, s.rank()));
  switch (way_of(even ? Collective::allgather : Collective::allgatherv, lengths.all(), s.size())) {
    case Way::doubling:
      allgather_doubling(s, block, lengths);
      break;
    case Way::bruck:
      if (even) {
        allgather_bruck(s, block, lengths.bytes(0));
        break;
      }
      [[fallthrough]];
    case Way::ring:
      allgather_ring(s, block, lengths);
      break;
    default:
      allgather_linear(s, block, lengths);
  }
  unpack_later(s, all, lengths, block, own ? -1 : s.rank());
}
template <class Count>
void allgather(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u) {
  if (inter(s)) return between::allgather(s, from, n, t, to, m, u);
  const Even<Count> all(s, to, m, u);
  if (in_place(from)) return allgather_call<Even<Count>>(s, nullptr, all, true);
  const Even<Count> own(s, from, n, t);
  allgather_call(s, &own, all, true);
}
template <class Count, class Displacement>
void allgatherv(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, const Count* counts,
                const Displacement* places, MPI_Datatype u) {
  if (inter(s)) return between::allgatherv(s, from, n, t, to, counts, places, u);
  const Uneven<Count, Displacement> all(s, to, counts, places, u);
  if (in_place(from)) return allgather_call<Even<Count>>(s, nullptr, all, false);
  const Even<Count> own(s, from, n, t);
  allgather_call(s, &own, all, false);
}

// Whether what is sent lies where it is received, which calls of two groups refuse.
inline bool has_place(const Steps& s, const void* from) {
  if (inter(s)) between::refuse_in_place(from);
  return in_place(from);
}
template <class Out, class In>
void alltoall_call(Steps& s, const Out& sent, const In& received, bool even) {
  if (inter(s)) return between::alltoall(s, sent, received);
  const Lengths leaving = sent.lengths(s.size()), coming = received.lengths(s.size());
  const Place out = packed(s, sent, leaving), in = s.room(coming.all());
  const Way way = way_of(even ? Collective::alltoall : Collective::alltoallv, even ? sent.bytes(0) : 0, s.size());
  if (even && way == Way::bruck) {
    alltoall_bruck(s, out, in, leaving.bytes(0));
  } else {
    s.copy(leaving.at(out, s.rank()), coming.at(in, s.rank()),
           std::min(leaving.bytes(s.rank()), coming.bytes(s.rank())));
    way == Way::pairwise ? alltoall_pairwise(s, out, leaving, in, coming)
                         : alltoall_linear(s, out, leaving, in, coming);
  }
  unpack_later(s, received, coming, in);
}
template <class Count>
void alltoall(Steps& s, const void* from, Count n, MPI_Datatype t, void* to, Count m, MPI_Datatype u) {
  const Even<Count> received(s, to, m, u);
  if (has_place(s, from)) return alltoall_call(s, received, received, true);
  alltoall_call(s, Even<Count>(s, from, n, t), received, true);
}
template <class Count, class Displacement>
void alltoallv(Steps& s, const void* from, const Count* sent, const Displacement* out, MPI_Datatype t, void* to,
               const Count* received, const Displacement* in, MPI_Datatype u) {
  const Uneven<Count, Displacement> coming(s, to, received, in, u);
  if (has_place(s, from)) return alltoall_call(s, coming, coming, false);
  alltoall_call(s, Uneven<Count, Displacement>(s, from, sent, out, t), coming, false);
}
template <class Count, class Displacement>
void alltoallw(Steps& s, const void* from, const Count* sent, const Displacement* out, const MPI_Datatype* t, void* to,
               const Count* received, const Displacement* in, const MPI_Datatype* u) {
  const Typed<Count, Displacement> coming(s, to, received, in, u, s.peers());
  if (has_place(s, from)) return alltoall_call(s, coming, coming, false);
  alltoall_call(s, Typed<Count, Displacement>(s, from, sent, out, t, s.peers()), coming, false);
}

// --- reductions
// The program's own operation cannot run beside the rank: all contributions go to all, which fold them in the end.
inline Place gather_to_fold(const Fold& f, Place own, int root) {
  const Lengths lengths(f.bytes(), f.s.size());
  const Place all = f.s.room(lengths.all());
  std::memcpy(at(lengths.at(all, f.s.rank())), at(own), static_cast<std::size_t>(f.bytes()));
  if (root < 0) {
    allgather_ring(f.s, all, lengths);
  } else {
    gather_linear(f.s, own, all, lengths, root);
  }
  return all;
}
template <class Count>
void reduce_call(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op, int root) {
  if (inter(s)) return between::reduce(s, from, to, count, type, op, root);
  check_root(s, root);
  const Contribution<Count> c(s, from, to, count, type, op);
  const Fold f = c.fold(s);
  if (s.behind() && c.does.own()) {
    const Place all = gather_to_fold(f, c.own, root);
    if (s.rank() != root) return;
    s.then([&s, c, all] { fold_gathered(c.does, c.side.type, c.side.count, all, 0, s.size() - 1); });
    return give_result(s, c, all + static_cast<Place>(f.bytes() * (s.size() - 1)), to);
  }
  const Place result = reduce(f, c.own, root);
  if (s.rank() == root) give_result(s, c, result, to);
}

template <class Count>
void allreduce_call(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op) {
  if (inter(s)) return between::allreduce(s, from, to, count, type, op);
  const Contribution<Count> c(s, from, to, count, type, op);
  const Fold f = c.fold(s);
  if (s.behind() && c.does.own()) {
    const Place all = gather_to_fold(f, c.own, -1);
    s.then([&s, c, all] { fold_gathered(c.does, c.side.type, c.side.count, all, 0, s.size() - 1); });
    return give_result(s, c, all + static_cast<Place>(f.bytes() * (s.size() - 1)), to);
  }
  Way way = way_of(Collective::allreduce, f.bytes(), s.size());
  if (way == Way::rabenseifner && !may_part(f)) way = Way::doubling;
  Place result = 0;
  if (way == Way::rooted) {
    result = reduce_binomial(f, c.own, 0);
    broadcast_binomial(s, result, f.bytes(), 0);
  } else {
    result = way == Way::rabenseifner ? allreduce_rabenseifner(f, c.own) : allreduce_doubling(f, c.own);
  }
  give_result(s, c, result, to);
}

template <class Count>
void scan_call(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op, bool exclusive) {
  if (inter(s)) fail(MPI_ERR_COMM, "a scan has no order of two groups");
  const Contribution<Count> c(s, from, to, count, type, op);
  const Fold f = c.fold(s);
  if (exclusive && s.rank() == 0 && s.size() == 1) return;
  Place result = 0;
  if (s.behind() && c.does.own()) {
    const Place all = gather_to_fold(f, c.own, -1);
    const int last = s.rank() - exclusive;
    if (last < 0) return;
    s.then([c, all, last] { fold_gathered(c.does, c.side.type, c.side.count, all, 0, last); });
    result = all + static_cast<Place>(f.bytes() * last);
  } else {
    result = way_of(Collective::scan, f.bytes(), s.size()) == Way::linear ? scan_linear(f, c.own, exclusive)
                                                                          : scan_doubling(f, c.own, exclusive);
  }
  if (!exclusive || s.rank() > 0) give_result(s, c, result, to);
}

// `counts`: elements of each rank's part.
template <class Count>
void reduce_scatter_call(Steps& s, const void* from, void* to, const std::vector<Count>& counts, MPI_Datatype type,
                         MPI_Op op) {
  if (inter(s)) between::refuse_in_place(from);
  Count all = 0;
  for (const Count each : counts) {
    check_count(each);
    all += each;
  }
  const Contribution<Count> c(s, from, to, all, type, op);
  const Fold f = c.fold(s);
  std::vector<std::int64_t> bytes;
  for (const Count each : counts) bytes.push_back(f.bytes(each));
  const Lengths parts(bytes);
  const Even<Count> mine(s, to, counts[static_cast<std::size_t>(s.rank())], type);
  if (inter(s)) return between::reduce_scatter(s, c, parts, mine);
  if (s.behind() && c.does.own()) {
    const Place block = gather_to_fold(f, c.own, -1);
    s.then([&s, c, block, parts, mine] {
      const Place sum = fold_gathered(c.does, c.side.type, c.side.count, block, 0, s.size() - 1);
      unpack_part(mine, 0, parts.at(sum, s.rank()));
    });
    return;
  }
  Way way = way_of(Collective::reduce_scatter, parts.all(), s.size());
  if (!f.operation.commutative) way = Way::rooted;
  const Place result = way == Way::rooted    ? reduce_scatter_rooted(f, c.own, parts)
                       : way == Way::halving ? reduce_scatter_halving(f, c.own, parts)
                                             : reduce_scatter_pairwise(f, c.own, parts);
  s.then([mine, result] { unpack_part(mine, 0, result); });
}
template <class Count>
void reduce_scatter_each(Steps& s, const void* from, void* to, const Count* counts, MPI_Datatype type, MPI_Op op) {
  reduce_scatter_call(s, from, to, std::vector<Count>(counts, counts + s.size()), type, op);
}
template <class Count>
void reduce_scatter_block(Steps& s, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op) {
  reduce_scatter_call(s, from, to, std::vector<Count>(static_cast<std::size_t>(s.size()), count), type, op);
}

}  // namespace assay::abi
