// What an error leads to; MPI_Error_class, MPI_Error_string, and the program's own classes, codes and strings.
#include <map>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/text.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/errors/errhandler.hpp"
#include "mpi_library/transport/transport.hpp"
#include "mpi_library/windows/window.hpp"

namespace assay::abi {
namespace {

struct Text {
  int code;
  const char* text;
};
const Text texts[] = {
    {MPI_SUCCESS, "no error"},
    {MPI_ERR_BUFFER, "invalid buffer"},
    {MPI_ERR_COUNT, "invalid count"},
    {MPI_ERR_TYPE, "invalid datatype"},
    {MPI_ERR_TAG, "invalid tag"},
    {MPI_ERR_COMM, "invalid communicator"},
    {MPI_ERR_RANK, "invalid rank"},
    {MPI_ERR_REQUEST, "invalid request"},
    {MPI_ERR_ROOT, "invalid root"},
    {MPI_ERR_GROUP, "invalid group"},
    {MPI_ERR_OP, "invalid operation"},
    {MPI_ERR_TOPOLOGY, "invalid topology"},
    {MPI_ERR_DIMS, "invalid dimensions"},
    {MPI_ERR_ARG, "invalid argument"},
    {MPI_ERR_UNKNOWN, "unknown error"},
    {MPI_ERR_TRUNCATE, "message truncated"},
    {MPI_ERR_OTHER, "other error"},
    {MPI_ERR_INTERN, "internal error"},
    {MPI_ERR_PENDING, "pending request"},
    {MPI_ERR_IN_STATUS, "error code in status"},
    {MPI_ERR_INFO_KEY, "invalid key of an info object"},
    {MPI_ERR_INFO_NOKEY, "no such key in an info object"},
    {MPI_ERR_INFO_VALUE, "invalid value of an info object"},
    {MPI_ERR_INFO, "invalid info object"},
    {MPI_ERR_KEYVAL, "invalid attribute key"},
    {MPI_ERR_LOCKTYPE, "invalid lock type"},
    {MPI_ERR_NO_MEM, "out of memory"},
    {MPI_ERR_BASE, "invalid base address"},
    {MPI_ERR_RMA_ATTACH, "memory that cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {MPI_ERR_RMA_FLAVOR, "wrong kind of window"},
    {MPI_ERR_RMA_RANGE, "memory outside of the window"},
    {MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "wrong synchronization of a window"},
    {MPI_ERR_SIZE, "invalid size"},
    {MPI_ERR_DISP, "invalid displacement"},
    {MPI_ERR_ASSERT, "invalid assertion"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"},
    {MPI_ERR_WIN, "invalid window"},
    {MPI_ERR_ERRHANDLER, "invalid error handler"},
    {MPI_ERR_SESSION, "invalid session"},
    {MPI_ERR_FILE, "invalid file"},
};

// The program's own: codes above MPI_ERR_LASTCODE, each with its class.
struct Own {
  std::map<int, int> class_of;
  std::map<int, std::string> texts;
  int last = MPI_ERR_LASTCODE;
};
Own& own() {
  static auto* all = new Own;
  return *all;
}

template <class Handle, class Function>
int handled(const char* function, Handle about, Errhandler& handler, const Error& error) {
  if (handler.handling == Handling::returned) return error.code;
  if (handler.handling == Handling::calls) {
    int code = error.code;
    reinterpret_cast<Function*>(handler.function)(&about, &code);
    return code;
  }
  end_with("%s: %s: %s", function, text_of(error.code).c_str(), error.what.c_str());
}

}  // namespace

void fail(int code, std::string what) { throw Error{code, std::move(what)}; }

int raised(const char* function, MPI_Comm comm, const Error& error) {
  Errhandler* handler = &errors_are_fatal();
  try {
    if (Errhandler* found = communicator(comm).errhandler) handler = found;
  } catch (const Error&) {  // not a communicator, or before MPI_Init
    try {
      if (Errhandler* found = communicator(MPI_COMM_WORLD).errhandler) handler = found;
      comm = MPI_COMM_WORLD;
    } catch (const Error&) {
    }
  }
  return handled<MPI_Comm, MPI_Comm_errhandler_function>(function, comm, *handler, error);
}
int raised(const char* function, MPI_Win window, const Error& error) {
  Errhandler* handler = &errors_are_fatal();
  try {
    if (Errhandler* found = object<Window>(window).errhandler) handler = found;
  } catch (const Error&) {
    return raised(function, MPI_COMM_SELF, error);
  }
  return handled<MPI_Win, MPI_Win_errhandler_function>(function, window, *handler, error);
}

int class_of(int code) {
  const auto found = own().class_of.find(code);
  return found == own().class_of.end() ? code : found->second;
}
std::string text_of(int code) {
  if (const auto found = own().texts.find(code); found != own().texts.end()) return found->second;
  for (const Text& each : texts)
    if (each.code == code) return each.text;
  return "error class " + std::to_string(code);
}

}  // namespace assay::abi

using namespace assay::abi;

MPI_FUNCTION(MPI_Error_class, (int code, int* errorclass)) {
  *errorclass = class_of(code);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Error_string, (int code, char* string, int* length)) {
  write(text_of(code), string, length, MPI_MAX_ERROR_STRING);
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Add_error_class, (int* errorclass)) {
  *errorclass = ++own().last;
  own().class_of[*errorclass] = *errorclass;
  own().texts[*errorclass] = "";
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Add_error_code, (int errorclass, int* code)) {
  *code = ++own().last;
  own().class_of[*code] = errorclass;
  own().texts[*code] = "";
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Add_error_string, (int code, const char* string)) {
  return call(__func__, [&] {
    check_argument(own().texts.contains(code), "not a code of the program's own");
    own().texts[code] = cut(string, MPI_MAX_ERROR_STRING);
  });
}
MPI_FUNCTION(MPI_Remove_error_string, (int code)) {
  return call(__func__, [&] {
    check_argument(own().texts.contains(code), "not a code of the program's own");
    own().texts[code] = "";
  });
}
namespace {
int removed(const char* function, int code) {
  return call(function, [&] {
    check_argument(own().class_of.erase(code) == 1, "not a code of the program's own");
    own().texts.erase(code);
  });
}
}  // namespace
MPI_FUNCTION(MPI_Remove_error_code, (int code)) { return removed(__func__, code); }
MPI_FUNCTION(MPI_Remove_error_class, (int code)) { return removed(__func__, code); }
