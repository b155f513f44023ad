// Sums over all ranks, added up in the same order on every machine.
#pragma once

#include <cstddef>

#include "ranks/collectives.hpp"
#include "ranks/task.hpp"

namespace assay::applications {

struct Sum {
  template <class Value>
  void operator()(Value& mine, const Value& theirs) const {
    mine += theirs;
  }
};

// Sums on every rank, added up in the same order on every machine. Without data `values` is null.
template <ranks::Communicator C>
ranks::Task sum_of_all(C& comm, double* values, double* room, std::size_t count) {
  co_await ranks::reduce(comm, comm.size(), values, room, count, Sum());
  co_await ranks::broadcast(comm, values, count * sizeof(double));
}

}  // namespace assay::applications
