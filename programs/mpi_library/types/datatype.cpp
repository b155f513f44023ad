#include "mpi_library/types/datatype.hpp"

#include <algorithm>
#include <cstring>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {
namespace {

// Pieces of one size are copied by a loop that the compiler knows the size of.
template <std::size_t bytes>
void gather(const Datatype& type, const char* from, std::int64_t count, std::byte* to) {
  for (std::int64_t i = 0; i < count; ++i, from += type.extent)
    for (const Piece& piece : type.pieces) {
      std::memcpy(to, from + piece.offset, bytes);
      to += bytes;
    }
}
template <std::size_t bytes>
void scatter(const Datatype& type, const std::byte* from, std::int64_t count, char* to) {
  for (std::int64_t i = 0; i < count; ++i, to += type.extent)
    for (const Piece& piece : type.pieces) {
      std::memcpy(to + piece.offset, from, bytes);
      from += bytes;
    }
}
std::int64_t common_size(const Datatype& type) {
  const std::int64_t first = type.pieces.empty() ? 0 : type.pieces[0].bytes;
  return std::ranges::all_of(type.pieces, [first](const Piece& piece) { return piece.bytes == first; }) ? first : 0;
}

}  // namespace

Datatype::~Datatype() {
  for (Datatype* each : types) release(*each);
}

Datatype& committed(MPI_Datatype handle) {
  Datatype& type = datatype(handle);
  if (!type.committed) fail(MPI_ERR_TYPE, "the datatype was not committed");
  return type;
}

MPI_Datatype handle_of(Datatype& type) {
  if (!type.predefined) return reinterpret_cast<MPI_Datatype>(static_cast<Object*>(&type));
  for (std::uintptr_t value = 0x200; value < 0x300; ++value) {
    const auto handle = reinterpret_cast<MPI_Datatype>(value);
    try {
      if (&datatype(handle) == &type) return handle;
    } catch (const Error&) {
    }
  }
  return MPI_DATATYPE_NULL;
}

void pack(const Datatype& type, const void* from, std::int64_t count, std::byte* to) {
  if (count == 0 || type.size == 0) return;
  const auto* memory = static_cast<const char*>(from);
  if (type.dense()) {
    std::memcpy(to, memory, static_cast<std::size_t>(count * type.size));
    return;
  }
  switch (common_size(type)) {
    case 4:
      return gather<4>(type, memory, count, to);
    case 8:
      return gather<8>(type, memory, count, to);
    case 16:
      return gather<16>(type, memory, count, to);
    default:
      break;
  }
  for (std::int64_t i = 0; i < count; ++i, memory += type.extent)
    for (const Piece& piece : type.pieces) {
      std::memcpy(to, memory + piece.offset, static_cast<std::size_t>(piece.bytes));
      to += piece.bytes;
    }
}

void unpack(const Datatype& type, const std::byte* from, std::int64_t bytes, void* to) {
  if (bytes == 0 || type.size == 0) return;
  auto* memory = static_cast<char*>(to);
  if (type.dense()) {
    std::memcpy(memory, from, static_cast<std::size_t>(bytes));
    return;
  }
  const std::int64_t whole = bytes / type.size;
  bytes -= whole * type.size;
  switch (common_size(type)) {
    case 4:
      scatter<4>(type, from, whole, memory);
      break;
    case 8:
      scatter<8>(type, from, whole, memory);
      break;
    case 16:
      scatter<16>(type, from, whole, memory);
      break;
    default: {
      const std::byte* at = from;
      for (std::int64_t i = 0; i < whole; ++i)
        for (const Piece& piece : type.pieces) {
          std::memcpy(memory + i * type.extent + piece.offset, at, static_cast<std::size_t>(piece.bytes));
          at += piece.bytes;
        }
    }
  }
  from += whole * type.size;
  memory += whole * type.extent;
  for (const Piece& piece : type.pieces) {
    const std::int64_t some = std::min(piece.bytes, bytes);
    if (some == 0) return;
    std::memcpy(memory + piece.offset, from, static_cast<std::size_t>(some));
    from += some;
    bytes -= some;
  }
}

void copy(const Datatype& from_type, const void* from, std::int64_t from_count, const Datatype& to_type, void* to,
          std::int64_t to_count) {
  const std::int64_t bytes = std::min(from_count * from_type.size, to_count * to_type.size);
  if (bytes == 0) return;
  if (from_type.dense()) return unpack(to_type, static_cast<const std::byte*>(from), bytes, to);
  std::vector<std::byte> packed(static_cast<std::size_t>(from_count * from_type.size));
  pack(from_type, from, from_count, packed.data());
  unpack(to_type, packed.data(), bytes, to);
}

std::int64_t elements_in(const Datatype& type, std::int64_t bytes) {
  if (type.size == 0) return 0;
  std::int64_t in_one = 0;
  for (const Elements& run : type.elements) in_one += run.count;
  std::int64_t all = bytes / type.size * in_one, rest = bytes % type.size;
  for (const Elements& run : type.elements) {
    const std::int64_t some = std::min(run.count, rest / run.bytes);
    all += some;
    rest -= some * run.bytes;
    if (some < run.count) break;
  }
  return rest == 0 ? all : std::int64_t{MPI_UNDEFINED};
}

}  // namespace assay::abi
