#include "network/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace assay::network {
namespace {

std::string real_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::integer:
      return "an integer";
    case Kind::number:
      return "a number";
    case Kind::flag:
      return "true or false";
    case Kind::text:
      return "a text";
    case Kind::integers:
      return "a list of integers";
    case Kind::pairs:
      return "a list of pairs of integers";
    case Kind::table:
      return "a table";
  }
  return "";
}

struct Printer {
  std::string operator()(std::monostate) const { return "nothing"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return '"' + value + '"'; }
  std::string operator()(const Value::List& value) const {
    std::string out = "[";
    for (const auto& item : value) out += (out.size() > 1 ? ", " : "") + item.text();
    return out + "]";
  }
  std::string operator()(const Table& value) const {
    std::string out = "{";
    for (const auto& [key, item] : value) out += (out.size() > 1 ? ", " : "") + key + " = " + item.text();
    return out + "}";
  }
};

bool is_integer(const Value& value) { return std::holds_alternative<std::int64_t>(value.held); }

bool in_bounds(const Parameter& parameter, const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value.held);
  const double number = whole ? static_cast<double>(*whole) : std::get<double>(value.held);
  return std::isfinite(number) && number >= parameter.minimum && number <= parameter.maximum;
}

bool is_pair(const Value& value) {
  const auto* pair = std::get_if<Value::List>(&value.held);
  return pair && pair->size() == 2 && is_integer((*pair)[0]) && is_integer((*pair)[1]);
}

bool fits(const Parameter& parameter, const Value& value) {
  const auto* list = std::get_if<Value::List>(&value.held);
  switch (parameter.kind) {
    case Kind::integer:
      return is_integer(value) && in_bounds(parameter, value);
    case Kind::number:
      return (is_integer(value) || std::holds_alternative<double>(value.held)) && in_bounds(parameter, value);
    case Kind::flag:
      return std::holds_alternative<bool>(value.held);
    case Kind::text: {
      const auto* word = std::get_if<std::string>(&value.held);
      const auto& words = parameter.accepted;
      return word && (words.empty() || std::find(words.begin(), words.end(), *word) != words.end());
    }
    case Kind::integers:
      return list && std::all_of(list->begin(), list->end(),
                                 [&](const Value& item) { return is_integer(item) && in_bounds(parameter, item); });
    case Kind::pairs:
      return list && std::all_of(list->begin(), list->end(), is_pair);
    case Kind::table:
      return std::holds_alternative<Table>(value.held);
  }
  return false;
}

}  // namespace

ParameterError ParameterError::missing(std::string key, std::string expected) {
  return {std::move(key), Refusal::missing, "is missing", {}, std::move(expected)};
}
ParameterError ParameterError::unknown(std::string key, std::string expected) {
  return {std::move(key), Refusal::unknown_key, "there is no such key", {}, std::move(expected)};
}
ParameterError ParameterError::not_accepted(std::string key, Value value, std::string expected) {
  const std::string problem = "is not accepted; got " + value.text() + ", expected " + expected;
  return {std::move(key), Refusal::not_accepted, problem, std::move(value), std::move(expected)};
}
ParameterError ParameterError::no_link(std::string key, std::int64_t from, std::int64_t to) {
  return {std::move(key), Refusal::no_link, "no link joins these two routers", Value(Value::List{from, to})};
}

std::string Value::text() const { return std::visit(Printer{}, held); }

std::string Parameter::accepts() const {
  std::string out;
  if (accepted.empty()) {
    out = kind_text(kind);
  } else {
    for (const auto& word : accepted) out += (out.empty() ? "" : ", ") + ('"' + word + '"');
    out = (accepted.size() > 1 ? "one of " : "") + out;
  }
  if (kind != Kind::integer && kind != Kind::number && kind != Kind::integers) return out;
  const bool low = std::isfinite(minimum), high = std::isfinite(maximum);
  if (low && high) {
    out += " from " + real_text(minimum) + " to " + real_text(maximum);
  } else if (low) {
    out += " of at least " + real_text(minimum);
  } else if (high) {
    out += " of at most " + real_text(maximum);
  }
  return out;
}

Settings Settings::resolve(const Table& given, const std::vector<Parameter>& parameters, std::string prefix) {
  Settings settings;
  settings.prefix_ = std::move(prefix);
  for (const auto& parameter : parameters) {
    const auto found = given.find(parameter.name);
    if (found == given.end() || found->second.absent()) {
      if (parameter.fallback.absent() && !parameter.optional)
        throw ParameterError::missing(settings.prefix_ + parameter.name,
                                      parameter.accepts() + " (" + parameter.description + ")");
      settings.values_[parameter.name] = parameter.fallback;
      continue;
    }
    if (!fits(parameter, found->second))
      throw ParameterError::not_accepted(settings.prefix_ + parameter.name, found->second, parameter.accepts());
    settings.values_[parameter.name] = found->second;
  }
  for (const auto& [key, value] : given) {
    if (settings.values_.contains(key)) continue;
    std::string known;
    for (const auto& parameter : parameters) known += (known.empty() ? "" : ", ") + parameter.name;
    throw ParameterError::unknown(settings.prefix_ + key, known);
  }
  return settings;
}

const Value& Settings::at(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) throw std::logic_error("no parameter " + key + " was declared");
  return found->second;
}
bool Settings::has(const std::string& key) const {
  const auto found = values_.find(key);
  return found != values_.end() && !found->second.absent();
}
std::int64_t Settings::integer(const std::string& key) const { return std::get<std::int64_t>(at(key).held); }
bool Settings::flag(const std::string& key) const { return std::get<bool>(at(key).held); }
const std::string& Settings::text(const std::string& key) const { return std::get<std::string>(at(key).held); }
const Table& Settings::table(const std::string& key) const { return std::get<Table>(at(key).held); }
double Settings::number(const std::string& key) const {
  const auto& value = at(key);
  return is_integer(value) ? static_cast<double>(std::get<std::int64_t>(value.held)) : std::get<double>(value.held);
}
std::vector<std::int64_t> Settings::integers(const std::string& key) const {
  std::vector<std::int64_t> out;
  if (has(key))
    for (const auto& item : std::get<Value::List>(at(key).held)) out.push_back(std::get<std::int64_t>(item.held));
  return out;
}
std::vector<std::pair<std::int64_t, std::int64_t>> Settings::pairs(const std::string& key) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  if (!has(key)) return out;
  for (const auto& item : std::get<Value::List>(at(key).held)) {
    const auto& pair = std::get<Value::List>(item.held);
    out.emplace_back(std::get<std::int64_t>(pair[0].held), std::get<std::int64_t>(pair[1].held));
  }
  return out;
}
ParameterError Settings::wrong(const std::string& key, const std::string& message) const {
  return {prefix_ + key, message};
}
ParameterError Settings::no_link(const std::string& key, std::int64_t from, std::int64_t to) const {
  return ParameterError::no_link(prefix_ + key, from, to);
}

}  // namespace assay::network
