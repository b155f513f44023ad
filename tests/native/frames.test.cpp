// Frames of coroutines go back to the allocator that they came from, whichever thread destroys them, and whatever
// allocator that thread's own frames come from.
#include "ranks/frames.hpp"

#include <cstdlib>
#include <new>
#include <optional>
#include <thread>

#include "expect.hpp"

using assay::described::FrameArena;
using assay::ranks::Task;

namespace {

class Counted final : public assay::ranks::Frames {
 public:
  Counted() : before_(std::exchange(assay::ranks::frames, this)) {}
  ~Counted() override { assay::ranks::frames = before_; }
  void* take(std::size_t bytes) override {
    ++taken;
    return std::malloc(bytes);
  }
  void give(void* frame, std::size_t) override {
    ++given;
    std::free(frame);
  }
  int taken = 0, given = 0;

 private:
  Frames* const before_;
};

Task leaf(int& sum) {
  ++sum;
  co_return;
}
Task nested(int& sum) {
  const Task first = leaf(sum), second = leaf(sum);
  co_await first;
  co_await second;
}
void run(Task task) { task.handle().resume(); }

void in_another_thread() {
  int sum = 0;
  Counted mine;
  std::optional<Task> made(nested(sum));
  std::thread([&] { made.reset(); }).join();
  expect(mine.taken == 1 && mine.given == 1, "a frame is freed where it came from by a thread without an allocator");
  made.emplace(nested(sum));
  std::thread([&] {
    Counted other;
    made.reset();
    expect(other.taken == 0 && other.given == 0,
           "a frame is not freed to the allocator of the thread that destroys it");
  }).join();
  expect(mine.taken == 2 && mine.given == 2, "a frame is freed where it came from by a thread with another allocator");
}

void of_the_heap() {
  int sum = 0;
  std::optional<Task> made(nested(sum));
  {
    Counted arena;
    made.reset();
    expect(arena.given == 0, "a frame of the heap is not given to an arena that was made later");
    made.emplace(nested(sum));
    Counted inner;
    made.reset();
    expect(arena.given == 1 && inner.given == 0, "a frame goes back to the outer of two arenas");
  }
  std::thread([&] { made.emplace(nested(sum)); }).join();  // freed here, kept by this thread until it ends
  std::thread([&] { made.reset(); }).join();
}

void arenas_within_one_another() {
  int sum = 0;
  const FrameArena outer;
  {
    const FrameArena inner;
    run(nested(sum));
  }
  expect(assay::ranks::frames == &outer, "the outer arena serves again behind the inner one");
  run(nested(sum));
  expect(sum == 4, "tasks run to their ends");
}

}  // namespace

int main() {
  in_another_thread();
  of_the_heap();
  arenas_within_one_another();
  expect(assay::ranks::frames == nullptr, "the heap serves again at the end");
  return failures == 0 ? 0 : 1;
}
