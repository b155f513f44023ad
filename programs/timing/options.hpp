// The command line that a record gives its program: parameters with bounds and defaults by profile, sweeps that become
// cases, and the options that every program has. Whatever is not accepted is an InputFault of one line.
#pragma once

#include <functional>

#include "timing/record.hpp"

namespace assay::timing {

enum class Type { integer, real, choice };

struct Setting {  // one value of one parameter
  Type type = Type::integer;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  // as it is written: 8190, 0.5, latency
};

struct Parameter {
  std::string name, unit, help;
  Type type = Type::integer;
  std::optional<double> min, max;
  std::vector<std::string> choices;
  std::vector<std::string> words;  // names of lists that this machine fills: see name_values
  bool sweep = false;
  std::vector<Setting> defaults;  // those of the profile asked for
};

struct CaseSettings {  // one value of every parameter, in the record's order
  std::vector<std::pair<std::string, Setting>> values;

  const Setting& at(std::string_view name) const;  // InputFault where there is none of this name
};

struct Options {
  enum class Action { run, record, help };
  Action action = Action::run;
  std::string profile = "standard";
  double slice = 0;  // measured seconds a case a block
  std::int64_t blocks = 0;
  std::optional<std::int64_t> batch, repetitions;
  std::uint64_t seed = 1;
  std::int64_t launch = 0;
  std::string out;                   // "" is standard output
  std::vector<std::string> metrics;  // that the record names
  std::vector<Parameter> parameters;
  std::vector<CaseSettings> cases;  // the product of all sweeps, the last parameter running fastest
};

// Gives a name to a list of values that only this machine can fill, such as counts of its processors: a parameter whose
// record has `words = ["NAME"]` takes the name for the list.
bool name_values(std::string name, std::function<std::vector<std::int64_t>()> values);

// The product of the parameters' values.
std::vector<CaseSettings> cases_of(const std::vector<Parameter>& parameters);

Options parse_options(const Record& record, int argc, const char* const* argv, bool described = false);

// What --help prints: the record for people.
std::string help_text(const Record& record, const Options& options);

namespace reading {

// The value of an option, between bounds; InputFault otherwise.
double option_number(std::string_view name, std::string_view text, double min, double max, bool whole);

}  // namespace reading

}  // namespace assay::timing
