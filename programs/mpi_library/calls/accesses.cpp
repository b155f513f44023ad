// One-sided operations.
#include "mpi_library/windows/accesses.hpp"

#include <cstring>

#include "mpi_library/calls/timed.hpp"

using namespace assay::abi;

namespace {

// What the elements of a type are, where all of them are of one predefined type.
Basic element_of(const Datatype& type) {
  if (type.basic != Basic::none || type.types.empty()) return type.basic;
  const Basic first = element_of(*type.types[0]);
  for (const Datatype* each : type.types)
    if (element_of(*each) != first) return Basic::none;
  return first;
}
const Datatype& predefined_in(const Datatype& type) {
  return type.types.empty() ? type : predefined_in(*type.types[0]);
}

void check_same(std::uint64_t origin, const Target& to, const char* what) {
  if (to.rank != MPI_PROC_NULL && origin != to.bytes())
    fail(MPI_ERR_TYPE, std::to_string(origin) + " bytes " + what + " and " + std::to_string(to.bytes()) +
                           " at the target; expected as many");
}

// What an operation does to elements of the target's type; an Error where there is no such operation.
AccessKind accumulating(Access access, MPI_Op handle, const Datatype& type) {
  const auto& does = object<Operation>(handle);
  if (does.own()) fail(MPI_ERR_OP, "an operation of the program, where a predefined one is needed");
  const Basic basic = element_of(type);
  const bool any = does.reduction == Reduction::replace || does.reduction == Reduction::no_op;
  if (!any && (basic == Basic::none || !reduce(basic, does.reduction, nullptr, nullptr, 0)))
    fail(MPI_ERR_OP, "the operation is not defined for the elements of the target's datatype");
  return {access, basic, does.reduction, any ? 1 : predefined_in(type).size};
}

void note(Timed& timed, const Window& of, const Target& to) {
  check_peer(*of.comm, to.rank);
  timed.about(to.bytes(), to.rank < 0 ? -1 : of.comm->world(to.rank));
}

UnderWay* put(Timed& timed, MPI_Win handle, const Buffer& from, const Target& to) {
  Window& its = window(handle);
  check_same(from.bytes(), to, "of the origin");
  note(timed, its, to);
  return begin_access(its, to, {Access::put}, packed(from), from.bytes(), nullptr);
}
UnderWay* get(Timed& timed, MPI_Win handle, const Buffer& into, const Target& from) {
  Window& its = window(handle);
  check_same(into.bytes(), from, "of the origin");
  note(timed, its, from);
  return begin_access(its, from, {Access::get}, 0, 0, &into);
}
UnderWay* accumulate(Timed& timed, MPI_Win handle, const Buffer& from, const Target& to, MPI_Op op) {
  Window& its = window(handle);
  const AccessKind does = accumulating(Access::accumulate, op, to.type);
  check_same(from.bytes(), to, "of the origin");
  note(timed, its, to);
  if (does.reduction == Reduction::no_op) return begin_access(its, to, does, 0, 0, nullptr);
  return begin_access(its, to, does, packed(from), from.bytes(), nullptr);
}
// With MPI_NO_OP what the origin has counts for nothing.
UnderWay* fetch(Timed& timed, MPI_Win handle, const void* from, std::int64_t count, MPI_Datatype type,
                const Buffer& into, const Target& to, MPI_Op op) {
  Window& its = window(handle);
  const AccessKind does = accumulating(Access::fetch, op, to.type);
  check_same(into.bytes(), to, "of the result");
  note(timed, its, to);
  if (does.reduction == Reduction::no_op) return begin_access(its, to, does, 0, 0, &into);
  const Buffer brought = buffer(from, count, type);
  check_same(brought.bytes(), to, "of the origin");
  return begin_access(its, to, does, packed(brought), brought.bytes(), &into);
}

template <class Begin>
int requested(Function function, MPI_Win handle, MPI_Request* request, Begin&& begin) {
  return timed_call(function, handle, [&](Timed& timed) {
    UnderWay* const access = begin(timed);
    *request = started(*new AccessRequest(window(handle), access));
  });
}

}  // namespace

#define ACCESSES(suffix, Count)                                                                                        \
  MPI_FUNCTION(MPI_Put##suffix, (const void* from, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m,         \
                                 MPI_Datatype u, MPI_Win win)) {                                                       \
    return timed_call(Function::MPI_Put##suffix, win,                                                                  \
                      [&](Timed& timed) { put(timed, win, buffer(from, n, t), target(rank, place, m, u)); });          \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Rput##suffix, (const void* from, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m,        \
                                  MPI_Datatype u, MPI_Win win, MPI_Request* request)) {                                \
    return requested(Function::MPI_Rput##suffix, win, request,                                                         \
                     [&](Timed& timed) { return put(timed, win, buffer(from, n, t), target(rank, place, m, u)); });    \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Get##suffix, (void* into, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m,               \
                                 MPI_Datatype u, MPI_Win win)) {                                                       \
    return timed_call(Function::MPI_Get##suffix, win,                                                                  \
                      [&](Timed& timed) { get(timed, win, buffer(into, n, t), target(rank, place, m, u)); });          \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Rget##suffix, (void* into, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m,              \
                                  MPI_Datatype u, MPI_Win win, MPI_Request* request)) {                                \
    return requested(Function::MPI_Rget##suffix, win, request,                                                         \
                     [&](Timed& timed) { return get(timed, win, buffer(into, n, t), target(rank, place, m, u)); });    \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Accumulate##suffix, (const void* from, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m,  \
                                        MPI_Datatype u, MPI_Op op, MPI_Win win)) {                                     \
    return timed_call(Function::MPI_Accumulate##suffix, win, [&](Timed& timed) {                                       \
      accumulate(timed, win, buffer(from, n, t), target(rank, place, m, u), op);                                       \
    });                                                                                                                \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Raccumulate##suffix, (const void* from, Count n, MPI_Datatype t, int rank, MPI_Aint place, Count m, \
                                         MPI_Datatype u, MPI_Op op, MPI_Win win, MPI_Request* request)) {              \
    return requested(Function::MPI_Raccumulate##suffix, win, request, [&](Timed& timed) {                              \
      return accumulate(timed, win, buffer(from, n, t), target(rank, place, m, u), op);                                \
    });                                                                                                                \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Get_accumulate##suffix,                                                                             \
               (const void* from, Count n, MPI_Datatype t, void* into, Count k, MPI_Datatype v, int rank,              \
                MPI_Aint place, Count m, MPI_Datatype u, MPI_Op op, MPI_Win win)) {                                    \
    return timed_call(Function::MPI_Get_accumulate##suffix, win, [&](Timed& timed) {                                   \
      fetch(timed, win, from, n, t, buffer(into, k, v), target(rank, place, m, u), op);                                \
    });                                                                                                                \
  }                                                                                                                    \
  MPI_FUNCTION(MPI_Rget_accumulate##suffix,                                                                            \
               (const void* from, Count n, MPI_Datatype t, void* into, Count k, MPI_Datatype v, int rank,              \
                MPI_Aint place, Count m, MPI_Datatype u, MPI_Op op, MPI_Win win, MPI_Request* request)) {              \
    return requested(Function::MPI_Rget_accumulate##suffix, win, request, [&](Timed& timed) {                          \
      return fetch(timed, win, from, n, t, buffer(into, k, v), target(rank, place, m, u), op);                         \
    });                                                                                                                \
  }
ACCESSES(, int)
ACCESSES(_c, MPI_Count)

MPI_FUNCTION(MPI_Fetch_and_op,
             (const void* from, void* into, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op, MPI_Win win)) {
  return timed_call(Function::MPI_Fetch_and_op, win, [&](Timed& timed) {
    fetch(timed, win, from, 1, type, buffer(into, 1, type), target(rank, place, 1, type), op);
  });
}
MPI_FUNCTION(MPI_Compare_and_swap, (const void* from, const void* expected, void* into, MPI_Datatype type, int rank,
                                    MPI_Aint place, MPI_Win win)) {
  return timed_call(Function::MPI_Compare_and_swap, win, [&](Timed& timed) {
    Window& its = window(win);
    const Buffer brought = buffer(from, 1, type), found = buffer(into, 1, type);
    const Target to = target(rank, place, 1, type);
    note(timed, its, to);
    const std::uint64_t bytes = brought.bytes();
    const Place both = take(2 * bytes);
    pack(brought.type, from, 1, at(both));
    pack(brought.type, expected, 1, at(both) + bytes);
    begin_access(its, to, {Access::compare}, both, 2 * bytes, &found);
  });
}
