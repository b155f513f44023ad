// One-sided messages on the described machine: memory that ranks expose, and what others put there or get from there
// while the target's program takes no part. They are messages of the machine model like any other, but have tags below
// zero, and are never matched.
//
//   put   the data go to the target's node; once they are in its memory a word comes back
//   get   a word goes to the owner's node; the data are read there and come back
//
// Each counts as under way for its caller and its target until the caller knows that it is done; complete() waits for
// that. A message's source is where its data come from: the owner's rank for a get.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ranks/groups.hpp"
#include "ranks/message_model.hpp"

namespace assay::described {

class World;
struct Waiting;

class Exposed {
 public:
  static constexpr int put_tag = -2, get_tag = -3;
  using WindowId = std::uint64_t;  // the program's group, and how many windows it had before

  // Memory that is not the World's, such as that of a program in a process of its own. Messages of the window
  // `elsewhere` have a number in place of an offset; the owner of the numbers reads and writes, and keeps account of
  // what is under way.
  class Elsewhere {
   public:
    virtual ~Elsewhere() = default;
    virtual void come(std::size_t number, const std::byte* data) = 0;  // what is put has come to its target
    virtual void read(std::size_t number, std::byte* into) = 0;        // what is got is to be read now
    virtual void done(std::size_t number) = 0;  // the caller knows that it is done; the last thing that an event does
  };
  static constexpr WindowId elsewhere = ~WindowId{0};
  void lies_elsewhere(Elsewhere& memory) { elsewhere_ = &memory; }

  Exposed(World& world, MessageModel& model) : world_(world), model_(model) {}

  // The rank's next window of a program, of so many bytes of its own, all zero; every rank counts its windows the same
  // way.
  WindowId expose(int rank, GroupId program, std::size_t bytes);
  std::byte* data(int rank, WindowId window);
  void withdraw(WindowId window);  // the bytes are gone when all ranks have
  // Resumes `caller` when its processor has done its part. Throws std::out_of_range beyond the target's bytes.
  void put(int from, WindowId window, const void* data, std::size_t bytes, int to, std::size_t offset,
           std::coroutine_handle<> caller);
  void get(int rank, WindowId window, void* into, std::size_t bytes, int from, std::size_t offset,
           std::coroutine_handle<> caller);
  bool complete(int rank, WindowId window, int with) const { return !under_way_.contains({rank, window, with}); }
  void await(int rank, WindowId window, int with, std::coroutine_handle<> waiter);

  // What the World and the model tell: the data have come; a get's data are read now, if not before; the caller knows.
  void come(MessageId id);
  void read(MessageId id);
  void done(MessageId id);
  // Nobody waits for what these ranks have under way, nor wants what they get: they are gone.
  void forget(const std::vector<bool>& ranks);
  // Ranks that wait in complete().
  void add_waiting(std::vector<Waiting>& found) const;

 private:
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  struct Access {
    WindowId window;
    std::size_t offset;
    void* into = nullptr;  // a get's
    bool read = false;
  };
  struct UnderWay {
    std::size_t count = 0;
    std::coroutine_handle<> waiter;
  };
  std::byte* place(int rank, WindowId window, int of, std::size_t offset, std::size_t bytes, const char* verb);

  World& world_;
  MessageModel& model_;
  Elsewhere* elsewhere_ = nullptr;
  std::map<std::pair<int, WindowId>, Memory> memory_;
  std::map<std::pair<GroupId, int>, std::uint32_t> windows_;  // exposed so far, by program and rank
  std::unordered_map<WindowId, int> withdrawn_;               // by how many ranks
  std::unordered_map<MessageId, Access> accesses_;
  std::map<std::tuple<int, WindowId, int>, UnderWay> under_way_;  // by caller, window and target
};

}  // namespace assay::described
