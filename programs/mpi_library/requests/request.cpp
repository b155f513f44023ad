#include "mpi_library/requests/request.hpp"

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/status.hpp"

namespace assay::abi {

void Request::tell(MPI_Status* status) const { set_empty(status); }

MPI_Request started(Request& request) {
  if (request.active) fail(MPI_ERR_REQUEST, "is active already");
  request.start();
  request.active = true;
  return handle_of<MPI_Request>(static_cast<Object&>(request));
}

int finish(MPI_Request& handle, MPI_Status* status) {
  Request& its = request(handle);
  its.active = its.under_way = false;
  const int error = its.complete(status);
  if (its.persistent) return error;
  handle = MPI_REQUEST_NULL;
  release(its);
  return error;
}

}  // namespace assay::abi
