// The pumps of an MPI program (serve.hpp): what a rank's process hands over, played on the World.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/one_sided.hpp"
#include "mpi/owned_segment.hpp"
#include "mpi/serve.hpp"
#include "mpi/trace.hpp"
#include "mpi/wide_tags.hpp"
#include "ranks/simulated.hpp"
#include "ranks/task.hpp"

namespace assay::mpirun {

// The program is over before its time, as Served says.
struct Ended : std::exception {};

class Program final : private OneSided::Program {
 public:
  Program(OwnedSegment& segment, described::World& world, const std::vector<int>& places,
          const std::function<bool()>& alive, bool describes_ready, Served& served, Trace* trace);

  ranks::Task pump(int rank);
  described::Time finished() const { return finished_; }
  bool failed() const { return failed_; }  // a pump threw, which World::run() throws again
  void rethrow() const;                    // what a fork threw
  void name_calls();                       // of the ranks that wait, by their places

 private:
  struct Rank {
    std::uint32_t seen = 0;  // batches
    bool started = false, finished = false;
    bool running = true;  // its process, which was let go and has not handed over what comes next
    Calls::Kind call;     // the function that it is in
    described::Time began = 0;
    std::vector<std::pair<std::string, described::Time>> regions;         // those that it is in, and since when
    std::vector<described::RequestId> requests;                           // by slot
    std::unordered_map<std::uint32_t, described::RequestId> synchronous;  // the sends whose answers these slots are
    std::unordered_map<std::uint32_t, described::MessageId> claimed;
    std::deque<ranks::Task> forks;
    std::exception_ptr failure;  // of one of these
  };
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  void await_batch(int rank);
  void collect(int rank);
  void look();
  [[noreturn]] void ends(std::string failure);
  [[noreturn]] void died(int rank);
  [[noreturn]] void overwritten(int rank) const;

  // --- play.cpp
  ranks::Task play(int rank, const abi::Op* ops, std::uint64_t count, Trace::Strand* strand);
  ranks::Task wait(int rank, std::uint32_t slot, std::uint64_t result);
  ranks::Task wait_any(int rank, const abi::Op& op);
  ranks::Task test(int rank, const abi::Op& op);
  ranks::Task ask_again(int rank);  // after having asked in vain
  ranks::Task fork(int rank, const abi::Op& op, described::RequestId over, Trace::Strand* strand);
  void behind(int rank, ranks::Task task);
  ranks::Task guarded(int rank, ranks::Task task);
  void begins(int rank, const abi::Op& op);
  void ended_call(int rank, const abi::Op& op);
  std::byte* data(int rank, std::uint64_t at, std::uint64_t bytes) const { return segment_.data(rank, at, bytes); }
  int self(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
  int place(int rank, int peer) const;
  int source(int rank, int peer) const { return peer < 0 ? ranks::any_source : place(rank, peer); }
  int rank_at(int place) const;
  described::RequestId& slot(int rank, std::uint32_t slot);
  described::RequestId& under_way(int rank, std::uint32_t slot);
  abi::Listed* listed(int rank, const abi::Op& op) const;
  void conclude(int rank, std::uint32_t slot, std::uint64_t result);
  void report(int rank, std::uint64_t at, const described::Arrived& arrived, int flag = 1,
              const described::World::Note& note = {}) const;
  int word_of(const abi::Op& op);
  described::World::Note note_of(int rank, const abi::Op& op, int word);  // of what a probe finds

  // --- accesses.cpp
  void operate(int rank, const abi::Op& op, OneSided::Operation& its);
  ranks::Task access(int rank, const abi::Op& op);
  void arrived(std::size_t number);
  ranks::Task arrive(std::size_t number, described::RequestId sent, described::RequestId there);
  ranks::Task answer(std::size_t number);
  ranks::Task answer_grant(std::size_t number);
  ranks::Task fulfil(described::RequestId request);
  pid_t asleep(int rank) override;
  void send_grant(std::size_t number) override;
  void send_result(std::size_t number) override;
  void over(described::RequestId request) override;
  void over_soon(int rank, described::RequestId request) override;
  [[noreturn]] void refuses(std::string why) override;

  OwnedSegment& segment_;
  described::World& world_;
  const std::vector<int>& places_;
  const std::function<bool()>& alive_;
  const bool describes_ready_;  // else a ready send is an ordinary one
  Served& served_;
  Trace* const trace_;               // or none
  std::unordered_map<int, int> at_;  // ranks by place, where these differ
  std::vector<Rank> ranks_;
  WideTags wide_;
  OneSided one_sided_;
  described::GroupId group_ = 0;  // of all ranks, where they are not the first places
  described::Time finished_ = 0;
  bool failed_ = false;
  std::uint64_t in_vain_ = 0, messages_ = 0, concluded_ = 0;  // questions since how many messages and ends of requests
  std::uint64_t ends_ = 0;
};

}  // namespace assay::mpirun
