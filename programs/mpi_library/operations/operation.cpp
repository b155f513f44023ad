#include "mpi_library/operations/operation.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <utility>
#include <vector>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {
namespace {

[[gnu::constructor]] void define_operations() {
  static const std::pair<MPI_Op, Reduction> rows[] = {
      {MPI_SUM, Reduction::sum},         {MPI_MIN, Reduction::min},       {MPI_MAX, Reduction::max},
      {MPI_PROD, Reduction::prod},       {MPI_BAND, Reduction::band},     {MPI_BOR, Reduction::bor},
      {MPI_BXOR, Reduction::bxor},       {MPI_LAND, Reduction::land},     {MPI_LOR, Reduction::lor},
      {MPI_LXOR, Reduction::lxor},       {MPI_MINLOC, Reduction::minloc}, {MPI_MAXLOC, Reduction::maxloc},
      {MPI_REPLACE, Reduction::replace}, {MPI_NO_OP, Reduction::no_op}};
  static std::array<Operation, std::size(rows)> operations;
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    operations[i].reduction = rows[i].second;
    operations[i].commutative = rows[i].second != Reduction::replace && rows[i].second != Reduction::no_op;
    predefine(reinterpret_cast<std::uintptr_t>(rows[i].first), operations[i]);
  }
}

void call_program(const Operation& operation, Datatype& type, void* in, void* inout, std::int64_t count) {
  MPI_Datatype handle = handle_of(type);
  if (operation.large) {
    MPI_Count all = count;
    return operation.large(in, inout, &all, &handle);
  }
  auto *from = static_cast<std::byte*>(in), *to = static_cast<std::byte*>(inout);
  while (count > 0) {
    int some = static_cast<int>(std::min<std::int64_t>(count, INT_MAX));
    const std::int64_t passed = some * type.extent;
    operation.function(from, to, &some, &handle);
    from += passed;
    to += passed;
    count -= some;
  }
}

}  // namespace

Operation& operation(MPI_Op handle, const Datatype& type) {
  auto& found = object<Operation>(handle);
  if (!found.own() && !reduce(type.basic, found.reduction, nullptr, nullptr, 0))
    fail(MPI_ERR_OP, "the operation is not defined for " + (type.name.empty() ? "a derived datatype" : type.name));
  return found;
}

void apply(const Operation& operation, Datatype& type, const std::byte* in, std::byte* inout, std::int64_t count) {
  if (count == 0) return;
  if (!operation.own()) {
    reduce(type.basic, operation.reduction, in, inout, static_cast<std::uint64_t>(count));
    return;
  }
  if (type.dense()) return call_program(operation, type, const_cast<std::byte*>(in), inout, count);
  // As the program lays them out: from the lowest byte of the first element to the highest of the last.
  const std::int64_t across = (count - 1) * type.extent;
  const std::int64_t lowest = std::min<std::int64_t>(across, 0) + type.true_lower;
  const auto room = static_cast<std::size_t>(std::max(across, -across) + type.true_extent);
  std::vector<std::byte> first(room), second(room);
  unpack(type, in, count * type.size, first.data() - lowest);
  unpack(type, inout, count * type.size, second.data() - lowest);
  call_program(operation, type, first.data() - lowest, second.data() - lowest, count);
  pack(type, second.data() - lowest, count, inout);
}

}  // namespace assay::abi

using namespace assay::abi;

namespace {
template <class Function>
int create(const char* name, Function* function, int commutes, MPI_Op* out, Function* Operation::* place) {
  return call(name, [&] {
    check_argument(function != nullptr, "no function");
    auto& made = *new Operation;
    made.*place = function;
    made.commutative = commutes != 0;
    *out = handle_of<MPI_Op>(made);
  });
}
template <class Count>
int reduce_local(const char* name, const void* in, void* inout, Count count, MPI_Datatype handle, MPI_Op op) {
  return call(name, [&] {
    check_count(count);
    Datatype& type = committed(handle);
    Operation& does = operation(op, type);
    const auto bytes = static_cast<std::size_t>(count * type.size);
    std::vector<std::byte> first(bytes), second(bytes);
    pack(type, in, count, first.data());
    pack(type, inout, count, second.data());
    apply(does, type, first.data(), second.data(), count);
    unpack(type, second.data(), static_cast<std::int64_t>(bytes), inout);
  });
}
}  // namespace

MPI_FUNCTION(MPI_Op_create, (MPI_User_function * function, int commutes, MPI_Op* op)) {
  return create(__func__, function, commutes, op, &Operation::function);
}
MPI_FUNCTION(MPI_Op_create_c, (MPI_User_function_c * function, int commutes, MPI_Op* op)) {
  return create(__func__, function, commutes, op, &Operation::large);
}
MPI_FUNCTION(MPI_Op_free, (MPI_Op * handle)) {
  return call(__func__, [&] {
    auto& freed = object<Operation>(*handle);
    if (freed.predefined) fail(MPI_ERR_OP, "a predefined operation cannot be freed");
    release(freed);
    *handle = MPI_OP_NULL;
  });
}
MPI_FUNCTION(MPI_Op_commutative, (MPI_Op handle, int* commutes)) {
  return call(__func__, [&] { *commutes = object<Operation>(handle).commutative; });
}
MPI_FUNCTION(MPI_Reduce_local, (const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op)) {
  return reduce_local(__func__, in, inout, count, type, op);
}
MPI_FUNCTION(MPI_Reduce_local_c, (const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op op)) {
  return reduce_local(__func__, in, inout, count, type, op);
}
