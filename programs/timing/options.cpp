#include "timing/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace assay::timing {
namespace {

std::vector<std::pair<std::string, std::function<std::vector<std::int64_t>()>>>& named_values() {
  static std::vector<std::pair<std::string, std::function<std::vector<std::int64_t>()>>> all;
  return all;
}

std::vector<std::pair<std::string, std::function<std::vector<std::string>()>>>& named_choices() {
  static std::vector<std::pair<std::string, std::function<std::vector<std::string>()>>> all;
  return all;
}

// A number that takes up the whole text; no infinities, no NaN.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

Setting integer_setting(std::int64_t value) {
  return {Type::integer, value, static_cast<double>(value), std::to_string(value)};
}

// Appends the values of one word of a parameter: itself, or the list of this name.
void append(Parameter& parameter, Type type, const std::string& word) {
  if (type == Type::choice) {
    const auto named = std::ranges::find(named_choices(), word, [](const auto& each) { return each.first; });
    std::vector<std::string> texts;
    if (named != named_choices().end()) texts = named->second();
    for (const std::string& text : texts.empty() ? std::vector{word} : texts)
      parameter.values.push_back({type, 0, 0, text});
    return;
  }
  if (type == Type::real) {
    if (const auto value = whole_number<double>(word)) return parameter.values.push_back({type, 0, *value, word});
    throw InputFault("parameter '" + parameter.name + "': '" + word + "'; expected a number");
  }
  if (const auto value = whole_number<std::int64_t>(word)) return parameter.values.push_back(integer_setting(*value));
  for (const auto& [name, values] : named_values()) {
    if (name != word) continue;
    for (const std::int64_t value : values()) parameter.values.push_back(integer_setting(value));
    return;
  }
  throw InputFault("parameter '" + parameter.name + "': '" + word +
                   "'; expected an integer, or the name of a list that this program fills");
}

// `text` is NAME=VALUE[,VALUE...].
Parameter parameter_of(Type type, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    throw InputFault("parameter '" + std::string(text) + "'; expected NAME=VALUE[,VALUE...]");
  Parameter parameter{std::string(text.substr(0, equals)), {}};
  for (const std::string& word : split(text.substr(equals + 1))) append(parameter, type, word);
  for (const Setting& value : parameter.values)
    if (std::ranges::count(parameter.values, value.text, &Setting::text) > 1)
      throw InputFault("parameter '" + parameter.name + "': '" + value.text + "' is given twice in '" +
                       std::string(text.substr(equals + 1)) + "'; expected each value once");
  if (parameter.values.empty()) throw InputFault("parameter '" + parameter.name + "': no value");
  return parameter;
}

}  // namespace

const Setting& CaseSettings::at(std::string_view name) const {
  for (const auto& [key, setting] : values)
    if (key == name) return setting;
  throw InputFault("the record has no parameter '" + std::string(name) + "' that the program reads");
}

const std::string& CaseSettings::path(std::string_view name) const {
  for (const auto& [key, folder] : paths)
    if (key == name) return folder;
  throw InputFault("no folder was given as '" + std::string(name) + "'; expected --path " + std::string(name) +
                   "=FOLDER");
}

InputFault refused_value(std::string_view parameter, std::string_view problem, std::string_view seen,
                         std::string_view accepted) {
  std::string text = "parameter ";
  text.append(parameter).append(": ").append(problem).append("; got '").append(seen);
  return InputFault(text.append("', expected ").append(accepted));
}

InputFault refused_value(std::string_view parameter, std::string_view problem, std::int64_t seen,
                         std::string_view accepted) {
  return refused_value(parameter, problem, std::to_string(seen), accepted);
}

double option_number(std::string_view name, std::string_view text, double min, double max, bool whole) {
  const double seen = whole_number<double>(text).value_or(NAN);
  if (!(seen >= min && seen <= max) || (whole && !whole_number<std::int64_t>(text))) {
    char bounds[80];
    std::snprintf(bounds, sizeof bounds, "%s from %g to %g", whole ? "an integer" : "a number", min, max);
    throw InputFault("option " + std::string(name) + ": '" + std::string(text) + "'; expected " + bounds);
  }
  return seen;
}

bool name_values(std::string name, std::function<std::vector<std::int64_t>()> values) {
  named_values().emplace_back(std::move(name), std::move(values));
  return true;
}

bool name_choices(std::string name, std::function<std::vector<std::string>()> choices) {
  named_choices().emplace_back(std::move(name), std::move(choices));
  return true;
}

std::vector<CaseSettings> cases_of(const std::vector<Parameter>& parameters) {
  std::vector<CaseSettings> cases{{}};
  for (const Parameter& parameter : parameters) {
    std::vector<CaseSettings> wider;
    for (const CaseSettings& settings : cases)
      for (const Setting& value : parameter.values) {
        wider.push_back(settings);
        wider.back().values.emplace_back(parameter.name, value);
      }
    cases = std::move(wider);
  }
  return cases;
}

Options parse_options(int argc, const char* const* argv) {
  Options options;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, std::string>> paths;
  const auto add_path = [&](std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size())
      throw InputFault("option --path: '" + std::string(text) + "'; expected NAME=FOLDER");
    paths.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  };
  const auto add = [&](Type type, std::string_view text) {
    parameters.push_back(parameter_of(type, text));
    if (std::ranges::count(parameters, parameters.back().name, &Parameter::name) > 1)
      throw InputFault("parameter '" + parameters.back().name + "' is given twice; expected once");
  };
  const std::vector<std::pair<std::string_view, std::function<void(std::string_view)>>> known = {
      {"--integer", [&](std::string_view text) { add(Type::integer, text); }},
      {"--real", [&](std::string_view text) { add(Type::real, text); }},
      {"--choice", [&](std::string_view text) { add(Type::choice, text); }},
      {"--path", add_path},
      {"--subfolder", [&](std::string_view text) { options.subfolder = text; }},
      {"--metrics", [&](std::string_view text) { options.metrics = split(text); }},
      {"--needs", [&](std::string_view text) { options.needs = split(text); }},
      {"--profile", [&](std::string_view text) { options.profile = text; }},
      {"--slice", [&](std::string_view text) { options.slice = option_number("--slice", text, 0, 3600, false); }},
      {"--blocks", [&](std::string_view text) { options.blocks = option_number("--blocks", text, 1, 10000, true); }},
      {"--batch", [&](std::string_view text) { options.batch = option_number("--batch", text, 1, 1e12, true); }},
      {"--seed", [&](std::string_view text) { options.seed = option_number("--seed", text, 0, 9e15, true); }},
      {"--launch", [&](std::string_view text) { options.launch = option_number("--launch", text, 0, 1e9, true); }},
      {"--repetitions",
       [&](std::string_view text) { options.repetitions = option_number("--repetitions", text, 1, 1e6, true); }},
      {"--out", [&](std::string_view text) { options.out = text; }},
  };
  for (int at = 1; at < argc; ++at) {
    const std::string_view word = argv[at];
    if (word == "--host") {
      options.host = true;
    } else if (word == "--or-nothing") {
      options.or_nothing = true;
    } else if (word == "--verify") {
      options.verify = true;
    } else if (word == "--unchecked") {
      options.unchecked = true;
    } else if (word == "--timeline") {
      options.timeline = true;
    } else if (word == "--record") {
      options.action = Options::Action::record;
    } else if (word == "--help" || word == "-h") {
      options.action = Options::Action::help;
    } else {
      const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
      const std::string_view name = word.substr(0, equals);
      const auto option = std::ranges::find_if(known, [&](const auto& entry) { return entry.first == name; });
      if (option == known.end()) {
        std::string names = "--record, --help, --host, --or-nothing, --verify, --unchecked, --timeline";
        for (const auto& entry : known) names += ", " + std::string(entry.first);
        throw InputFault("option '" + std::string(word) + "' is not known; expected " + names);
      }
      if (equals == std::string_view::npos && at + 1 == argc)
        throw InputFault("option " + std::string(name) + ": its value is missing");
      option->second(equals == std::string_view::npos ? std::string_view(argv[++at]) : word.substr(equals + 1));
    }
  }
  if (options.profile != "quick" && options.profile != "standard" && options.profile != "full")
    throw InputFault("option --profile: '" + options.profile + "'; expected quick, standard, full");
  options.cases = cases_of(parameters);
  for (CaseSettings& settings : options.cases) settings.paths = paths;
  return options;
}

std::string name_of(std::string_view record) {
  const auto skip = [](std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  };
  while (!record.empty()) {
    std::string_view line = record.substr(0, record.find('\n'));
    record.remove_prefix(std::min(line.size() + 1, record.size()));
    skip(line);
    if (!line.starts_with("name")) continue;
    line.remove_prefix(4);
    skip(line);
    if (!line.starts_with('=')) continue;
    line.remove_prefix(1);
    skip(line);
    if (line.starts_with('"')) return std::string(line.substr(1, line.find('"', 1) - 1));
  }
  return "program";
}

std::string unresolved(std::string_view record) {
  const std::string name = name_of(record);
  return "no parameters given; expected `assay run " + name + "`, which starts it with them (--help shows its record)";
}

std::string help_text(std::string_view record, std::string_view more) {
  const std::string name = name_of(record);
  return "usage: assay run " + name + " [--set KEY=VALUE[,VALUE...]]\n\n" + name +
         " is started by Assay with the values of all parameters of its record, shown below.\n"
         "\noptions:\n"
         "  --integer|--real|--choice NAME=VALUE[,VALUE...]\n"
         "                                 a parameter's values; cases are the product of all, the last one fastest\n"
         "  --path NAME=FOLDER             a folder, which is no part of the cases\n"
         "  --subfolder NAME:TOKEN         the folder to make in there, and what marks it as ours\n"
         "  --metrics NAME[,NAME...]       what the record says is sampled\n"
         "  --profile quick|standard|full  the profile that the values are of (standard)\n"
         "  --slice SECONDS                measured time of a case in a block\n"
         "  --blocks N                     blocks of each case, spread over the launch in random order\n"
         "  --batch N                      operations that one reading of the clock covers (default: calibrated)\n"
         "  --repetitions N                readings of a block, in place of a slice\n"
         "  --seed N                       order of the cases, alignment of buffers\n"
         "  --launch N                     label of this launch\n"
         "  --out FILE                     append the JSON lines there (default: standard output)\n"
         "  --needs TABLE[,TABLE...]       tables that a simulated machine's description must have\n"
         "  --host                         start one more process, as the host\n"
         "  --or-nothing                   nothing to measure on this machine is no failure\n" +
         std::string(more) +
         "  --record                       print the record (TOML)\n"
         "\nexit status: 0 good, 1 a measurement or a check failed, 2 the command line is wrong\n"
         "\nrecord:\n" +
         std::string(record);
}

}  // namespace assay::timing
