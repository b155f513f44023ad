// The pumps of an MPI program (serve.hpp): what a rank's process hands over, played on the World.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/owned_segment.hpp"
#include "mpi/serve.hpp"
#include "ranks/simulated.hpp"
#include "ranks/task.hpp"

namespace assay::mpirun {

// The program is over before its time, as Served says.
struct Ended : std::exception {};

class Program {
 public:
  Program(OwnedSegment& segment, described::World& world, const std::vector<int>& places,
          const std::function<bool()>& alive, Served& served);

  ranks::Task pump(int rank);
  described::Time finished() const { return finished_; }
  void name_calls();  // of the ranks that wait, by their places

 private:
  struct Rank {
    std::uint32_t seen = 0;  // batches
    std::uint16_t function = 0;
    bool started = false, finished = false;
    std::vector<described::RequestId> requests;  // by slot
  };

  void collect(int rank);
  void look();
  [[noreturn]] void ends(std::string failure);
  [[noreturn]] void died(int rank);
  int place(int rank, int peer) const;
  int rank_at(int place) const;
  described::RequestId& request(int rank, std::uint32_t slot);
  void conclude(int rank, described::RequestId& request, std::uint64_t result, int flag = 1);
  void report(int rank, std::uint64_t at, const described::Arrived& arrived, int flag) const;

  OwnedSegment& segment_;
  described::World& world_;
  const std::vector<int>& places_;
  const std::function<bool()>& alive_;
  Served& served_;
  std::unordered_map<int, int> at_;  // ranks by place, where these differ
  std::vector<Rank> ranks_;
  described::GroupId group_ = 0;  // of all ranks, where they are not the first places
  described::Time finished_ = 0;
};

}  // namespace assay::mpirun
