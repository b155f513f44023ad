// The Communicator on the described machine: every await hands the rank's coroutine to the World, which resumes it when
// the machine model says so; a call that is not awaited does nothing, which the compiler is asked to refuse. A rank's
// communicator is 16 bytes.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "ranks/file_system.hpp"
#include "ranks/files.hpp"
#include "ranks/one_sided.hpp"
#include "ranks/own_collectives.hpp"
#include "ranks/world.hpp"

namespace assay::described {

class Simulated {
 public:
  class Received {
   public:
    Received() = default;
    explicit Received(Arrived arrived) : arrived_(arrived) {}
    int source() const { return arrived_.source; }
    int tag() const { return arrived_.tag; }
    std::size_t bytes() const { return arrived_.bytes; }

   private:
    Arrived arrived_;
  };
  struct Request {
    RequestId id = none;
  };
  struct SendRequest : Request {};
  struct ReceiveRequest : Request {};
  static constexpr double ticks_a_second = picoseconds_a_second;

  Simulated(World& world, int rank) : world_(&world), rank_(rank) {}
  Simulated(World& world, Groups::Place place) : world_(&world), rank_(place.rank), group_(place.group) {}
  int rank() const { return rank_; }
  int size() const { return group_ == 0 ? world_->ranks() : world_->groups().size(group_); }
  std::int64_t now() const { return world_->clock(group_ == 0 ? 0 : world_->groups().begun(group_)); }
  bool same_clock(int) const { return true; }
  std::optional<int> hops(int to) const { return hops(rank_, to); }
  std::optional<int> hops(int from, int to) const {
    return world_->model().hops(among_all(from, "looks at"), among_all(to, "looks at"));
  }
  bool same_node(int a, int b) const {
    return world_->model().same_node(among_all(a, "looks at"), among_all(b, "looks at"));
  }
  std::string_view placement(int, int) const { return {}; }
  std::optional<int> host() const { return group_ == 0 ? world_->host() : std::nullopt; }
  bool is_simulated() const { return true; }
  bool described() const { return is_simulated(); }
  bool describes_puts() const { return world_->model().describes_puts(); }
  std::optional<double> cost_of(std::string_view kernel) const { return world_->cost_of(kernel); }

  // Memory that this rank exposes, of its own.
  class Window {
   public:
    std::byte* data() const { return data_; }

   private:
    friend class Simulated;
    std::byte* data_ = nullptr;
    Exposed::WindowId id_ = 0;
  };

  struct [[nodiscard]] Send {
    World& world;
    const void* data;
    std::size_t bytes;
    int from, to, tag;
    bool ready;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { world.send(from, data, bytes, to, tag, ready, caller); }
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Isend {
    World& world;
    const void* data;
    std::size_t bytes;
    int from, to, tag;
    SendRequest request{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) { request.id = world.isend(from, data, bytes, to, tag, caller); }
    SendRequest await_resume() const noexcept { return request; }
  };
  struct [[nodiscard]] Sendrecv {
    World& world;
    MessageId sent;
    RequestId request;
    GroupId group;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { world.exchange(sent, request, caller); }
    Received await_resume() const { return within(world, group, world.finish(request)); }
  };
  struct [[nodiscard]] Posted {
    ReceiveRequest request;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    ReceiveRequest await_resume() const noexcept { return request; }
  };
  struct [[nodiscard]] Wait {
    World& world;
    RequestId request;
    Call call;
    GroupId group;
    bool await_ready() const { return world.complete(request); }
    void await_suspend(std::coroutine_handle<> waiter) const { world.await(request, waiter, call); }
    Received await_resume() const { return within(world, group, world.finish(request)); }
  };
  struct [[nodiscard]] WaitSent : Wait {
    void await_resume() const { world.finish(request); }
  };
  template <class Found>
  struct [[nodiscard]] Test {
    World& world;
    int rank;
    Request& request;
    GroupId group;
    bool over = false;
    bool await_ready() noexcept { return over = world.complete(request.id); }
    void await_suspend(std::coroutine_handle<> caller) { world.test(rank, request.id, over, caller); }
    Found await_resume() {
      if (!over) return {};
      const Received got = within(world, group, world.finish(std::exchange(request.id, none)));
      if constexpr (std::is_same_v<Found, bool>)
        return true;
      else
        return got;
    }
  };
  struct [[nodiscard]] WaitAny {
    World& world;
    int rank;
    ReceiveRequest* requests;
    std::size_t count;
    GroupId group;
    std::size_t place = 0;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) {
      std::vector<RequestId> ids;
      for (std::size_t i = 0; i < count; ++i)
        if (requests[i].id != none) ids.push_back(requests[i].id);
      if (ids.empty()) throw std::logic_error("wait_any: none of the receives is under way");
      world.await_any(rank, std::move(ids), place, caller);
    }
    // Requests that were over before are passed over.
    ranks::First<Received> await_resume() {
      std::size_t at = 0;
      for (std::size_t left = place; requests[at].id == none || left-- > 0;) ++at;
      return {at, within(world, group, world.finish(std::exchange(requests[at].id, none)))};
    }
  };
  struct [[nodiscard]] Probe {
    World& world;
    int rank, from, tag;
    GroupId group;
    Arrived found{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) { world.probe(rank, from, tag, found, caller); }
    Received await_resume() const { return within(world, group, found); }
  };
  struct [[nodiscard]] Iprobe {
    World& world;
    int rank;
    GroupId group;
    std::optional<Arrived> found;
    bool await_ready() const noexcept { return found.has_value(); }
    void await_suspend(std::coroutine_handle<> caller) const { world.poll(rank, caller); }
    std::optional<Received> await_resume() const {
      return found ? std::optional(within(world, group, *found)) : std::nullopt;
    }
  };
  struct [[nodiscard]] Barrier {
    World& world;
    int rank;
    GroupId group;
    int among;
    Time cost;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { world.barrier(rank, group, among, cost, caller); }
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Meeting : World::Meeter {
    World& world;
    GroupId group;
    int among;
    Time quiet;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
      caller = waiter;
      world.meet(group, among, quiet, this);
    }
    std::int64_t await_resume() const noexcept { return value; }
  };
  struct [[nodiscard]] Split {
    World& world;
    Groups::Place place;
    int colour, key;
    Groups::Place made{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) { world.groups().split(place, colour, key, &made, caller); }
    Simulated await_resume() const { return Simulated(world, made); }
  };
  struct [[nodiscard]] Released {
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Expose : Barrier {
    Window window;
    Window await_resume() const noexcept { return window; }
  };
  struct [[nodiscard]] Put {
    World& world;
    Exposed::WindowId window;
    const void* data;
    std::size_t bytes;
    int from, to;
    std::size_t offset;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const {
      world.exposed().put(from, window, data, bytes, to, offset, caller);
    }
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Get {
    World& world;
    Exposed::WindowId window;
    void* into;
    std::size_t bytes;
    int rank, from;
    std::size_t offset;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const {
      world.exposed().get(rank, window, into, bytes, from, offset, caller);
    }
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Complete {
    World& world;
    Exposed::WindowId window;
    int rank, with;
    bool await_ready() const { return world.exposed().complete(rank, window, with); }
    void await_suspend(std::coroutine_handle<> waiter) const { world.exposed().await(rank, window, with, waiter); }
    void await_resume() const noexcept {}
  };
  struct [[nodiscard]] Compute {
    World& world;
    int rank;
    World::Charge charge;
    bool await_ready() const noexcept { return charge.alone <= 0; }
    void await_suspend(std::coroutine_handle<> sleeper) const { world.compute(rank, charge, sleeper); }
    void await_resume() const noexcept {}
  };

  Send send(const void* data, std::size_t bytes, int to, int tag) {
    return {*world_, data, bytes, self(), to_all(to), out_word(tag), false};
  }
  Send rsend(const void* data, std::size_t bytes, int to, int tag) {
    return {*world_, data, bytes, self(), to_all(to), out_word(tag), true};
  }
  // The machine's own: a cost after the last rank's call, or made of messages where the machine has no other.
  ranks::Task barrier(int among) {
    const Time cost = world_->model().barrier(among);
    if (cost >= 0)
      co_await Barrier{*world_, self(), group_, among, cost};
    else if (describes_collectives() && among == size())
      co_await collective(ranks::Operation::barrier, nullptr, nullptr, 0, 0);
    else if (const BarrierBy by = world_->model().barrier_messages(); by != BarrierBy::dissemination)
      co_await barrier_by(by, among);
    else
      for (int step = 1; step < among; step *= 2)
        co_await sendrecv(nullptr, 0, (rank_ + step) % among, nullptr, 0, (rank_ - step + among) % among,
                          own_barrier_tag);
  }
  // So many ranks wait for the last of them, without messages, and go on so much later, when nothing is under way any
  // more; gives the greatest of their values.
  Meeting meet(int ranks, std::int64_t value, Time quiet) {
    return {{self(), rank_, value, {}}, *world_, group_, ranks, quiet};
  }
  Sendrecv sendrecv(const void* data, std::size_t bytes, int to, void* buffer, std::size_t room, int from, int tag) {
    const RequestId request = world_->post(self(), buffer, room, from_all(from), in_word(tag));
    return {*world_, world_->sendrecv(self(), data, bytes, to_all(to), out_word(tag), request), request, group_};
  }
  Isend isend(const void* data, std::size_t bytes, int to, int tag) {
    return {*world_, data, bytes, self(), to_all(to), out_word(tag)};
  }
  Wait recv(void* buffer, std::size_t room, int from, int tag) {
    return {*world_, world_->post(self(), buffer, room, from_all(from), in_word(tag)), Call::recv, group_};
  }
  Posted irecv(void* buffer, std::size_t room, int from, int tag) {
    return {{{world_->post(self(), buffer, room, from_all(from), in_word(tag))}}};
  }
  Wait wait(ReceiveRequest& request) { return {*world_, std::exchange(request.id, none), Call::wait, group_}; }
  WaitSent wait(SendRequest& request) { return {{*world_, std::exchange(request.id, none), Call::wait, group_}}; }
  Test<bool> test(SendRequest& request) { return {*world_, self(), request, group_}; }
  Test<std::optional<Received>> test(ReceiveRequest& request) { return {*world_, self(), request, group_}; }
  WaitAny wait_any(ReceiveRequest* requests, std::size_t count) { return {*world_, self(), requests, count, group_}; }
  Probe probe(int from, int tag) { return {*world_, self(), from_all(from), in_word(tag), group_}; }
  Iprobe iprobe(int from, int tag) {
    return {*world_, self(), group_, world_->sighted(self(), from_all(from), in_word(tag))};
  }
  Split split(int colour, int key) { return {*world_, {group_, rank_}, colour, key}; }
  Released release(Simulated& group) {
    world_->groups().release(std::exchange(group.group_, 0));
    return {};
  }
  // Exposing and withdrawing take no time but that all ranks must have come.
  Expose expose(std::size_t bytes) {
    if (world_->groups().program_of(group_) != group_)
      throw NotDescribed("memory that a group of the ranks exposes: all ranks together do");
    Window window;
    window.id_ = world_->exposed().expose(self(), group_, bytes);
    window.data_ = world_->exposed().data(self(), window.id_);
    return {{*world_, self(), group_, size(), 0}, window};
  }
  Barrier withdraw(Window& window) {
    window.data_ = nullptr;
    world_->exposed().withdraw(window.id_);
    return {*world_, self(), group_, size(), 0};
  }
  Put put(Window& window, const void* data, std::size_t bytes, int to, std::size_t offset) {
    return {*world_, window.id_, data, bytes, self(), among_all(to, "puts to"), offset};
  }
  Get get(Window& window, void* into, std::size_t bytes, int from, std::size_t offset) {
    return {*world_, window.id_, into, bytes, self(), among_all(from, "gets from"), offset};
  }
  // Files of the machine's own file system.
  struct File {
    storage::FileId id = 0;
  };
  int io_nodes() const { return files().io_nodes(); }
  bool writes_described() const { return files().writes_described(); }
  int spread() const { return files().spread(); }
  ranks::Task open(File& file, std::string name, int io_nodes, std::uint64_t reserve) {
    return files().open(self(), {std::move(name), io_nodes, reserve}, file.id);
  }
  ranks::Task read(File& file, std::byte* into, std::uint64_t bytes, std::uint64_t offset) {
    return files().read(self(), file.id, into, bytes, offset);
  }
  ranks::Task write(File& file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset) {
    return files().write(self(), file.id, from, bytes, offset);
  }
  ranks::Task close(File& file) { return files().close(self(), file.id); }
  ranks::Task forget() { return files().forget(self()); }
  Complete complete(Window& window, int with) { return {*world_, window.id_, self(), among_all(with, "waits for")}; }
  template <class Body>
  Compute compute(double seconds, Body&& body) {
    std::forward<Body>(body)();
    return {*world_, self(), {seconds, 0, 0}};
  }
  template <class Body>
  Compute compute(const ranks::Work& work, Body&& body) {
    std::forward<Body>(body)();
    return {*world_, self(), world_->charge(work)};
  }
  // Whether the description says whose collectives these are; without that they are not described.
  bool describes_collectives() const { return !world_->library().empty(); }
  // The described MPI library's own (mpich_1_2.cpp).
  ranks::Task collective(ranks::Operation operation, const void* in, void* out, std::size_t block, int root);

 private:
  FileSystem& files() const {
    if (!world_->files()) throw NotDescribed("it has no [storage], what its I/O nodes and disks take");
    return *world_->files();
  }
  ranks::Task barrier_by(BarrierBy by, int among);  // own_barrier.cpp
  static constexpr int own_barrier_tag = ranks::last_tag + 100;

  // Of a group: the ranks among all, and tags with its context. All ranks are group 0, whose numbers are these.
  int self() const { return among_all(rank_, "is"); }
  int among_all(int rank, const char* does) const {
    if (group_ == 0) [[likely]]
      return rank;
    return world_->groups().member(group_, rank, rank_, does);
  }
  int to_all(int to) const { return among_all(to, "sends to"); }
  int from_all(int from) const { return from == ranks::any_source ? from : among_all(from, "receives from"); }
  int out_word(int tag) const { return word(tag, "sends"); }
  int in_word(int tag) const {
    return tag == ranks::any_tag ? world_->groups().any_word(group_) : word(tag, "receives");
  }
  int word(int tag, const char* does) const {
    World::check_tag(rank_, does, tag);
    return group_ == 0 ? tag : world_->groups().word(group_, tag);
  }
  static Received within(World& world, GroupId group, Arrived arrived) {
    if (group != 0 && arrived.source >= 0) [[unlikely]]
      arrived.source = world.groups().rank_in(group, arrived.source);
    return Received(arrived);
  }

  World* world_;
  int rank_;
  GroupId group_ = 0;
};
static_assert(sizeof(Simulated) == 16);

static_assert(ranks::Testing<Simulated> && ranks::Probing<Simulated> && ranks::OneSided<Simulated> &&
              ranks::Files<Simulated> && ranks::ReadySend<Simulated> && ranks::OwnBarrier<Simulated> &&
              ranks::Hosted<Simulated> && ranks::OwnCollectives<Simulated> && ranks::Grouped<Simulated>);

}  // namespace assay::described
