#include "mpi_library/collectives/forms.hpp"

#include "mpi_library/calls/status.hpp"

namespace assay::abi {

void CollectiveRequest::rehearse() {
  rehearsed_ = std::make_unique<Steps>(comm_, Steps::Runs::behind);
  body_(*rehearsed_);
  rehearsed_->give_room();
}

void CollectiveRequest::start() {
  // Persistent calls may be started in another order on each rank: they keep the tag of their making.
  steps_ = rehearsed_ ? std::make_unique<Steps>(comm_, Steps::Runs::behind, rehearsed_->word())
                      : std::make_unique<Steps>(comm_, Steps::Runs::behind);
  body_(*steps_);
  pending = steps_->start();
  under_way = true;
}

int CollectiveRequest::complete(MPI_Status* status) {
  steps_->complete();
  steps_.reset();
  abi::release(pending);
  set_empty(status);
  return MPI_SUCCESS;
}

}  // namespace assay::abi
