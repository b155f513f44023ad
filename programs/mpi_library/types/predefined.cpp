// The predefined datatypes of the ABI.
#include <complex>
#include <deque>

#include "mpi_library/types/datatype.hpp"

namespace assay::abi {
namespace {

struct Row {
  MPI_Datatype handle;
  const char* name;
  Basic basic;
  std::int64_t bytes;
  std::int64_t index = 0;  // bytes of a second part, which is the index of a MINLOC type
};
#define ROW(name, ...) \
  Row { name, #name, __VA_ARGS__ }

template <class First, class Second>
struct Two {
  First first;
  Second second;
};

std::int64_t aligned_place(std::int64_t bytes, std::int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

const Row rows[] = {
    ROW(MPI_AINT, Basic::int64, 8),
    ROW(MPI_COUNT, Basic::int64, 8),
    ROW(MPI_OFFSET, Basic::int64, 8),
    ROW(MPI_PACKED, Basic::byte, 1),
    ROW(MPI_SHORT, Basic::int16, 2),
    ROW(MPI_INT, Basic::int32, 4),
    ROW(MPI_LONG, Basic::int64, sizeof(long)),
    ROW(MPI_LONG_LONG, Basic::int64, 8),
    ROW(MPI_UNSIGNED_SHORT, Basic::uint16, 2),
    ROW(MPI_UNSIGNED, Basic::uint32, 4),
    ROW(MPI_UNSIGNED_LONG, Basic::uint64, sizeof(long)),
    ROW(MPI_UNSIGNED_LONG_LONG, Basic::uint64, 8),
    ROW(MPI_FLOAT, Basic::float32, 4),
    ROW(MPI_C_FLOAT_COMPLEX, Basic::complex64, 8),
    ROW(MPI_CXX_FLOAT_COMPLEX, Basic::complex64, 8),
    ROW(MPI_DOUBLE, Basic::float64, 8),
    ROW(MPI_C_DOUBLE_COMPLEX, Basic::complex128, 16),
    ROW(MPI_CXX_DOUBLE_COMPLEX, Basic::complex128, 16),
    ROW(MPI_LOGICAL, Basic::logical32, 4),
    ROW(MPI_INTEGER, Basic::int32, 4),
    ROW(MPI_REAL, Basic::float32, 4),
    ROW(MPI_COMPLEX, Basic::complex64, 8),
    ROW(MPI_DOUBLE_PRECISION, Basic::float64, 8),
    ROW(MPI_DOUBLE_COMPLEX, Basic::complex128, 16),
    ROW(MPI_CHARACTER, Basic::character, 1),
    ROW(MPI_LONG_DOUBLE, Basic::float80, sizeof(long double)),
    ROW(MPI_C_LONG_DOUBLE_COMPLEX, Basic::complex160, 2 * sizeof(long double)),
    ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, Basic::complex160, 2 * sizeof(long double)),
    ROW(MPI_FLOAT_INT, Basic::float_int, 4, 4),
    ROW(MPI_DOUBLE_INT, Basic::double_int, 8, 4),
    ROW(MPI_LONG_INT, Basic::long_int, sizeof(long), 4),
    ROW(MPI_2INT, Basic::two_int, 4, 4),
    ROW(MPI_SHORT_INT, Basic::short_int, 2, 4),
    ROW(MPI_LONG_DOUBLE_INT, Basic::long_double_int, sizeof(long double), 4),
    ROW(MPI_2REAL, Basic::two_float, 4, 4),
    ROW(MPI_2DOUBLE_PRECISION, Basic::two_double, 8, 8),
    ROW(MPI_2INTEGER, Basic::two_int, 4, 4),
    ROW(MPI_C_BOOL, Basic::boolean, 1),
    ROW(MPI_CXX_BOOL, Basic::boolean, 1),
    ROW(MPI_WCHAR, Basic::character, sizeof(wchar_t)),
    ROW(MPI_INT8_T, Basic::int8, 1),
    ROW(MPI_UINT8_T, Basic::uint8, 1),
    ROW(MPI_CHAR, Basic::int8, 1),
    ROW(MPI_SIGNED_CHAR, Basic::int8, 1),
    ROW(MPI_UNSIGNED_CHAR, Basic::uint8, 1),
    ROW(MPI_BYTE, Basic::byte, 1),
    ROW(MPI_INT16_T, Basic::int16, 2),
    ROW(MPI_UINT16_T, Basic::uint16, 2),
    ROW(MPI_INT32_T, Basic::int32, 4),
    ROW(MPI_UINT32_T, Basic::uint32, 4),
    ROW(MPI_INT64_T, Basic::int64, 8),
    ROW(MPI_UINT64_T, Basic::uint64, 8),
    ROW(MPI_LOGICAL1, Basic::logical8, 1),
    ROW(MPI_INTEGER1, Basic::int8, 1),
    ROW(MPI_LOGICAL2, Basic::logical16, 2),
    ROW(MPI_INTEGER2, Basic::int16, 2),
    ROW(MPI_LOGICAL4, Basic::logical32, 4),
    ROW(MPI_INTEGER4, Basic::int32, 4),
    ROW(MPI_REAL4, Basic::float32, 4),
    ROW(MPI_LOGICAL8, Basic::logical64, 8),
    ROW(MPI_INTEGER8, Basic::int64, 8),
    ROW(MPI_REAL8, Basic::float64, 8),
    ROW(MPI_COMPLEX8, Basic::complex64, 8),
    ROW(MPI_COMPLEX16, Basic::complex128, 16),
};

std::int64_t alignment_of(const Row& row) {
  switch (row.basic) {
    case Basic::complex64:
      return 4;
    case Basic::complex128:
      return 8;
    case Basic::complex160:
    case Basic::float80:
    case Basic::long_double_int:
      return alignof(long double);
    default:
      return row.bytes;
  }
}

void define(const Row& row, Datatype& type) {
  type.name = row.name;
  type.basic = row.basic;
  type.committed = true;
  type.alignment = std::max<std::int64_t>(alignment_of(row), row.index);
  type.size = row.bytes + row.index;
  type.pieces = {{0, row.bytes}};
  type.elements = {{row.bytes, 1}};
  type.extent = type.true_extent = row.bytes;
  if (row.index > 0) {
    const std::int64_t place = aligned_place(row.bytes, row.index);
    if (place == row.bytes)
      type.pieces = {{0, row.bytes + row.index}};
    else
      type.pieces.push_back({place, row.index});
    type.elements = row.bytes == row.index ? std::vector<Elements>{{row.bytes, 2}}
                                           : std::vector<Elements>{{row.bytes, 1}, {row.index, 1}};
    type.true_extent = place + row.index;
    type.extent = aligned_place(type.true_extent, type.alignment);
  }
}

// Before any function of the library may be called.
struct Predefined {
  Predefined() {
    static std::deque<Datatype> types;
    for (const Row& row : rows) {
      Datatype& type = types.emplace_back();
      define(row, type);
      predefine(reinterpret_cast<std::uintptr_t>(row.handle), type);
    }
  }
};

}  // namespace

Datatype& predefined(MPI_Datatype handle) {
  static Predefined once;
  return datatype(handle);
}

namespace {
[[gnu::constructor]] void define_types() { predefined(MPI_BYTE); }
}  // namespace

}  // namespace assay::abi
