// A rank's coroutine: lazily started, with one continuation.
//
// On MPI nothing ever suspends: the whole task runs inside the first resume(). On the simulated machine a rank sleeps
// in whatever it awaits and the machine resumes that handle. Awaiting a nested Task costs about 8 ns (a frame is
// allocated), a ready awaiter nothing measurable, so that timed loops await the Communicator directly and never a Task.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "timing/clock.hpp"

namespace assay::ranks {

// An allocator of frames in place of the heap, for a machine with very many ranks in one process.
class Frames {
 public:
  virtual ~Frames() = default;
  virtual void* take(std::size_t bytes) = 0;
  virtual void give(void* frame, std::size_t bytes) = 0;
};
inline thread_local Frames* frames = nullptr;  // of the frames that this thread makes; null: the heap

// Freed frames of the heap, by size, to be used again: what a message-passing library allocates in a measured call
// finds the heap as a program without coroutines leaves it.
class FreedFrames {
 public:
  void* take(std::size_t bytes) {
    const std::size_t size = (bytes + grain - 1) / grain;
    if (size >= sizes_.size()) return ::operator new(bytes);
    if (void* const used = sizes_[size]) {
      sizes_[size] = *static_cast<void**>(used);
      return used;
    }
    return ::operator new(size * grain);
  }
  void give(void* frame, std::size_t bytes) {
    const std::size_t size = (bytes + grain - 1) / grain;
    if (size >= sizes_.size()) return ::operator delete(frame);
    if (!freed_at_end_) [[unlikely]]
      free_at_end();
    *static_cast<void**>(frame) = std::exchange(sizes_[size], frame);
  }

 private:
  // At the thread's end. Not in a destructor of this class: each access to a thread_local that has one is checked.
  void free_at_end() {
    struct End {
      FreedFrames* freed = nullptr;
      ~End() {
        for (void*& first : freed->sizes_)
          while (void* const frame = first) {
            first = *static_cast<void**>(frame);
            ::operator delete(frame);
          }
      }
    };
    static thread_local End end;
    end.freed = this;
    freed_at_end_ = true;
  }
  bool freed_at_end_ = false;
  static constexpr std::size_t grain = 16;
  std::array<void*, 128> sizes_{};
};
inline thread_local FreedFrames freed_frames;  // of a real machine

// When a task on a real machine runs: it waits for its start and notes its ends inside the coroutine, so that what it
// costs to resume one (some 5 ns) is in no operation's time. One that is timed is one task: clocks read between two
// (some 20 ns each) would be in its time.
struct Moments {
  std::int64_t start = 0;  // ns of the steady clock
  bool missed = false;
  std::int64_t in = 0, out = 0;
  void enter() {
    missed = timing::now_ns() > start;
    while (timing::now_ns() < start) {
    }
    in = timing::now_ns();
  }
  void leave() { out = timing::now_ns(); }
};

class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct Begin {
    const promise_type* promise;
    bool await_ready() const noexcept { return false; }
    void await_suspend(Handle) const noexcept {}
    void await_resume() const noexcept;
  };
  struct Final {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle finished) const noexcept;
    void await_resume() const noexcept {}
  };
  struct promise_type {
    std::coroutine_handle<> continuation = nullptr;
    std::exception_ptr failure;
    Moments* moments = nullptr;
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    Begin initial_suspend() noexcept { return {this}; }
    Final final_suspend() const noexcept {
      if (moments) moments->leave();
      return {};
    }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { failure = std::current_exception(); }
    // The word behind a frame names its allocator, so that it is freed there whoever destroys it: an allocator must
    // outlive its frames, and is used by one thread at a time.
    static void* operator new(std::size_t bytes) {
      Frames* const from = frames;
      const std::size_t whole = bytes + sizeof from;
      void* const frame = from ? from->take(whole) : freed_frames.take(whole);
      std::memcpy(static_cast<std::byte*>(frame) + bytes, &from, sizeof from);
      return frame;
    }
    static void operator delete(void* frame, std::size_t bytes) {
      Frames* from = nullptr;
      const std::size_t whole = bytes + sizeof from;
      std::memcpy(&from, static_cast<std::byte*>(frame) + bytes, sizeof from);
      from ? from->give(frame, whole) : freed_frames.give(frame, whole);
    }
  };

  Task() = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Awaited by another task: runs at once, inside this call, so that one that never suspends leaves no trace on the
  // stack whatever the compiler makes of tail calls; one that does suspend continues the awaiting task at its end.
  bool await_ready() const {
    if (done()) return true;
    handle_.resume();
    return handle_.done();
  }
  void await_suspend(std::coroutine_handle<> awaiting) const noexcept { handle_.promise().continuation = awaiting; }
  // A failure travels outwards.
  void await_resume() const {
    if (handle_ && handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }

  // Before it runs: at `moments`, which outlive it.
  void run_at(Moments& moments) const {
    if (handle_) {
      handle_.promise().moments = &moments;
    } else {
      moments.enter();
      moments.leave();
    }
  }

  // The root of a rank: resumed from outside. After done(), result() rethrows what the program threw.
  std::coroutine_handle<> handle() const noexcept { return handle_; }
  bool done() const noexcept { return !handle_ || handle_.done(); }
  void result() const { await_resume(); }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_ = nullptr;
};

inline void Task::Begin::await_resume() const noexcept {
  if (promise->moments) promise->moments->enter();
}

inline std::coroutine_handle<> Task::Final::await_suspend(Handle finished) const noexcept {
  const auto next = finished.promise().continuation;
  return next ? next : std::noop_coroutine();
}

}  // namespace assay::ranks
