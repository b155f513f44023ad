#include "timing/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace assay::timing {

const Setting& CaseSettings::at(std::string_view name) const {
  for (const auto& [key, setting] : values)
    if (key == name) return setting;
  throw InputFault("the record has no parameter '" + std::string(name) + "' that the program reads");
}

namespace reading {

double option_number(std::string_view name, std::string_view text, double min, double max, bool whole) {
  const std::optional<Value> value = number(text);
  const double seen = value ? value->real : NAN;
  if (!value || seen < min || seen > max || !std::isfinite(seen) || (whole && value->kind != Value::Kind::integer)) {
    char bounds[80];
    std::snprintf(bounds, sizeof bounds, "%s from %g to %g", whole ? "an integer" : "a number", min, max);
    throw InputFault("option " + std::string(name) + ": '" + std::string(text) + "'; accepted: " + bounds);
  }
  return seen;
}

}  // namespace reading

namespace {

std::vector<std::pair<std::string, std::function<std::vector<std::int64_t>()>>>& named_values() {
  static std::vector<std::pair<std::string, std::function<std::vector<std::int64_t>()>>> all;
  return all;
}

std::string accepted(const Parameter& parameter) {
  if (parameter.type == Type::choice) {
    std::string all = "one of";
    for (const std::string& choice : parameter.choices) all += (all.size() > 6 ? ", " : " ") + choice;
    return all;
  }
  const auto bound = [](double value) {
    char text[32];
    if (std::abs(value) < 9e15 && value == std::floor(value)) return std::to_string(static_cast<std::int64_t>(value));
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  };
  std::string text = parameter.type == Type::integer ? "an integer" : "a number";
  if (parameter.min) text += " from " + bound(*parameter.min);
  if (parameter.max) text += (parameter.min ? " to " : " up to ") + bound(*parameter.max);
  if (parameter.unit != "1" && !parameter.unit.empty()) text += " " + parameter.unit;
  for (const std::string& word : parameter.words) text += ", or " + word;
  return text;
}

Setting setting(const Parameter& parameter, std::string_view text) {
  const auto refuse = [&](const char* why) {
    throw InputFault("parameter '" + parameter.name + "': '" + std::string(text) + "' " + why +
                     "; accepted: " + accepted(parameter));
  };
  Setting result{parameter.type, 0, 0, std::string(text)};
  if (parameter.type == Type::choice) {
    if (std::ranges::find(parameter.choices, text) == parameter.choices.end()) refuse("is none of the choices");
    return result;
  }
  std::string_view digits = text;
  std::int64_t scale = 1;
  if (parameter.unit == "B") {  // sizes may be written 8KiB, 4MiB, 1GiB
    constexpr std::pair<std::string_view, std::int64_t> prefixes[] = {
        {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    for (const auto& [prefix, factor] : prefixes)
      if (digits.ends_with(prefix)) {
        digits.remove_suffix(prefix.size());
        scale = factor;
      }
  }
  const std::optional<Value> value = reading::number(digits);
  if (!value) refuse("is not a number");
  result.real = value->real * static_cast<double>(scale);
  if (!std::isfinite(result.real)) refuse("is not finite");
  if (parameter.type == Type::integer) {
    if (result.real != std::floor(result.real) || std::abs(result.real) > 9e18) refuse("is not an integer");
    result.integer = value->kind == Value::Kind::integer ? value->integer * scale : std::llround(result.real);
    result.text = std::to_string(result.integer);
  }
  if (parameter.min && result.real < *parameter.min) refuse("is too small");
  if (parameter.max && result.real > *parameter.max) refuse("is too large");
  return result;
}

// The values that one word stands for: itself, or the list of this name.
void append(Parameter& parameter, std::string_view text) {
  if (std::ranges::find(parameter.words, text) == parameter.words.end())
    return parameter.defaults.push_back(setting(parameter, text));
  for (const auto& [name, values] : named_values())
    if (name == text) {
      for (const std::int64_t value : values()) parameter.defaults.push_back(setting(parameter, std::to_string(value)));
      return;
    }
  throw InputFault("record, parameter '" + parameter.name + "': this program has no list '" + std::string(text) + "'");
}

// A parameter's defaults: those for described machines where it has such and they are asked for, else the profile's.
std::vector<Parameter> parameters(const Record& record, const std::string& profile, bool described) {
  std::vector<Parameter> all;
  for (const auto& [name, section] : record.all("parameter")) {
    Parameter parameter{name,
                        section->text("unit", "1"),
                        section->text("help"),
                        Type::integer,
                        section->number("min"),
                        section->number("max"),
                        {},
                        {},
                        section->truth("sweep"),
                        {}};
    const std::string type = section->text("type");
    if (type != "integer" && type != "real" && type != "choice")
      throw InputFault("record, parameter '" + name + "': type '" + type + "'; accepted: integer, real, choice");
    parameter.type = type == "integer" ? Type::integer : type == "real" ? Type::real : Type::choice;
    if (const Value* choices = section->find("choices"))
      for (const Value& choice : choices->list) parameter.choices.push_back(choice.text);
    if (const Value* words = section->find("words"))
      for (const Value& word : words->list) parameter.words.push_back(word.text);
    const Value* values = described ? section->find("described") : nullptr;
    if (!values) values = section->find(profile);
    if (!values) values = section->find("default");
    if (!values) throw InputFault("record, parameter '" + name + "': no default");
    for (const Value& value : values->kind == Value::Kind::list ? values->list : std::vector<Value>{*values})
      append(parameter, value.text);
    if (parameter.defaults.empty()) throw InputFault("record, parameter '" + name + "': its default is an empty list");
    all.push_back(std::move(parameter));
  }
  return all;
}

}  // namespace

bool name_values(std::string name, std::function<std::vector<std::int64_t>()> values) {
  named_values().emplace_back(std::move(name), std::move(values));
  return true;
}

std::vector<CaseSettings> cases_of(const std::vector<Parameter>& parameters) {
  std::vector<CaseSettings> cases{{}};
  for (const Parameter& parameter : parameters) {
    std::vector<CaseSettings> wider;
    for (const CaseSettings& settings : cases)
      for (const Setting& value : parameter.defaults) {
        wider.push_back(settings);
        wider.back().values.emplace_back(parameter.name, value);
      }
    cases = std::move(wider);
  }
  return cases;
}

Options parse_options(const Record& record, int argc, const char* const* argv, bool described) {
  Options options;
  std::vector<std::string> sets;
  std::optional<double> slice;
  std::optional<std::int64_t> blocks;
  const std::vector<std::pair<std::string_view, std::function<void(std::string_view)>>> known = {
      {"--set", [&](std::string_view text) { sets.emplace_back(text); }},
      {"--profile", [&](std::string_view text) { options.profile = text; }},
      {"--slice", [&](std::string_view text) { slice = reading::option_number("--slice", text, 0, 3600, false); }},
      {"--blocks", [&](std::string_view text) { blocks = reading::option_number("--blocks", text, 1, 10000, true); }},
      {"--batch",
       [&](std::string_view text) { options.batch = reading::option_number("--batch", text, 1, 1e12, true); }},
      {"--seed", [&](std::string_view text) { options.seed = reading::option_number("--seed", text, 0, 9e15, true); }},
      {"--launch",
       [&](std::string_view text) { options.launch = reading::option_number("--launch", text, 0, 1e9, true); }},
      {"--repetitions",
       [&](std::string_view text) {
         options.repetitions = reading::option_number("--repetitions", text, 1, 1e6, true);
       }},
      {"--out", [&](std::string_view text) { options.out = text; }},
  };
  for (int at = 1; at < argc; ++at) {
    std::string_view word = argv[at];
    if (word == "--record" || word == "--help" || word == "-h") {
      options.action = word == "--record" ? Options::Action::record : Options::Action::help;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const std::string_view name = word.substr(0, equals);
    const auto option = std::ranges::find_if(known, [&](const auto& entry) { return entry.first == name; });
    if (option == known.end()) {
      std::string names = "--record, --help";
      for (const auto& entry : known) names += ", " + std::string(entry.first);
      throw InputFault("option '" + std::string(word) + "' is not known; accepted: " + names);
    }
    if (equals != std::string_view::npos) {
      option->second(word.substr(equals + 1));
    } else if (++at < argc) {
      option->second(argv[at]);
    } else {
      throw InputFault("option " + std::string(name) + ": its value is missing");
    }
  }
  if (options.profile != "quick" && options.profile != "standard" && options.profile != "full")
    throw InputFault("option --profile: '" + options.profile + "'; accepted: quick, standard, full");
  for (const auto& [name, _] : record.all("metric")) options.metrics.push_back(name);
  options.parameters = parameters(record, options.profile, described);
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) throw InputFault("option --set: '" + set + "'; accepted: KEY=VALUE[,VALUE...]");
    const std::string key = set.substr(0, equals);
    const auto parameter =
        std::ranges::find_if(options.parameters, [&](const Parameter& each) { return each.name == key; });
    if (parameter == options.parameters.end()) {
      std::string names;
      for (const Parameter& each : options.parameters) names += (names.empty() ? "" : ", ") + each.name;
      throw InputFault("option --set: no parameter '" + key + "' (value '" + set.substr(equals + 1) +
                       "'); accepted: " + (names.empty() ? "none, this program has no parameters" : names));
    }
    parameter->defaults.clear();
    for (std::size_t from = equals + 1; from <= set.size();) {
      const std::size_t to = std::min(set.find(',', from), set.size());
      append(*parameter, reading::trim(std::string_view(set).substr(from, to - from)));
      from = to + 1;
    }
    for (const Setting& value : parameter->defaults)
      if (std::ranges::count(parameter->defaults, value.text, &Setting::text) > 1)
        throw InputFault("parameter '" + key + "': '" + value.text + "' stands twice in '" + set.substr(equals + 1) +
                         "'; accepted: each value once");
    if (parameter->defaults.size() > 1 && !parameter->sweep)
      throw InputFault("parameter '" + key + "': '" + set.substr(equals + 1) + "' is a list; accepted: one value");
  }
  const double quick = options.profile == "quick" ? 0.02 : options.profile == "full" ? 0.5 : 0.1;
  options.slice = slice.value_or(record.top().number("slice_" + options.profile).value_or(quick));
  const double rounds = record.top().number("blocks_" + options.profile).value_or(options.profile == "quick" ? 4 : 8);
  options.blocks = blocks.value_or(static_cast<std::int64_t>(rounds));
  options.cases = cases_of(options.parameters);
  return options;
}

std::string help_text(const Record& record, const Options& options) {
  const Section& top = record.top();
  std::string text = top.text("name") + ": " + top.text("summary", top.text("title")) + "\n";
  for (const char* key : {"source", "cost", "check"})
    if (top.find(key)) text += std::string("  ") + key + ": " + top.text(key) + "\n";
  if (!options.parameters.empty()) text += "\nparameters (--set KEY=VALUE, those marked * take VALUE,VALUE,...):\n";
  for (const Parameter& parameter : options.parameters) {
    text += "  " + parameter.name + (parameter.sweep ? "*" : "") + "  " + parameter.help + "\n      " +
            accepted(parameter) + "; " + options.profile + ":";
    for (const Setting& value : parameter.defaults) text += " " + value.text;
    text += "\n";
  }
  text += "\nmeasures:\n";
  for (const char* kind : {"metric", "figure"})
    for (const auto& [name, section] : record.all(kind))
      text += "  " + name + " (" + kind + ", " + section->text("unit") + ")  " + section->text("help") + "\n";
  text +=
      "\noptions:\n"
      "  --profile quick|standard|full  defaults to use (standard)\n"
      "  --slice SECONDS                measured time of a case in a block\n"
      "  --blocks N                     blocks of each case, spread over the launch in random order\n"
      "  --batch N                      operations that one reading of the clock covers (default: calibrated)\n"
      "  --repetitions N                readings of a block, in place of a slice\n"
      "  --seed N                       order of the cases, alignment of buffers\n"
      "  --launch N                     label of this launch\n"
      "  --out FILE                     append the JSON lines there (default: standard output)\n"
      "  --record                       print the record (TOML)\n"
      "\nexit status: 0 good, 1 a measurement or a check failed, 2 the command line is wrong\n";
  return text;
}

}  // namespace assay::timing
