// Around functions that may take simulated time.
#pragma once

#include <utility>

#include "mpi_library/calls/call.hpp"
#include "mpi_library/calls/functions.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::abi {

class Timed {
 public:
  explicit Timed(Function function) : function_(static_cast<int>(function)) { begin_call(function_); }
  ~Timed() { end_call(function_, bytes_, peer_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  // The length that the call is noted with, and the peer, a rank of MPI_COMM_WORLD.
  void about(std::uint64_t bytes, int peer = -1) { bytes_ = bytes, peer_ = peer; }

 private:
  int function_;
  std::uint64_t bytes_ = 0;
  int peer_ = -1;
};

template <class Handle, class Body>
int timed_call(Function function, Handle about, Body&& body) {
  Timed timed(function);
  return call(name_of(function), about, [&] { std::forward<Body>(body)(timed); });
}

}  // namespace assay::abi
