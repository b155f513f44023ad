// How a datatype was made, and packing by the program's own call.
#include <cstring>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/types/datatype.hpp"

using namespace assay::abi;

namespace {

// The types that made a type, as handles; derived ones belong to the caller, who frees them.
void give_types(Datatype& type, MPI_Datatype* types) {
  for (std::size_t i = 0; i < type.types.size(); ++i) {
    types[i] = handle_of(*type.types[i]);
    if (!type.types[i]->predefined) hold(*type.types[i]);
  }
}

template <class Count>
void pack_into(const void* from, Count count, MPI_Datatype handle, void* to, Count room, Count* place) {
  check_count(count);
  const Datatype& type = committed(handle);
  if (*place < 0 || room - *place < count * type.size) fail(MPI_ERR_TRUNCATE, "the packed data do not fit");
  pack(type, from, count, static_cast<std::byte*>(to) + *place);
  *place += static_cast<Count>(count * type.size);
}
template <class Count>
void unpack_from(const void* from, Count room, Count* place, void* to, Count count, MPI_Datatype handle) {
  check_count(count);
  const Datatype& type = committed(handle);
  if (*place < 0 || room - *place < count * type.size) fail(MPI_ERR_TRUNCATE, "fewer packed data than asked for");
  unpack(type, static_cast<const std::byte*>(from) + *place, count * type.size, to);
  *place += static_cast<Count>(count * type.size);
}

}  // namespace

MPI_FUNCTION(MPI_Type_get_envelope, (MPI_Datatype handle, int* integers, int* addresses, int* types, int* combiner)) {
  return call(__func__, [&] {
    const Datatype& type = datatype(handle);
    if (type.large) fail(MPI_ERR_TYPE, "the type was made with large counts: MPI_Type_get_envelope_c reads it");
    *integers = static_cast<int>(type.integers.size());
    *addresses = static_cast<int>(type.addresses.size());
    *types = static_cast<int>(type.types.size());
    *combiner = type.combiner;
  });
}
MPI_FUNCTION(MPI_Type_get_contents, (MPI_Datatype handle, int max_integers, int max_addresses, int max_types,
                                     int integers[], MPI_Aint addresses[], MPI_Datatype types[])) {
  return call(__func__, [&] {
    Datatype& type = datatype(handle);
    if (type.combiner == MPI_COMBINER_NAMED || type.large)
      fail(MPI_ERR_TYPE, type.large ? "the type was made with large counts" : "a predefined type has no contents");
    check_argument(static_cast<std::size_t>(max_integers) >= type.integers.size() &&
                       static_cast<std::size_t>(max_addresses) >= type.addresses.size() &&
                       static_cast<std::size_t>(max_types) >= type.types.size(),
                   "too little room for the contents");
    for (std::size_t i = 0; i < type.integers.size(); ++i) integers[i] = static_cast<int>(type.integers[i]);
    for (std::size_t i = 0; i < type.addresses.size(); ++i) addresses[i] = type.addresses[i];
    give_types(type, types);
  });
}

// Of a type with large counts all integers are counts, but a subarray's and a darray's that are no sizes.
namespace {
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> integers_and_counts(const Datatype& type) {
  if (!type.large) return {type.integers, {}};
  const auto& all = type.integers;
  const auto part = [&all](std::size_t from, std::size_t to) {
    return std::vector<std::int64_t>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                     all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  if (type.combiner == MPI_COMBINER_SUBARRAY) return {{all.front(), all.back()}, part(1, all.size() - 1)};
  if (type.combiner == MPI_COMBINER_DARRAY) {
    const auto n = static_cast<std::size_t>(all[2]);
    auto integers = part(0, 3);
    const auto rest = part(3 + n, all.size());
    integers.insert(integers.end(), rest.begin(), rest.end());
    return {integers, part(3, 3 + n)};
  }
  return {{}, all};
}
}  // namespace
MPI_FUNCTION(MPI_Type_get_envelope_c, (MPI_Datatype handle, MPI_Count* integers, MPI_Count* addresses,
                                       MPI_Count* counts, MPI_Count* types, int* combiner)) {
  return call(__func__, [&] {
    const Datatype& type = datatype(handle);
    const auto [ints, larges] = integers_and_counts(type);
    *integers = static_cast<MPI_Count>(ints.size());
    *counts = static_cast<MPI_Count>(larges.size());
    *addresses = static_cast<MPI_Count>(type.addresses.size());
    *types = static_cast<MPI_Count>(type.types.size());
    *combiner = type.combiner;
  });
}
MPI_FUNCTION(MPI_Type_get_contents_c,
             (MPI_Datatype handle, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_counts,
              MPI_Count max_types, int integers[], MPI_Aint addresses[], MPI_Count counts[], MPI_Datatype types[])) {
  return call(__func__, [&] {
    Datatype& type = datatype(handle);
    if (type.combiner == MPI_COMBINER_NAMED) fail(MPI_ERR_TYPE, "a predefined type has no contents");
    const auto [ints, larges] = integers_and_counts(type);
    check_argument(max_integers >= std::ssize(ints) && max_counts >= std::ssize(larges) &&
                       max_addresses >= std::ssize(type.addresses) && max_types >= std::ssize(type.types),
                   "too little room for the contents");
    for (std::size_t i = 0; i < ints.size(); ++i) integers[i] = static_cast<int>(ints[i]);
    for (std::size_t i = 0; i < larges.size(); ++i) counts[i] = larges[i];
    for (std::size_t i = 0; i < type.addresses.size(); ++i) addresses[i] = type.addresses[i];
    give_types(type, types);
  });
}

#define PACKING(suffix, Count)                                                                            \
  MPI_FUNCTION(MPI_Pack##suffix, (const void* from, Count count, MPI_Datatype type, void* to, Count room, \
                                  Count* place, MPI_Comm comm)) {                                         \
    return call(__func__, comm, [&] { pack_into(from, count, type, to, room, place); });                  \
  }                                                                                                       \
  MPI_FUNCTION(MPI_Unpack##suffix, (const void* from, Count room, Count* place, void* to, Count count,    \
                                    MPI_Datatype type, MPI_Comm comm)) {                                  \
    return call(__func__, comm, [&] { unpack_from(from, room, place, to, count, type); });                \
  }                                                                                                       \
  MPI_FUNCTION(MPI_Pack_size##suffix, (Count count, MPI_Datatype type, MPI_Comm comm, Count * size)) {    \
    return call(__func__, comm, [&] {                                                                     \
      check_count(count);                                                                                 \
      *size = static_cast<Count>(count * committed(type).size);                                           \
    });                                                                                                   \
  }
PACKING(, int)
PACKING(_c, MPI_Count)

MPI_FUNCTION(MPI_Get_address, (const void* place, MPI_Aint* address)) {
  *address = reinterpret_cast<MPI_Aint>(place);
  return MPI_SUCCESS;
}
extern "C" MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint distance) { return base + distance; }
extern "C" MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint distance) __attribute__((alias("MPI_Aint_add")));
extern "C" MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b) { return a - b; }
extern "C" MPI_Aint PMPI_Aint_diff(MPI_Aint a, MPI_Aint b) __attribute__((alias("MPI_Aint_diff")));
