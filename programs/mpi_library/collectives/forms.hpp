// The forms of a collective call: at once, started and waited for later, and persistent.
#pragma once

#include <functional>
#include <memory>

#include "mpi_library/calls/timed.hpp"
#include "mpi_library/collectives/steps.hpp"
#include "mpi_library/requests/request.hpp"

namespace assay::abi {

// A collective call that goes on behind; `body` writes down its steps.
class CollectiveRequest : public Request {
 public:
  using Body = std::function<void(Steps&)>;
  CollectiveRequest(Communicator& comm, Body body) : comm_(comm), body_(std::move(body)) { hold(comm_); }
  ~CollectiveRequest() override { abi::release(comm_); }
  // Of a persistent one: an Error of its arguments comes now, and their types and operations outlive MPI_X_free.
  void rehearse();
  void start() override;
  int complete(MPI_Status* status) override;
  MPI_Comm comm() const override { return handle_of(comm_); }

 private:
  Communicator& comm_;
  Body body_;
  std::unique_ptr<Steps> steps_, rehearsed_;
};

template <class Body>
int blocking(Function function, MPI_Comm comm, Body&& body) {
  return timed_call(function, comm, [&](Timed& timed) {
    Steps steps(communicator(comm));
    body(steps);
    steps.finish();
    timed.about(static_cast<std::uint64_t>(steps.bytes()));
  });
}
template <class Body>
int started(Function function, MPI_Comm comm, MPI_Request* request, Body&& body) {
  return timed_call(function, comm, [&](Timed& timed) {
    auto made = std::make_unique<CollectiveRequest>(communicator(comm), std::forward<Body>(body));
    *request = started(*made);
    made.release();
    timed.about(0);
  });
}
template <class Body>
int persistent(Function function, MPI_Comm comm, MPI_Request* request, Body&& body) {
  return call(name_of(function), comm, [&] {
    auto made = std::make_unique<CollectiveRequest>(communicator(comm), std::forward<Body>(body));
    made->persistent = true;
    made->rehearse();
    *request = handle_of<MPI_Request>(static_cast<Object&>(*made.release()));
  });
}

}  // namespace assay::abi
