// Operations of reductions: MPI's own and the program's.
#pragma once

#include "mpi_library/objects/object.hpp"
#include "mpi_library/shared/reduce.hpp"
#include "mpi_library/types/datatype.hpp"

namespace assay::abi {

struct Operation : Object {
  static constexpr Kind kind_of = Kind::operation;
  Operation() : Object(kind_of) {}
  Reduction reduction = Reduction::none;
  bool commutative = true;
  // The program's, one of these.
  MPI_User_function* function = nullptr;
  MPI_User_function_c* large = nullptr;
  bool own() const { return reduction == Reduction::none; }
};
// An Error where there is no such operation on that type.
Operation& operation(MPI_Op handle, const Datatype& type);

// `count` packed elements at `inout` become those at `in` with them.
void apply(const Operation& operation, Datatype& type, const std::byte* in, std::byte* inout, std::int64_t count);

}  // namespace assay::abi
