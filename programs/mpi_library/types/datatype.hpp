// Datatypes: where the bytes of one element lie, and moving them between memory and a message.
//
// A type is kept flat: its pieces of memory in the order of its type map, neighbours joined. `count` elements lie
// `extent` bytes from each other. A message holds the pieces' bytes one after another, without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi_library/objects/object.hpp"
#include "mpi_library/shared/reduce.hpp"

namespace assay::abi {

struct Piece {
  std::int64_t offset, bytes;
};
// A run of basic elements of one size, in the order of the type map.
struct Elements {
  std::int64_t bytes, count;
};

struct Datatype : Object {
  static constexpr Kind kind_of = Kind::datatype;
  Datatype() : Object(kind_of) {}
  ~Datatype() override;

  std::int64_t size = 0;               // bytes of data
  std::int64_t lower = 0, extent = 0;  // lower bound; distance to the next element
  std::int64_t true_lower = 0, true_extent = 0;
  std::int64_t alignment = 1;
  bool committed = false;
  Basic basic = Basic::none;
  std::vector<Piece> pieces;
  std::vector<Elements> elements;

  // How it was made, for MPI_Type_get_envelope and MPI_Type_get_contents.
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;  // by a constructor with large counts
  std::vector<std::int64_t> integers, addresses, counts;
  std::vector<Datatype*> types;

  std::string name;
  Attributes attributes;

  std::int64_t upper() const { return lower + extent; }
  // Whether any number of elements is one run of bytes that begins at the buffer's address.
  bool dense() const { return size == 0 || (pieces.size() == 1 && pieces[0].offset == 0 && size == extent); }
};

// An Error where the handle is no datatype, or one that was not committed.
inline Datatype& datatype(MPI_Datatype handle) { return object<Datatype>(handle); }
Datatype& committed(MPI_Datatype handle);
MPI_Datatype handle_of(Datatype& type);

// `to` has room for count * size bytes.
void pack(const Datatype& type, const void* from, std::int64_t count, std::byte* to);
// As many whole and partial elements as `bytes` fill.
void unpack(const Datatype& type, const std::byte* from, std::int64_t bytes, void* to);
// From one layout into another, at most as many bytes as both have.
void copy(const Datatype& from_type, const void* from, std::int64_t from_count, const Datatype& to_type, void* to,
          std::int64_t to_count);

// Basic elements in so many bytes of a message; MPI_UNDEFINED where they end within one.
std::int64_t elements_in(const Datatype& type, std::int64_t bytes);

// The predefined type of an enumerator, for the library's own use.
Datatype& predefined(MPI_Datatype handle);

}  // namespace assay::abi
