// What pumps await in the World: as Simulated's, without the errors of Assay's own programs.
#pragma once

#include <coroutine>

#include "ranks/world.hpp"

namespace assay::mpirun {

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

}  // namespace assay::mpirun
