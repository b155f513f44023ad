#include "mpi_library/objects/object.hpp"

#include <array>
#include <vector>

#include "mpi_library/calls/call.hpp"

namespace assay::abi {
namespace {

std::array<Object*, first_address>& predefined_objects() {
  static std::array<Object*, first_address> all{};
  return all;
}
struct Numbers {
  std::vector<std::uintptr_t> handles;
  std::vector<int> free;
};
Numbers& numbers() {
  static auto* all = new Numbers;  // never destroyed: objects outlive static destructors
  return *all;
}

}  // namespace

const char* name_of(Kind kind) {
  static constexpr const char* names[] = {"communicator", "datatype",  "error handler", "file",    "group", "info",
                                          "message",      "operation", "request",       "session", "window"};
  return names[static_cast<int>(kind)];
}

int invalid(Kind kind) {
  static constexpr int classes[] = {MPI_ERR_COMM,    MPI_ERR_TYPE,    MPI_ERR_ERRHANDLER, MPI_ERR_FILE,
                                    MPI_ERR_GROUP,   MPI_ERR_INFO,    MPI_ERR_REQUEST,    MPI_ERR_OP,
                                    MPI_ERR_REQUEST, MPI_ERR_SESSION, MPI_ERR_WIN};
  return classes[static_cast<int>(kind)];
}

Object::~Object() {
  if (number == 0) return;
  auto& [handles, free] = numbers();
  handles[static_cast<std::size_t>(number) - first_address] = 0;
  free.push_back(number);
}

void predefine(std::uintptr_t handle, Object& object) {
  object.predefined = true;
  predefined_objects()[handle] = &object;
}

Object& object_of(std::uintptr_t handle, Kind kind) {
  Object* const found = handle < first_address ? predefined_objects()[handle] : reinterpret_cast<Object*>(handle);
  if (!found || found->kind != kind)
    fail(invalid(kind),
         std::string(found || handle >= first_address ? "not a handle of a " : "null or unknown ") + name_of(kind));
  return *found;
}

int number_of(std::uintptr_t handle) {
  if (handle < first_address) return static_cast<int>(handle);
  auto& object = *reinterpret_cast<Object*>(handle);
  if (object.number == 0) {
    auto& [handles, free] = numbers();
    if (free.empty()) {
      free.push_back(static_cast<int>(first_address + handles.size()));
      handles.push_back(0);
    }
    object.number = free.back();
    free.pop_back();
    handles[static_cast<std::size_t>(object.number) - first_address] = handle;
  }
  return object.number;
}

std::uintptr_t handle_with(int number, Kind kind) {
  if (number >= 0 && static_cast<std::uintptr_t>(number) < first_address) return static_cast<std::uintptr_t>(number);
  const auto& handles = numbers().handles;
  const auto place = static_cast<std::size_t>(number) - first_address;
  if (number < 0 || place >= handles.size() || handles[place] == 0)
    fail(invalid(kind), std::string("no ") + name_of(kind) + " has the number " + std::to_string(number));
  return handles[place];
}

}  // namespace assay::abi

// MPI_X_toint and MPI_X_fromint.
#define NUMBERED(name, handle, kind)                                                            \
  extern "C" int name##_toint(handle object) {                                                  \
    return assay::abi::number_of(reinterpret_cast<std::uintptr_t>(object));                     \
  }                                                                                             \
  extern "C" int P##name##_toint(handle object) __attribute__((alias(#name "_toint")));         \
  extern "C" handle name##_fromint(int number) {                                                \
    try {                                                                                       \
      return reinterpret_cast<handle>(assay::abi::handle_with(number, assay::abi::Kind::kind)); \
    } catch (const assay::abi::Error&) {                                                        \
      return reinterpret_cast<handle>(std::uintptr_t{0});                                       \
    }                                                                                           \
  }                                                                                             \
  extern "C" handle P##name##_fromint(int number) __attribute__((alias(#name "_fromint")));
NUMBERED(MPI_Comm, MPI_Comm, communicator)
NUMBERED(MPI_Errhandler, MPI_Errhandler, errhandler)
NUMBERED(MPI_File, MPI_File, file)
NUMBERED(MPI_Group, MPI_Group, group)
NUMBERED(MPI_Info, MPI_Info, info)
NUMBERED(MPI_Message, MPI_Message, message)
NUMBERED(MPI_Op, MPI_Op, operation)
NUMBERED(MPI_Request, MPI_Request, request)
NUMBERED(MPI_Session, MPI_Session, session)
NUMBERED(MPI_Type, MPI_Datatype, datatype)
NUMBERED(MPI_Win, MPI_Win, window)
