// What pumps await in the World: as Simulated's, without the errors of Assay's own programs.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>
#include <vector>

#include "ranks/world.hpp"

namespace assay::mpirun {

// Behind what else happens at this time: meanwhile other ranks are let go, too.
struct Later {
  described::World& world;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { world.wake(world.now(), caller); }
  void await_resume() const noexcept {}
};
struct Await {
  described::World& world;
  described::RequestId id;
  described::Call call;
  bool await_ready() const { return world.complete(id); }
  void await_suspend(std::coroutine_handle<> waiter) const { world.await(id, waiter, call); }
  void await_resume() const noexcept {}
};
struct Exchange {
  described::World& world;
  described::MessageId sent;
  described::RequestId received;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { world.exchange(sent, received, caller); }
  void await_resume() const noexcept {}
};

struct SynchronousSend {
  described::World& world;
  const void* data;
  std::size_t bytes;
  int from, to, word;
  described::World::Synchronous made{};
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    made = world.synchronous_send(from, data, bytes, to, word, caller);
  }
  described::World::Synchronous await_resume() const noexcept { return made; }
};
// The first of several requests, by its place among them.
struct First {
  described::World& world;
  int rank;
  std::vector<described::RequestId> requests;
  std::size_t place = 0;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) { world.await_any(rank, std::move(requests), place, caller); }
  std::size_t await_resume() const noexcept { return place; }
};
// What a request that is over still takes of its rank's processor.
struct Taken {
  described::World& world;
  int rank;
  described::RequestId id;
  bool over = true;
  bool await_ready() const { return world.complete(id); }
  void await_suspend(std::coroutine_handle<> caller) { world.test(rank, id, over, caller); }
  void await_resume() const noexcept {}
};
struct Poll {
  described::World& world;
  int rank;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { world.poll(rank, caller); }
  void await_resume() const noexcept {}
};
struct Probe {
  described::World& world;
  int rank, from, word;
  described::Arrived found{};
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) { world.probe(rank, from, word, found, caller); }
  described::Arrived await_resume() const noexcept { return found; }
};

}  // namespace assay::mpirun
