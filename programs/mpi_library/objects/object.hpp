// What a handle of the ABI means: a predefined one is a small number, any other is the object's own address.
//
// An object knows its kind, so that a handle of another kind is refused, how many hold it (a type in use by a pending
// call outlives MPI_Type_free), and its number for Fortran, which MPI_X_toint gives and MPI_X_fromint takes back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mpi_library/abi/mpi.h"

namespace assay::abi {

enum class Kind : std::uint8_t {
  communicator,
  datatype,
  errhandler,
  file,
  group,
  info,
  message,
  operation,
  request,
  session,
  window
};
const char* name_of(Kind kind);
int invalid(Kind kind);  // the error class of a handle that is none

struct Object {
  explicit Object(Kind of) : kind(of) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object();  // gives its Fortran number back

  Kind kind;
  bool predefined = false;
  int holders = 1;
  int number = 0;  // for Fortran; 0: none yet
};

// Predefined handles are below this number, and so are null handles; Fortran's numbers of other objects are above.
inline constexpr std::uintptr_t first_address = 4096;

void predefine(std::uintptr_t handle, Object& object);
// The object of a handle; an Error of the kind's class where it is none of that kind.
Object& object_of(std::uintptr_t handle, Kind kind);

template <class T, class Handle>
T& object(Handle handle) {
  return static_cast<T&>(object_of(reinterpret_cast<std::uintptr_t>(handle), T::kind_of));
}
template <class Handle>
Handle handle_of(Object& object) {
  return reinterpret_cast<Handle>(&object);
}

inline void hold(Object& object) { ++object.holders; }
// Predefined objects stay.
inline void release(Object& object) {
  if (!object.predefined && --object.holders == 0) delete &object;
}

int number_of(std::uintptr_t handle);
std::uintptr_t handle_with(int number, Kind kind);

// Attributes of communicators, datatypes and windows, by key; `order`: the keys in the order in which they were set.
struct Attributes {
  std::map<int, void*> values;
  std::vector<int> order;
};

}  // namespace assay::abi
