// Requests: what goes on behind a call until it is waited for or tested.
//
// A request is active from its start until that; a persistent one is started again and again. What is under way for it
// is one slot of the simulator's (transport.hpp), or nothing where it is over already.
#pragma once

#include <cstdint>

#include "mpi_library/abi/mpi.h"
#include "mpi_library/objects/object.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::abi {

struct Request : Object {
  static constexpr Kind kind_of = Kind::request;
  Request() : Object(kind_of) {}

  // Sets `under_way` and `pending`.
  virtual void start() = 0;
  // What was under way is over, and its result there: takes the data, fills in the status, frees what it had. Gives an
  // error class, MPI_SUCCESS where all is well.
  virtual int complete(MPI_Status* status) = 0;
  virtual void cancel() {}  // where that can be done
  // Freed while active: true where what is under way needs nobody to look after it.
  virtual bool leave() { return false; }
  virtual MPI_Comm comm() const { return MPI_COMM_WORLD; }  // whose error handler is called

  bool active = false, persistent = false, under_way = false;
  Pending pending;

  // Completed by MPI_Request_get_status: `status` and `error` are for the call that ends it.
  bool completed = false;
  MPI_Status status{};
  int error = MPI_SUCCESS;
  void complete_early();
};

inline Request& request(MPI_Request handle) { return object<Request>(handle); }

// Starts a request that was just made, or a persistent one, and gives its handle.
MPI_Request started(Request& request);

// Of a request that is over: completes it, frees it unless it is persistent, and makes its handle null then.
int finish(MPI_Request& handle, MPI_Status* status);
// Of one that is over in the simulator, too.
inline bool is_over(const Request& request) { return !request.under_way; }

}  // namespace assay::abi
