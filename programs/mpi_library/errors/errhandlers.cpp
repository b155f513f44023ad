// Error handlers of communicators and windows.
#include "mpi_library/calls/call.hpp"
#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/errors/errhandler.hpp"
#include "mpi_library/windows/window.hpp"

namespace assay::abi {
namespace {
struct Predefined {
  Errhandler fatal{Handling::fatal}, aborts{Handling::abort}, returned{Handling::returned};
};
Predefined& all() {
  static auto* handlers = new Predefined;
  return *handlers;
}
[[gnu::constructor]] void define_handlers() {
  predefine(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ARE_FATAL), all().fatal);
  predefine(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_ABORT), all().aborts);
  predefine(reinterpret_cast<std::uintptr_t>(MPI_ERRORS_RETURN), all().returned);
}
}  // namespace

Errhandler& errors_are_fatal() { return all().fatal; }
MPI_Errhandler handle_of(Errhandler& handler) {
  if (&handler == &all().fatal) return MPI_ERRORS_ARE_FATAL;
  if (&handler == &all().aborts) return MPI_ERRORS_ABORT;
  if (&handler == &all().returned) return MPI_ERRORS_RETURN;
  return handle_of<MPI_Errhandler>(static_cast<Object&>(handler));
}

namespace {
template <class Of>
void set(Of& of, MPI_Errhandler handle) {
  Errhandler& handler = errhandler(handle);
  hold(handler);
  if (of.errhandler) release(*of.errhandler);
  of.errhandler = &handler;
}
template <class Of>
MPI_Errhandler get(Of& of) {
  Errhandler& handler = of.errhandler ? *of.errhandler : errors_are_fatal();
  hold(handler);
  return handle_of(handler);
}
template <class Function>
MPI_Errhandler made(Function* function) {
  return handle_of(*new Errhandler(Handling::calls, reinterpret_cast<void (*)()>(function)));
}
}  // namespace
}  // namespace assay::abi

using namespace assay::abi;

MPI_FUNCTION(MPI_Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler* out)) {
  return call(__func__, [&] { *out = made(function); });
}
MPI_FUNCTION(MPI_Win_create_errhandler, (MPI_Win_errhandler_function * function, MPI_Errhandler* out)) {
  return call(__func__, [&] { *out = made(function); });
}
MPI_FUNCTION(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) {
  return call(__func__, comm, [&] { set(communicator(comm), handler); });
}
MPI_FUNCTION(MPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return call(__func__, comm, [&] { *handler = get(communicator(comm)); });
}
MPI_FUNCTION(MPI_Win_set_errhandler, (MPI_Win window, MPI_Errhandler handler)) {
  return call(__func__, window, [&] { set(object<Window>(window), handler); });
}
MPI_FUNCTION(MPI_Win_get_errhandler, (MPI_Win window, MPI_Errhandler* handler)) {
  return call(__func__, window, [&] { *handler = get(object<Window>(window)); });
}
MPI_FUNCTION(MPI_Comm_call_errhandler, (MPI_Comm comm, int code)) {
  raised(__func__, comm, Error{code, "called by the program"});
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Win_call_errhandler, (MPI_Win window, int code)) {
  raised(__func__, window, Error{code, "called by the program"});
  return MPI_SUCCESS;
}
MPI_FUNCTION(MPI_Errhandler_free, (MPI_Errhandler * handle)) {
  return call(__func__, [&] {
    release(errhandler(*handle));
    *handle = MPI_ERRHANDLER_NULL;
  });
}
