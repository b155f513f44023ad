// The Communicator on the described machine: every await hands the rank's coroutine to the World, which resumes it when
// the machine model says so. A rank's communicator is 16 bytes.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "ranks/communicator.hpp"
#include "ranks/world.hpp"

namespace assay::described {

class Simulated {
 public:
  class Received {
   public:
    Received() = default;
    explicit Received(Arrived arrived) : arrived_(arrived) {}
    int source() const { return arrived_.source; }
    std::size_t bytes() const { return arrived_.bytes; }

   private:
    Arrived arrived_;
  };
  struct Request {
    RequestId id = none;
  };
  static constexpr double ticks_a_second = picoseconds_a_second;

  Simulated(World& world, int rank) : world_(&world), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return world_->ranks(); }
  std::int64_t now() const { return world_->now(); }
  bool same_clock(int) const { return true; }
  std::optional<int> hops(int to) const { return hops(rank_, to); }
  std::optional<int> hops(int from, int to) const { return world_->model().hops(from, to); }
  std::string_view placement(int, int) const { return {}; }
  bool described() const { return true; }

  struct Send {
    World& world;
    const void* data;
    std::size_t bytes;
    int from, to, tag;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { world.send(from, data, bytes, to, tag, caller); }
    void await_resume() const noexcept {}
  };
  struct Isend {
    World& world;
    const void* data;
    std::size_t bytes;
    int from, to, tag;
    Request request{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) { request.id = world.isend(from, data, bytes, to, tag, caller); }
    Request await_resume() const noexcept { return request; }
  };
  struct Ready {
    Request request;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Request await_resume() const noexcept { return request; }
  };
  struct Wait {
    World& world;
    RequestId request;
    const char* call;
    bool await_ready() const { return world.complete(request); }
    void await_suspend(std::coroutine_handle<> waiter) const { world.await(request, waiter, call); }
    Received await_resume() const { return Received(world.finish(request)); }
  };
  struct Barrier {
    World& world;
    int rank, among;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { world.barrier(rank, among, caller); }
    void await_resume() const noexcept {}
  };
  struct Compute {
    World& world;
    double seconds;
    bool await_ready() const noexcept { return seconds <= 0; }
    void await_suspend(std::coroutine_handle<> sleeper) const { world.sleep(world.after(seconds), sleeper); }
    void await_resume() const noexcept {}
  };

  Send send(const void* data, std::size_t bytes, int to, int tag) { return {*world_, data, bytes, rank_, to, tag}; }
  Send rsend(const void* data, std::size_t bytes, int to, int tag) { return send(data, bytes, to, tag); }
  Barrier barrier(int among) { return {*world_, rank_, among}; }
  Isend isend(const void* data, std::size_t bytes, int to, int tag) { return {*world_, data, bytes, rank_, to, tag}; }
  Wait recv(void* buffer, std::size_t room, int from, int tag) {
    return {*world_, world_->post(rank_, buffer, room, from, tag), "recv"};
  }
  Ready irecv(void* buffer, std::size_t room, int from, int tag) {
    return {{world_->post(rank_, buffer, room, from, tag)}};
  }
  Wait wait(Request& request) { return {*world_, std::exchange(request.id, none), "wait"}; }
  template <class Work>
  Compute compute(double seconds, Work&& work) {
    if (world_->verifies()) std::forward<Work>(work)();
    return {*world_, seconds};
  }

 private:
  World* world_;
  int rank_;
};

static_assert(ranks::ReadySend<Simulated> && ranks::OwnBarrier<Simulated>);

}  // namespace assay::described
