#include "mpi_library/requests/request.hpp"

#include <utility>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/status.hpp"

namespace assay::abi {

void Request::complete_early() {
  under_way = false;
  if (std::exchange(completed, true)) return;
  error = complete(&status);
}

MPI_Request started(Request& request) {
  if (request.active) fail(MPI_ERR_REQUEST, "is active already");
  request.start();
  request.active = true;
  return handle_of<MPI_Request>(static_cast<Object&>(request));
}

int finish(MPI_Request& handle, MPI_Status* status) {
  Request& its = request(handle);
  its.active = its.under_way = false;
  int error = its.error;
  if (std::exchange(its.completed, false))
    copy_status(its.status, status);
  else
    error = its.complete(status);
  if (its.persistent) return error;
  handle = MPI_REQUEST_NULL;
  release(its);
  return error;
}

}  // namespace assay::abi
