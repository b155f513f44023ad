// An MPI program's ranks on a described machine: each rank is a process, and has a coroutine here, its pump, that plays
// what the process hands over in the World, like a program of Assay's own.
//
// A pump whose process computes waits for it in real time; no simulated time passes then. Ranks that go on at one
// simulated time are all let go before the first of them is waited for, so that they run on as many processors as there
// are. Which rank is waited for next follows from the simulation alone, so that a run is the same bits everywhere.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/owned_segment.hpp"
#include "ranks/log.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/world.hpp"

namespace assay::mpirun {

struct Served {
  described::Time makespan = 0;             // until the last rank has called MPI_Finalize
  std::vector<described::Waiting> waiting;  // of a deadlock
  std::vector<std::string> waits_in;        // the function that each of these is in
  std::string failure;                      // what ended the program too early; empty where nothing did
  int died = -1;                            // the rank whose end that was
  bool abandoned = false;                   // the first process ended before the ranks had
  int aborted = 0, aborted_by = -1;         // the code of MPI_Abort and the rank that called it
  Calls calls;
  std::map<std::string, Times> regions;  // by name
  std::string goal;                      // the schedule that was asked for, of a program that ended well
  std::vector<std::string> unlike;       // why replaying it takes another time
  std::string lacks;                     // what it cannot have; then there is none
  std::uint64_t events = 0, messages = 0, switches = 0, operations = 0;
};

// Plays the program whose ranks have `segment`, rank r at place places[r] of the machine: node * processors, and which
// of its processors. `alive`: whether the program's first process is still there; it is asked while a rank is waited
// for. `traced`: whether a GOAL schedule is wanted. timing::InputFault for what the user can mend,
// timing::MeasurementFault otherwise.
Served serve(OwnedSegment& segment, const described::MachineParameters& machine, const std::vector<int>& places,
             const std::function<bool()>& alive, described::Log* log = nullptr, bool traced = false);

}  // namespace assay::mpirun
