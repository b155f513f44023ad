// Derived datatypes: constructors, commit, free, sizes and names. Each constructor of large counts is the same code.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "mpi_library/calls/attributes.hpp"
#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/types/constructors.hpp"

using namespace assay::abi;

namespace {

// Hands out a new type and records how it was made. With large counts all integers but a few are counts of their own.
struct Origin {
  int combiner;
  std::vector<std::int64_t> integers, addresses;
  std::vector<Datatype*> types;
};
void give(MPI_Datatype* out, Datatype& made, Origin origin, bool large = false) {
  made.combiner = origin.combiner;
  made.large = large;
  made.integers = std::move(origin.integers);
  made.addresses = std::move(origin.addresses);
  made.types = std::move(origin.types);
  for (Datatype* each : made.types) hold(*each);
  *out = handle_of(made);
}

template <class Count>
using Counts = std::span<const Count>;
template <class Count>
std::vector<std::int64_t> wide(std::initializer_list<std::int64_t> first, std::initializer_list<Counts<Count>> rows) {
  std::vector<std::int64_t> all(first);
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}
template <class Count>
constexpr bool is_large = sizeof(Count) > sizeof(int);

template <class Count>
void contiguous(Count count, MPI_Datatype old, MPI_Datatype* out) {
  check_count(count);
  Datatype& type = datatype(old);
  const Block block{0, count};
  give(out, blocks_of(type, {&block, 1}), {MPI_COMBINER_CONTIGUOUS, {count}, {}, {&type}}, is_large<Count>);
}

template <class Count>
void vector(Count count, Count length, Count stride, MPI_Datatype old, MPI_Datatype* out) {
  check_count(count);
  check_count(length, "block length");
  Datatype& type = datatype(old);
  give(out, vector_of(type, count, length, stride * type.extent),
       {MPI_COMBINER_VECTOR, {count, length, stride}, {}, {&type}}, is_large<Count>);
}

template <class Count>
void hvector(Count count, Count length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* out) {
  check_count(count);
  check_count(length, "block length");
  Datatype& type = datatype(old);
  Origin origin{MPI_COMBINER_HVECTOR, {count, length}, {stride}, {&type}};
  if (is_large<Count>) origin = {MPI_COMBINER_HVECTOR, {count, length, stride}, {}, {&type}};
  give(out, vector_of(type, count, length, stride), std::move(origin), is_large<Count>);
}

// Blocks of given places (in bytes, or in elements where `unit` is their extent) and lengths.
template <class Count, class Place>
std::vector<Block> placed(Count count, const Count* lengths, const Place* places, std::int64_t unit,
                          std::int64_t length = 0) {
  check_count(count);
  std::vector<Block> blocks(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = {places[i] * unit, lengths ? lengths[i] : length};
    check_count(blocks[i].length, "block length");
  }
  return blocks;
}

template <class Count>
void indexed(Count count, const Count* lengths, const Count* places, MPI_Datatype old, MPI_Datatype* out) {
  Datatype& type = datatype(old);
  const auto n = static_cast<std::size_t>(std::max<Count>(count, 0));
  give(out, blocks_of(type, placed(count, lengths, places, type.extent)),
       {MPI_COMBINER_INDEXED, wide<Count>({count}, {{lengths, n}, {places, n}}), {}, {&type}}, is_large<Count>);
}

template <class Count, class Place>
void hindexed(Count count, const Count* lengths, const Place* places, MPI_Datatype old, MPI_Datatype* out) {
  Datatype& type = datatype(old);
  const auto n = static_cast<std::size_t>(std::max<Count>(count, 0));
  Origin origin{MPI_COMBINER_HINDEXED, wide<Count>({count}, {{lengths, n}}), {places, places + n}, {&type}};
  if (is_large<Count>) {
    origin.integers.insert(origin.integers.end(), places, places + n);
    origin.addresses.clear();
  }
  give(out, blocks_of(type, placed(count, lengths, places, 1)), std::move(origin), is_large<Count>);
}

template <class Count>
void indexed_block(Count count, Count length, const Count* places, MPI_Datatype old, MPI_Datatype* out) {
  Datatype& type = datatype(old);
  const auto n = static_cast<std::size_t>(std::max<Count>(count, 0));
  give(out, blocks_of(type, placed<Count>(count, nullptr, places, type.extent, length)),
       {MPI_COMBINER_INDEXED_BLOCK, wide<Count>({count, length}, {{places, n}}), {}, {&type}}, is_large<Count>);
}

template <class Count, class Place>
void hindexed_block(Count count, Count length, const Place* places, MPI_Datatype old, MPI_Datatype* out) {
  Datatype& type = datatype(old);
  const auto n = static_cast<std::size_t>(std::max<Count>(count, 0));
  Origin origin{MPI_COMBINER_HINDEXED_BLOCK, {count, length}, {places, places + n}, {&type}};
  if (is_large<Count>) {
    origin.integers.insert(origin.integers.end(), places, places + n);
    origin.addresses.clear();
  }
  give(out, blocks_of(type, placed<Count>(count, nullptr, places, 1, length)), std::move(origin), is_large<Count>);
}

template <class Count, class Place>
void structure(Count count, const Count* lengths, const Place* places, const MPI_Datatype* olds, MPI_Datatype* out) {
  const auto blocks = placed(count, lengths, places, 1);
  std::vector<Datatype*> types;
  for (Count i = 0; i < count; ++i) types.push_back(&datatype(olds[i]));
  const auto n = static_cast<std::size_t>(count);
  Origin origin{MPI_COMBINER_STRUCT, wide<Count>({count}, {{lengths, n}}), {places, places + n}, types};
  if (is_large<Count>) {
    origin.integers.insert(origin.integers.end(), places, places + n);
    origin.addresses.clear();
  }
  give(out, structure_of(blocks, types), std::move(origin), is_large<Count>);
}

template <class Count>
void subarray(int dimensions, const Count* sizes, const Count* parts, const Count* starts, int order, MPI_Datatype old,
              MPI_Datatype* out) {
  check_argument(dimensions > 0, "dimensions below one");
  check_argument(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, "unknown order");
  Datatype& type = datatype(old);
  const auto n = static_cast<std::size_t>(dimensions);
  const auto row = [n](const Count* from) { return std::vector<std::int64_t>(from, from + n); };
  auto integers = wide<Count>({dimensions}, {{sizes, n}, {parts, n}, {starts, n}});
  integers.push_back(order);
  give(out, subarray_of(type, row(sizes), row(parts), row(starts), order),
       {MPI_COMBINER_SUBARRAY, std::move(integers), {}, {&type}}, is_large<Count>);
}

template <class Count>
void darray(int ranks, int rank, int dimensions, const Count* sizes, const int* ways, const int* arguments,
            const int* grid, int order, MPI_Datatype old, MPI_Datatype* out) {
  check_argument(dimensions > 0, "dimensions below one");
  check_argument(rank >= 0 && rank < ranks, "a rank outside of the grid");
  check_argument(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, "unknown order");
  Datatype& type = datatype(old);
  std::vector<Distribution> each;
  std::vector<std::int64_t> integers{ranks, rank, dimensions};
  for (int k = 0; k < dimensions; ++k) each.push_back({sizes[k], ways[k], arguments[k], grid[k]});
  for (const auto& d : each) integers.push_back(d.size);
  for (const int* row : {ways, arguments, grid}) integers.insert(integers.end(), row, row + dimensions);
  integers.push_back(order);
  give(out, distributed_array_of(type, ranks, rank, each, order),
       {MPI_COMBINER_DARRAY, std::move(integers), {}, {&type}}, is_large<Count>);
}

template <class Number>
void bounded(std::int64_t value, Number* out) {
  *out = value > std::numeric_limits<Number>::max() ? static_cast<Number>(MPI_UNDEFINED) : static_cast<Number>(value);
}

}  // namespace

// A constructor and its form with large counts.
#define CONSTRUCTOR(name, body, arguments, small, large) \
  MPI_FUNCTION(name, small) {                            \
    return call(__func__, [&] { body arguments; });      \
  }                                                      \
  MPI_FUNCTION(name##_c, large) {                        \
    return call(__func__, [&] { body arguments; });      \
  }

CONSTRUCTOR(MPI_Type_contiguous, contiguous, (count, old, out), (int count, MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_vector, vector, (count, length, stride, old, out),
            (int count, int length, int stride, MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_hvector, hvector, (count, length, stride, old, out),
            (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_indexed, indexed, (count, lengths, places, old, out),
            (int count, const int lengths[], const int places[], MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, const MPI_Count lengths[], const MPI_Count places[], MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_hindexed, hindexed, (count, lengths, places, old, out),
            (int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, const MPI_Count lengths[], const MPI_Count places[], MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_indexed_block, indexed_block, (count, length, places, old, out),
            (int count, int length, const int places[], MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, MPI_Count length, const MPI_Count places[], MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_hindexed_block, hindexed_block, (count, length, places, old, out),
            (int count, int length, const MPI_Aint places[], MPI_Datatype old, MPI_Datatype* out),
            (MPI_Count count, MPI_Count length, const MPI_Count places[], MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_struct, structure, (count, lengths, places, olds, out),
            (int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype olds[], MPI_Datatype* out),
            (MPI_Count count, const MPI_Count lengths[], const MPI_Count places[], const MPI_Datatype olds[],
             MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_subarray, subarray, (dimensions, sizes, parts, starts, order, old, out),
            (int dimensions, const int sizes[], const int parts[], const int starts[], int order, MPI_Datatype old,
             MPI_Datatype* out),
            (int dimensions, const MPI_Count sizes[], const MPI_Count parts[], const MPI_Count starts[], int order,
             MPI_Datatype old, MPI_Datatype* out))
CONSTRUCTOR(MPI_Type_create_darray, darray, (ranks, rank, dimensions, sizes, ways, arguments, grid, order, old, out),
            (int ranks, int rank, int dimensions, const int sizes[], const int ways[], const int arguments[],
             const int grid[], int order, MPI_Datatype old, MPI_Datatype* out),
            (int ranks, int rank, int dimensions, const MPI_Count sizes[], const int ways[], const int arguments[],
             const int grid[], int order, MPI_Datatype old, MPI_Datatype* out))

MPI_FUNCTION(MPI_Type_create_resized, (MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* out)) {
  return call(__func__, [&] {
    Datatype& type = datatype(old);
    give(out, resized(type, lower, extent), {MPI_COMBINER_RESIZED, {}, {lower, extent}, {&type}});
  });
}
MPI_FUNCTION(MPI_Type_create_resized_c, (MPI_Datatype old, MPI_Count lower, MPI_Count extent, MPI_Datatype* out)) {
  return call(__func__, [&] {
    Datatype& type = datatype(old);
    give(out, resized(type, lower, extent), {MPI_COMBINER_RESIZED, {lower, extent}, {}, {&type}}, true);
  });
}
MPI_FUNCTION(MPI_Type_dup, (MPI_Datatype old, MPI_Datatype* out)) {
  return call(__func__, [&] {
    Datatype& type = datatype(old);
    Datatype& made = duplicate(type);
    copy_attributes(old, type.attributes, made.attributes);
    give(out, made, {MPI_COMBINER_DUP, {}, {}, {&type}});
  });
}

MPI_FUNCTION(MPI_Type_commit, (MPI_Datatype * type)) {
  return call(__func__, [&] { datatype(*type).committed = true; });
}
MPI_FUNCTION(MPI_Type_free, (MPI_Datatype * handle)) {
  return call(__func__, [&] {
    Datatype& type = datatype(*handle);
    if (type.predefined) fail(MPI_ERR_TYPE, "a predefined datatype cannot be freed");
    delete_attributes(*handle, type.attributes);
    release(type);
    *handle = MPI_DATATYPE_NULL;
  });
}

MPI_FUNCTION(MPI_Type_size, (MPI_Datatype type, int* size)) {
  return call(__func__, [&] { bounded(datatype(type).size, size); });
}
MPI_FUNCTION(MPI_Type_size_c, (MPI_Datatype type, MPI_Count* size)) {
  return call(__func__, [&] { *size = datatype(type).size; });
}
MPI_FUNCTION(MPI_Type_size_x, (MPI_Datatype type, MPI_Count* size)) { return PMPI_Type_size_c(type, size); }

#define EXTENT(name, Number, field_lower, field_extent)                        \
  MPI_FUNCTION(name, (MPI_Datatype handle, Number * lower, Number * extent)) { \
    return call(__func__, [&] {                                                \
      const Datatype& type = datatype(handle);                                 \
      *lower = type.field_lower;                                               \
      *extent = type.field_extent;                                             \
    });                                                                        \
  }
EXTENT(MPI_Type_get_extent, MPI_Aint, lower, extent)
EXTENT(MPI_Type_get_extent_c, MPI_Count, lower, extent)
EXTENT(MPI_Type_get_extent_x, MPI_Count, lower, extent)
EXTENT(MPI_Type_get_true_extent, MPI_Aint, true_lower, true_extent)
EXTENT(MPI_Type_get_true_extent_c, MPI_Count, true_lower, true_extent)
EXTENT(MPI_Type_get_true_extent_x, MPI_Count, true_lower, true_extent)

MPI_FUNCTION(MPI_Type_set_name, (MPI_Datatype type, const char* name)) {
  return call(__func__, [&] { datatype(type).name = cut(name, MPI_MAX_OBJECT_NAME); });
}
MPI_FUNCTION(MPI_Type_get_name, (MPI_Datatype type, char* name, int* length)) {
  return call(__func__, [&] { write(datatype(type).name, name, length, MPI_MAX_OBJECT_NAME); });
}

MPI_FUNCTION(MPI_Type_match_size, (int typeclass, int size, MPI_Datatype* type)) {
  return call(__func__, [&] {
    struct Match {
      int typeclass, size;
      MPI_Datatype type;
    };
    static const Match matches[] = {
        {MPI_TYPECLASS_REAL, 4, MPI_REAL4},       {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
        {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1}, {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
        {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4}, {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
        {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8}, {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16}};
    const auto* found = std::ranges::find_if(
        matches, [&](const Match& each) { return each.typeclass == typeclass && each.size == size; });
    check_argument(found != std::end(matches), "no type of that class and size");
    *type = found->type;
  });
}
