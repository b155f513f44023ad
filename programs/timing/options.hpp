// What a program is started with: its parameters' values and the options that every program has. A program does not
// read its own record, which it only prints: defaults, bounds, units and sweeps are applied by `assay run`
// (src/assay/benchmark/resolved.py), which hands over each parameter with its type and all its values:
//
//   sieve --profile quick --slice 0.02 --blocks 4 --metrics time --integer size=10,8190 --choice form=plain
//
// A folder is handed over by `--path NAME=FOLDER`: commas are part of its name, and it is in no case.
//
// Whatever is not accepted is an InputFault of one line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timing/faults.hpp"

namespace assay::timing {

enum class Type { integer, real, choice };

struct Setting {  // one value of one parameter
  Type type = Type::integer;
  std::int64_t integer = 0;
  double real = 0;   // set for integers as well
  std::string text;  // as it is written: 8190, 0.5, latency
};

struct Parameter {
  std::string name;
  std::vector<Setting> values;
};

struct CaseSettings {  // one value of every parameter, in the record's order
  std::vector<std::pair<std::string, Setting>> values;

  // Folders, which are in no case's parameters: the same for all cases of a launch.
  std::vector<std::pair<std::string, std::string>> paths = {};

  const Setting& at(std::string_view name) const;        // InputFault where there is none of this name
  const std::string& path(std::string_view name) const;  // the same
};

struct Options {
  enum class Action { run, record, help };
  Action action = Action::run;
  std::string profile = "standard";
  double slice = 0.1;  // measured seconds of a case in a block
  std::int64_t blocks = 8;
  std::optional<std::int64_t> batch, repetitions;
  std::uint64_t seed = 1;
  std::int64_t launch = 0;
  std::string out;                        // "" is standard output
  std::string subfolder;                  // NAME:TOKEN of a folder of this launch's own (files/own_folder.hpp)
  std::vector<std::string> metrics;       // that the record names; empty: nothing was resolved
  std::vector<std::string> needs;         // tables that a simulated machine's description must have
  bool host = false, or_nothing = false;  // one process more, for the host; nothing to measure is no failure
  bool verify = false;                    // on a simulated machine: with data, and checked, whatever that takes
  bool unchecked = false;                 // the opposite: applications for their times alone
  bool timeline = false;                  // of an application over MPI: its calls over time
  std::vector<CaseSettings> cases{{}};    // the product of all parameters' values, the last one running fastest
};

// Gives a name to a list of values that only this machine can fill, such as counts of threads: an integer parameter's
// value may be the name, which is replaced by the list.
bool name_values(std::string name, std::function<std::vector<std::int64_t>()> values);

// The same for a choice: the word is replaced by the list, and stays where that is empty.
bool name_choices(std::string name, std::function<std::vector<std::string>()> choices);

// The product of the parameters' values.
std::vector<CaseSettings> cases_of(const std::vector<Parameter>& parameters);

Options parse_options(int argc, const char* const* argv);

// The name that a record gives its program; "program" where it gives none. No more of a record is read.
std::string name_of(std::string_view record);

// What --help prints: the options, `more` of them, and the record itself.
std::string help_text(std::string_view record, std::string_view more = "");

// What a program says that was started without its parameters' values.
std::string unresolved(std::string_view record);

// Of a value that the record accepts and the program cannot take:
// "parameter size: is no power of two; got '3', expected powers of two".
InputFault refused_value(std::string_view parameter, std::string_view problem, std::string_view seen,
                         std::string_view accepted);
InputFault refused_value(std::string_view parameter, std::string_view problem, std::int64_t seen,
                         std::string_view accepted);

// The value of an option, between bounds; InputFault otherwise.
double option_number(std::string_view name, std::string_view text, double min, double max, bool whole);

}  // namespace assay::timing
