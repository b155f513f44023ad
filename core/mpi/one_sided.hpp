// One-sided operations of an MPI program: what they do to the memory of the ranks' processes, and when.
//
// An operation goes through the machine as a put or a get of the World's (ranks/exposed.hpp) whose memory is that of
// the target's process:
//
//   put, accumulate   a put
//   get               a get
//   fetch, compare    a get that brings up to `rides` bytes with its request; longer operands are put first
//   lock              a put without data; its answer grants, or later a put of the target's
//   unlock            a put without data
//
// An accumulating operation is applied as a whole, when it comes to its target. Those of one rank to one other through
// one window are applied in the order of their calls: where one would come before an earlier one, that is applied, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "mpi/locks.hpp"
#include "mpi/rank_memory.hpp"
#include "mpi_library/shared/reduce.hpp"
#include "mpi_library/shared/segment.hpp"
#include "ranks/world.hpp"

namespace assay::mpirun {

class OneSided final : public described::Exposed::Elsewhere {
 public:
  static constexpr std::uint64_t rides = 16;  // bytes of an operand

  struct Operation {
    abi::Access does = abi::Access::put;
    int origin = 0, target = 0;
    std::int32_t window = 0;
    abi::Basic type{};
    abi::Reduction reduction{};
    std::uint64_t element = 1;                 // bytes
    bool exclusive = false, attached = false;  // of a lock; whether the memory must be attached
    Spans spans;
    std::vector<std::byte> operand;                    // what it brings
    std::byte* result = nullptr;                       // where what it fetches goes
    described::RequestId over = described::none;       // is fulfilled then
    std::optional<std::size_t> grants = std::nullopt;  // this put grants that lock

    std::uint64_t bytes = 0;       // of `spans`
    std::vector<std::byte> found;  // what was there
    bool applied = false, brought = false;
    bool granted = false, answered = false, grant_came = false;  // a lock: at once; its request's answer; later

    bool accumulates() const {
      return does == abi::Access::accumulate || does == abi::Access::fetch || does == abi::Access::compare;
    }
    bool fetches() const { return does == abi::Access::fetch || does == abi::Access::compare; }
    bool brings_first() const { return fetches() && operand.size() > rides && !brought; }
    // Whether it goes over as a put; else as a get.
    bool puts() const { return does != abi::Access::get && (!fetches() || brings_first()); }
  };

  // What the program does for it.
  class Program {
   public:
    virtual pid_t asleep(int rank) = 0;                   // its process, once that sleeps
    virtual void send_grant(std::size_t number) = 0;      // from the lock's target to the one who asked
    virtual void send_result(std::size_t number) = 0;     // of a fetch whose operand was brought first
    virtual void over(described::RequestId request) = 0;  // the last thing that an event does
    virtual void over_soon(int rank, described::RequestId request) = 0;
    [[noreturn]] virtual void refuses(std::string why) = 0;

   protected:
    ~Program() = default;
  };

  explicit OneSided(Program& program) : program_(program) {}

  std::size_t begin(Operation operation);  // gives its number
  Operation& at(std::size_t number) { return operations_.at(number); }
  void attach(int rank, std::int32_t window, const abi::Span& memory) {
    attached_[{window, rank}][memory.address] = memory.bytes;
  }
  void detach(int rank, std::int32_t window, std::uint64_t address) { attached_[{window, rank}].erase(address); }
  // Whose lock a rank waits for; -1: nobody's.
  int awaits_lock_of(int rank) const;
  void grant_comes(std::size_t number);  // of a lock that was not granted at once

  void come(std::size_t number, const std::byte* data) override;
  void read(std::size_t number, std::byte* into) override;
  void done(std::size_t number) override;

 private:
  using Stream = std::tuple<int, int, std::int32_t>;  // origin, target, window
  static Stream stream_of(const Operation& of) { return {of.origin, of.target, of.window}; }
  void apply_up_to(std::size_t number);
  void apply(Operation& operation);
  template <class Move>
  void reach(const Operation& operation, const char* does, Move move);  // the target's process
  void get_memory(const Operation& operation, std::byte* into);
  void set_memory(const Operation& operation, const std::byte* from);
  void check(const Operation& operation) const;

  Program& program_;
  std::unordered_map<std::size_t, Operation> operations_;
  std::size_t next_ = 0;
  Locks locks_;
  std::map<Stream, std::deque<std::size_t>> unapplied_;
  std::map<std::pair<std::int32_t, int>, std::map<std::uint64_t, std::uint64_t>> attached_;  // bytes by address
};

}  // namespace assay::mpirun
