// Several programs on one described machine, each a job: ranks of its own on processors that it is given, from a time
// of its own on, in one simulated world. What they share (channels, buses, interfaces, interrupts, memory of a node)
// they share as the description says; messages of one never match receives of another.
//
// A job starts at a whole cycle of the network, and its clock counts from there: alone on the machine it takes exactly
// as long whenever it starts, and wherever the network between its nodes is the same. It ends when its last rank does,
// at once when a rank fails, or when it is ended from outside. Files are each job's own, and lie on I/O nodes that all
// share (file_system.hpp); host processors are no part of it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "ranks/play.hpp"
#include "ranks/simulated.hpp"

namespace assay::described {

class Jobs {
 public:
  enum class State : std::uint8_t { running, completed, wrong, failed, ended, deadlock };
  struct Job {
    State state = State::running;
    Time begun = 0, ended = never;
    Launch launch;             // as play() gives it, times from the world's beginning
    std::string failure;       // what a rank threw, or the network's own deadlock
    bool input = false;        // it is one that the user can mend
    bool undescribed = false;  // it is what the description does not say
  };

  // `log`: where what happens is written down, by place; nowhere where it is null. InputFault where the machine has no
  // number of nodes.
  explicit Jobs(MachineParameters machine, Log* log = nullptr);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  int nodes() const;                                      // of the network
  int processors() const { return machine_.processors; }  // of each node
  Time cycle() const { return cycle_; }                   // at whole ones of which jobs start
  Time now() const { return world_->now(); }              // since the world's beginning
  std::uint64_t events() const { return world_->events(); }
  std::uint64_t messages() const { return world_->messages(); }

  // A program with the arguments that every program takes starts now, in the first whole cycle; rank r is at place
  // places[r], which is node * processors() and which of its processors. Gives the job's number. InputFault for what
  // the user can mend: an unknown program, a place that is not free.
  std::size_t begin(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<int>& places);
  // Goes on up to `until`, or to the next end of jobs, or for some tenths of a second: true where there is more up to
  // `until`. Throws MeasurementFault for what goes wrong in the machine.
  bool advance(Time until);
  // The same for as long as anything happens; the jobs that are left then never go on.
  bool advance() { return advance(never - 1); }
  // Jobs that have ended since this was called last, in order.
  std::vector<std::size_t> ended();
  // Ends a job that runs, now: as a deadlock where it would never have gone on.
  void end(std::size_t job);
  const Job& job(std::size_t job) const;

 private:
  struct Tenant;
  ranks::Task occupy(Tenant& tenant, ranks::Task program);
  void leave(Tenant& tenant, State state);

  MachineParameters machine_;
  std::unique_ptr<MessageModel> model_;
  Time cycle_;
  std::deque<Tenant> tenants_;
  std::unique_ptr<World> world_;
  std::unique_ptr<FileSystem> files_;      // where the machine has storage
  std::vector<std::size_t> over_, ended_;  // over_: in this piece, still to be cleared away
};

}  // namespace assay::described
