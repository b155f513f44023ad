// One program on one described machine: the same JSON lines as a launch on a real one.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace assay::described {

// A machine's description as Python read it: flat, by dotted key, numbers in SI units
// (src/assay/machine/description.py).
using Value = std::variant<double, std::string>;
using Description = std::map<std::string, Value>;

// The names in the programs' records.
std::vector<std::string> program_names();

// Runs `program` on `ranks` ranks with the arguments that every program takes. Throws timing::InputFault for what the
// user can mend, timing::MeasurementFault otherwise. A deadlock is a result: an event
//   {"event":"deadlock","t":s,"waiting":[{"rank":0,"call":"recv","peer":1,"tag":7},…],"count":n}
// where peer null is any source and at most 64 ranks are listed, in place of "done".
std::string play(const std::string& program, const Description& machine, int ranks,
                 const std::vector<std::string>& arguments);

}  // namespace assay::described
