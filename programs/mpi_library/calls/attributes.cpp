// Keys and attributes of communicators, datatypes and windows.
#include "mpi_library/calls/attributes.hpp"

#include <map>
#include <utility>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/transport/process.hpp"
#include "mpi_library/types/datatype.hpp"
#include "mpi_library/windows/window.hpp"

namespace assay::abi {
namespace {

struct Key {
  Kind kind;
  void (*copies)();  // of the kind's type; the ABI's numbers 0 and 1 are "none" and "the same value"
  void (*deletes)();
  void* state;
  int holders = 1;     // the program's, and attributes with it
  bool freed = false;  // by the program, which may say so again
};
std::map<int, Key>& keys() {
  static auto* all = new std::map<int, Key>;
  return *all;
}
int next_key = 1000;  // above the predefined ones

Key& key_of(int number, Kind kind) {
  const auto found = keys().find(number);
  if (found == keys().end() || found->second.kind != kind)
    fail(MPI_ERR_KEYVAL, "not a key of a " + std::string(name_of(kind)) + ": " + std::to_string(number));
  return found->second;
}
void drop(int number) {
  const auto found = keys().find(number);
  if (--found->second.holders == 0) keys().erase(found);
}

template <class Copy, class Delete>
int create(Kind kind, Copy* copies, Delete* deletes, void* state) {
  keys().emplace(next_key,
                 Key{kind, reinterpret_cast<void (*)()>(copies), reinterpret_cast<void (*)()>(deletes), state});
  return next_key++;
}

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) fail(code, std::string("the program's function for ") + what + " of an attribute failed");
}

template <class Handle>
void delete_one(Handle of, Attributes& attributes, int number) {
  const auto found = attributes.values.find(number);
  if (found == attributes.values.end()) return;
  const Key& key = keys().at(number);
  if (key.deletes)
    check(reinterpret_cast<int (*)(Handle, int, void*, void*)>(key.deletes)(of, number, found->second, key.state),
          "deletion");
  attributes.values.erase(number);
  std::erase(attributes.order, number);
  drop(number);
}
template <class Handle>
void delete_all(Handle of, Attributes& attributes) {
  while (!attributes.values.empty()) delete_one(of, attributes, attributes.order.back());
}
template <class Handle>
void copy_all(Handle from, const Attributes& source, Attributes& target) {
  for (const int number : source.order) {
    void* const value = source.values.at(number);
    Key& key = keys().at(number);
    void* copied = value;
    int flag = key.copies != nullptr;
    if (reinterpret_cast<std::uintptr_t>(key.copies) > 1)
      check(reinterpret_cast<int (*)(Handle, int, void*, void*, void*, int*)>(key.copies)(
                from, number, key.state, value, static_cast<void*>(&copied), &flag),
            "copies");
    if (!flag) continue;
    target.values[number] = copied;
    target.order.push_back(number);
    ++key.holders;
  }
}
template <class Handle>
void set(Handle of, Kind kind, Attributes& attributes, int number, void* value) {
  Key& key = key_of(number, kind);
  delete_one(of, attributes, number);
  attributes.values[number] = value;
  attributes.order.push_back(number);
  ++key.holders;
}
void get(Kind kind, const Attributes& attributes, int number, void* value, int* flag) {
  key_of(number, kind);
  const auto found = attributes.values.find(number);
  *flag = found != attributes.values.end();
  if (*flag) *static_cast<void**>(value) = found->second;
}
void free_key(int* number, Kind kind) {
  if (!std::exchange(key_of(*number, kind).freed, true)) drop(*number);
  *number = MPI_KEYVAL_INVALID;
}

// The predefined attributes of MPI_COMM_WORLD: pointers to integers.
const int* predefined_attribute(int number) {
  static int tag_ub = greatest_tag, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, application = 0,
             last_used = MPI_ERR_LASTCODE, universe = process.ranks;
  switch (number) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &global;
    case MPI_APPNUM:
      return &application;
    case MPI_LASTUSEDCODE:
      return &last_used;
    case MPI_UNIVERSE_SIZE:
      return &universe;
    default:
      return nullptr;
  }
}

}  // namespace

void copy_attributes(MPI_Comm from, const Attributes& source, Attributes& target) { copy_all(from, source, target); }
void copy_attributes(MPI_Datatype from, const Attributes& source, Attributes& target) {
  copy_all(from, source, target);
}
void delete_attributes(MPI_Comm of, Attributes& attributes) { delete_all(of, attributes); }
void delete_attributes(MPI_Datatype of, Attributes& attributes) { delete_all(of, attributes); }
void delete_attributes(MPI_Win of, Attributes& attributes) { delete_all(of, attributes); }

namespace {
void get_of_comm(MPI_Comm comm, int number, void* value, int* flag) {
  const Communicator& of = communicator(comm);
  if (const int* found = predefined_attribute(number)) {
    *static_cast<const int**>(value) = found;
    *flag = 1;
  } else {
    get(Kind::communicator, of.attributes, number, value, flag);
  }
}
}  // namespace
}  // namespace assay::abi

using namespace assay::abi;

#define KEYS(kind, Name, Handle)                                                                                   \
  MPI_FUNCTION(MPI_##Name##_create_keyval, (MPI_##Name##_copy_attr_function * copies,                              \
                                            MPI_##Name##_delete_attr_function * deletes, int* key, void* state)) { \
    return call(__func__, [&] { *key = create(Kind::kind, copies, deletes, state); });                             \
  }                                                                                                                \
  MPI_FUNCTION(MPI_##Name##_free_keyval, (int* key)) {                                                             \
    return call(__func__, [&] { free_key(key, Kind::kind); });                                                     \
  }
KEYS(communicator, Comm, MPI_Comm)
KEYS(datatype, Type, MPI_Datatype)
KEYS(window, Win, MPI_Win)

MPI_FUNCTION(MPI_Comm_set_attr, (MPI_Comm comm, int key, void* value)) {
  return call(__func__, comm, [&] { set(comm, Kind::communicator, communicator(comm).attributes, key, value); });
}
MPI_FUNCTION(MPI_Comm_get_attr, (MPI_Comm comm, int key, void* value, int* flag)) {
  return call(__func__, comm, [&] { get_of_comm(comm, key, value, flag); });
}
MPI_FUNCTION(MPI_Comm_delete_attr, (MPI_Comm comm, int key)) {
  return call(__func__, comm, [&] {
    key_of(key, Kind::communicator);
    delete_one(comm, communicator(comm).attributes, key);
  });
}
MPI_FUNCTION(MPI_Type_set_attr, (MPI_Datatype type, int key, void* value)) {
  return call(__func__, [&] { set(type, Kind::datatype, datatype(type).attributes, key, value); });
}
MPI_FUNCTION(MPI_Type_get_attr, (MPI_Datatype type, int key, void* value, int* flag)) {
  return call(__func__, [&] { get(Kind::datatype, datatype(type).attributes, key, value, flag); });
}
MPI_FUNCTION(MPI_Type_delete_attr, (MPI_Datatype type, int key)) {
  return call(__func__, [&] {
    key_of(key, Kind::datatype);
    delete_one(type, datatype(type).attributes, key);
  });
}
MPI_FUNCTION(MPI_Win_set_attr, (MPI_Win window, int key, void* value)) {
  return call(__func__, window, [&] { set(window, Kind::window, object<Window>(window).attributes, key, value); });
}
MPI_FUNCTION(MPI_Win_get_attr, (MPI_Win window, int key, void* value, int* flag)) {
  return call(__func__, window, [&] {
    Window& of = object<Window>(window);
    if (void* found = of.predefined_attribute(key)) {
      *static_cast<void**>(value) = found;
      *flag = 1;
    } else {
      get(Kind::window, of.attributes, key, value, flag);
    }
  });
}
MPI_FUNCTION(MPI_Win_delete_attr, (MPI_Win window, int key)) {
  return call(__func__, window, [&] {
    key_of(key, Kind::window);
    delete_one(window, object<Window>(window).attributes, key);
  });
}

// The names of MPI-1.
MPI_FUNCTION(MPI_Keyval_create, (MPI_Copy_function * copies, MPI_Delete_function* deletes, int* key, void* state)) {
  return call(__func__, [&] { *key = create(Kind::communicator, copies, deletes, state); });
}
MPI_FUNCTION(MPI_Keyval_free, (int* key)) { return PMPI_Comm_free_keyval(key); }
MPI_FUNCTION(MPI_Attr_put, (MPI_Comm comm, int key, void* value)) { return PMPI_Comm_set_attr(comm, key, value); }
MPI_FUNCTION(MPI_Attr_get, (MPI_Comm comm, int key, void* value, int* flag)) {
  return PMPI_Comm_get_attr(comm, key, value, flag);
}
MPI_FUNCTION(MPI_Attr_delete, (MPI_Comm comm, int key)) { return PMPI_Comm_delete_attr(comm, key); }
