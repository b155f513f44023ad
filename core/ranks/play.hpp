// One program on one described machine: the same JSON lines as a launch on a real one, and the same as columns.
#pragma once

#include <string>
#include <vector>

#include "ranks/launch.hpp"
#include "ranks/log.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/recorder.hpp"

namespace assay::described {

// The names in the programs' records.
std::vector<std::string> program_names();

// How many nodes' ranks a described machine has room for; 0: any number.
int room(const MachineParameters& machine);

// Adds a program from a shared library, which `assay build FILE` makes; it stays until the process ends.
void load(const std::string& library);

// Runs `program` on `ranks` ranks with the arguments that every program takes (timing/options.hpp). Throws
// timing::InputFault for what the user can mend, timing::MeasurementFault otherwise. A deadlock is a result: an event
//   {"event":"deadlock","t":s,"waiting":[{"rank":0,"call":"recv","peer":1,"tag":7},…],"count":n}
// where peer null is any source and at most 64 ranks are listed, in place of "done".
Launch play(const std::string& program, const MachineParameters& machine, int ranks,
            const std::vector<std::string>& arguments, Log* log = nullptr, Recorder* recorder = nullptr);

}  // namespace assay::described
