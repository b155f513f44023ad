// A collective operation in the background: an algorithm of sends and receives that goes on while its rank does
// something else, as a library without a thread of its own would do it.
//
// The algorithm runs on a Background in place of its communicator, with the same calls. Where it would wait it pauses,
// and its rank goes on. Its next messages are begun inside advance(), which tests what the algorithm waits for, and
// inside finish(), which waits for it to the end: between these calls nothing progresses but what is under way already.
// All views of one communicator and its groups share one algorithm under way. Source: Hoefler, Lumsdaine and Rehm 2007
// (LibNBC), whose schedules are coroutines here.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "ranks/communicator.hpp"
#include "ranks/task.hpp"

namespace assay::ranks {

template <Testing C>
class Background {
 public:
  using Received = typename C::Received;
  using SendRequest = typename C::SendRequest;
  using ReceiveRequest = typename C::ReceiveRequest;
  static constexpr double ticks_a_second = C::ticks_a_second;

  // What is under way on one rank: where its algorithm has paused, and what for.
  class Progress {
   public:
    // Gives the rank's own course back to whoever called advance(), at once or, where the algorithm's last step took
    // simulated time, by resuming it.
    std::coroutine_handle<> pause(std::coroutine_handle<> paused) {
      paused_ = paused;
      return back();
    }
    bool over() const { return !paused_; }

   private:
    friend class Background;
    std::coroutine_handle<> back() {
      inside_ = false;
      const auto next = std::exchange(driver_, nullptr);
      return next ? next : std::noop_coroutine();
    }
    std::coroutine_handle<> paused_, driver_;
    bool inside_ = false;
    SendRequest* sent_ = nullptr;
    ReceiveRequest* due_ = nullptr;
    Received got_{};
    std::exception_ptr failure_;
    Task course_;
  };

  Background(C& comm, Progress& progress) : comm_(&comm), progress_(&progress) {}

  // Begins an algorithm on this communicator or a group of it: `progress` has none under way.
  Task begin(Task algorithm) {
    progress_->course_ = course(*progress_, std::move(algorithm));
    progress_->paused_ = progress_->course_.handle();
    co_await Step{*progress_};
    settle();
  }
  // Whether it is over; else it goes on as far as its messages have come.
  Task advance(bool& over) {
    while (!(over = progress_->over())) {
      if (progress_->due_) {
        auto got = co_await comm_->test(*progress_->due_);
        if (!got) co_return;
        progress_->got_ = *got;
        progress_->due_ = nullptr;
      }
      if (progress_->sent_) {
        const bool gone = co_await comm_->test(*progress_->sent_);
        if (!gone) co_return;
        progress_->sent_ = nullptr;
      }
      co_await Step{*progress_};
    }
    settle();
  }
  Task finish() {
    while (!progress_->over()) {
      if (progress_->due_) progress_->got_ = co_await comm_->wait(*std::exchange(progress_->due_, nullptr));
      if (progress_->sent_) co_await comm_->wait(*std::exchange(progress_->sent_, nullptr));
      co_await Step{*progress_};
    }
    settle();
  }

  // --- the Communicator that an algorithm sees ----------------------------------------------------------------------
  int rank() const { return comm_->rank(); }
  int size() const { return comm_->size(); }
  std::int64_t now() const { return comm_->now(); }
  bool same_clock(int other) const { return comm_->same_clock(other); }
  std::optional<int> hops(int to) const { return comm_->hops(to); }
  std::optional<int> hops(int from, int to) const { return comm_->hops(from, to); }
  bool same_node(int a, int b) const { return comm_->same_node(a, b); }
  std::string_view placement(int from, int to) const { return comm_->placement(from, to); }
  bool is_simulated() const { return comm_->is_simulated(); }
  std::optional<double> cost_of(std::string_view kernel) const { return comm_->cost_of(kernel); }

  // Until the requests are over: the algorithm pauses.
  struct [[nodiscard]] Pause {
    Progress& progress;
    SendRequest* sent;
    ReceiveRequest* due;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> paused) {
      progress.sent_ = sent;
      progress.due_ = due;
      return progress.pause(paused);
    }
    const Received& await_resume() const { return progress.got_; }
  };
  // A call of several steps that gives what arrived.
  class [[nodiscard]] Receiving {
   public:
    template <class Steps>
    explicit Receiving(Steps steps) : task_(steps(&got_)) {}
    Receiving(const Receiving&) = delete;
    bool await_ready() const { return task_.await_ready(); }
    void await_suspend(std::coroutine_handle<> awaiting) const noexcept { task_.await_suspend(awaiting); }
    const Received& await_resume() const {
      task_.await_resume();
      return got_;
    }

   private:
    Received got_{};
    Task task_;
  };

  Task send(const void* data, std::size_t bytes, int to, int tag) {
    auto sent = co_await comm_->isend(data, bytes, to, tag);
    co_await Pause{*progress_, &sent, nullptr};
  }
  Receiving recv(void* buffer, std::size_t room, int from, int tag) {
    return Receiving([&](Received* got) { return receive(*comm_, *progress_, got, buffer, room, from, tag); });
  }
  Receiving sendrecv(const void* data, std::size_t bytes, int to, void* buffer, std::size_t room, int from, int tag) {
    return Receiving(
        [&](Received* got) { return exchange(*comm_, *progress_, got, data, bytes, to, buffer, room, from, tag); });
  }
  auto isend(const void* data, std::size_t bytes, int to, int tag) { return comm_->isend(data, bytes, to, tag); }
  auto irecv(void* buffer, std::size_t room, int from, int tag) { return comm_->irecv(buffer, room, from, tag); }
  Pause wait(SendRequest& request) { return {*progress_, &request, nullptr}; }
  Pause wait(ReceiveRequest& request) { return {*progress_, nullptr, &request}; }
  template <class Body>
  auto compute(double seconds, Body&& body) {
    return comm_->compute(seconds, std::forward<Body>(body));
  }
  template <class Body>
  auto compute(const Work& work, Body&& body) {
    return comm_->compute(work, std::forward<Body>(body));
  }

 private:
  // What the algorithm threw is thrown where its rank asks for it.
  void settle() {
    if (progress_->failure_) std::rethrow_exception(std::exchange(progress_->failure_, nullptr));
  }
  // Runs the algorithm to its next pause. Ready at once where that took no simulated time, so that on MPI, where
  // nothing else suspends, a long algorithm leaves no trace on the stack.
  struct Step {
    Progress& progress;
    bool await_ready() const {
      progress.inside_ = true;
      std::exchange(progress.paused_, nullptr).resume();
      return !progress.inside_;
    }
    void await_suspend(std::coroutine_handle<> driver) const noexcept { progress.driver_ = driver; }
    void await_resume() const noexcept {}
  };
  // At the end of the algorithm its driver goes on.
  struct End {
    Progress& progress;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept { return progress.back(); }
    void await_resume() const noexcept {}
  };
  static Task course(Progress& progress, Task algorithm) {
    try {
      co_await algorithm;
    } catch (...) {
      progress.failure_ = std::current_exception();
    }
    co_await End{progress};
  }
  static Task receive(C& comm, Progress& progress, Received* got, void* buffer, std::size_t room, int from, int tag) {
    auto due = co_await comm.irecv(buffer, room, from, tag);
    *got = co_await Pause{progress, nullptr, &due};
  }
  static Task exchange(C& comm, Progress& progress, Received* got, const void* data, std::size_t bytes, int to,
                       void* buffer, std::size_t room, int from, int tag) {
    auto due = co_await comm.irecv(buffer, room, from, tag);
    auto sent = co_await comm.isend(data, bytes, to, tag);
    *got = co_await Pause{progress, &sent, &due};
  }

  C* comm_;
  Progress* progress_;
};

}  // namespace assay::ranks
