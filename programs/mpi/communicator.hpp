// The Communicator on MPI: every await is ready at once, so that `co_await comm.send(…)` is MPI_Send and nothing else.
//
// Before a call that may block, the call, peer and tag are noted in three plain stores: when the program's deadline
// passes, each rank can say what it was waiting for. MPI's error codes become exceptions; main() ends the job with
// status 1.
#pragma once

#include <mpi.h>

#include <climits>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "ranks/communicator.hpp"
#include "timing/clock.hpp"

namespace assay::mpi {

// What this rank is doing now, for the deadline's signal handler: no allocation, no locks.
struct Doing {
  const char* volatile call = "its own work";
  volatile int peer = -1;
  volatile int tag = 0;
};
inline Doing doing;

[[noreturn]] inline void fail(int code, const char* call, int peer) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string(call) + " with rank " + std::to_string(peer) + ": " + std::string(text, length));
}

template <class Value>
struct Ready {
  Value value;
  constexpr bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  Value await_resume() const noexcept { return value; }
};
template <>
struct Ready<void> {
  constexpr bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

class Communicator {
 public:
  class Received {
   public:
    int source() const { return status_.MPI_SOURCE; }
    std::size_t bytes() const {
      int count = 0;
      MPI_Get_count(&status_, MPI_BYTE, &count);
      return static_cast<std::size_t>(count);
    }

   private:
    friend class Communicator;
    MPI_Status status_;
  };
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
  };
  static constexpr double ticks_a_second = 1e9;

  explicit Communicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::int64_t now() const { return timing::now_ns(); }
  std::optional<int> hops(int) const { return std::nullopt; }
  bool described() const { return false; }

  Ready<void> send(const void* data, std::size_t bytes, int to, int tag) {
    note("send to", to, tag);
    check(MPI_Send(data, count(bytes), MPI_BYTE, to, tag, comm_), "MPI_Send", to);
    return {};
  }
  Ready<Received> recv(void* buffer, std::size_t room, int from, int tag) {
    note("receive from", from, tag);
    Ready<Received> result;
    check(MPI_Recv(buffer, count(room), MPI_BYTE, source(from), tag, comm_, &result.value.status_), "MPI_Recv", from);
    return result;
  }
  Ready<Request> isend(const void* data, std::size_t bytes, int to, int tag) {
    Ready<Request> result;
    check(MPI_Isend(data, count(bytes), MPI_BYTE, to, tag, comm_, &result.value.handle), "MPI_Isend", to);
    return result;
  }
  Ready<Request> irecv(void* buffer, std::size_t room, int from, int tag) {
    Ready<Request> result;
    check(MPI_Irecv(buffer, count(room), MPI_BYTE, source(from), tag, comm_, &result.value.handle), "MPI_Irecv", from);
    note("wait, after posting for", from, tag);
    return result;
  }
  Ready<Received> wait(Request& request) {
    Ready<Received> result;
    check(MPI_Wait(&request.handle, &result.value.status_), "MPI_Wait", -1);
    return result;
  }
  template <class Work>
  Ready<void> compute(double, Work&& work) {
    std::forward<Work>(work)();
    return {};
  }

 private:
  static void note(const char* call, int peer, int tag) {
    doing.call = call;
    doing.peer = peer;
    doing.tag = tag;
  }
  static void check(int code, const char* call, int peer) {
    if (code != MPI_SUCCESS) [[unlikely]]
      fail(code, call, peer);
  }
  static int count(std::size_t bytes) {
    if (bytes > INT_MAX) [[unlikely]]
      throw std::length_error("a message of " + std::to_string(bytes) + " bytes: MPI counts to 2147483647");
    return static_cast<int>(bytes);
  }
  static int source(int from) { return from == ranks::any_source ? MPI_ANY_SOURCE : from; }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 0;
};

static_assert(ranks::Communicator<Communicator>);

}  // namespace assay::mpi
