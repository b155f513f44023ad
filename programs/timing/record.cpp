#include "timing/record.hpp"

#include <algorithm>
#include <charconv>

namespace assay::timing {

const Value* Section::find(std::string_view key) const {
  for (const auto& [name_, value] : keys)
    if (name_ == key) return &value;
  return nullptr;
}
std::string Section::text(std::string_view key, std::string otherwise) const {
  const Value* value = find(key);
  return value ? value->text : std::move(otherwise);
}
bool Section::truth(std::string_view key) const {
  const Value* value = find(key);
  return value && value->truth;
}
std::optional<double> Section::number(std::string_view key) const {
  const Value* value = find(key);
  return value && value->number() ? std::optional(value->real) : std::nullopt;
}

std::vector<std::pair<std::string, const Section*>> Record::all(std::string_view kind) const {
  std::vector<std::pair<std::string, const Section*>> found;
  for (const Section& section : sections)
    if (section.name.size() > kind.size() && section.name.starts_with(kind) && section.name[kind.size()] == '.')
      found.emplace_back(section.name.substr(kind.size() + 1), &section);
  return found;
}

namespace reading {

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::optional<Value> number(std::string_view text) {
  Value value;
  value.text = text;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const char* end = digits.data() + digits.size();
  if (digits.empty()) return std::nullopt;
  if (auto [at, error] = std::from_chars(digits.data(), end, value.integer); error == std::errc() && at == end) {
    value.kind = Value::Kind::integer;
    value.real = static_cast<double>(value.integer);
    return value;
  }
  if (digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;  // no inf, nan, hex
  if (auto [at, error] = std::from_chars(digits.data(), end, value.real); error == std::errc() && at == end) {
    value.kind = Value::Kind::real;
    return value;
  }
  return std::nullopt;
}

}  // namespace reading

namespace {

using namespace reading;

[[noreturn]] void fault(int line, const std::string& what) {
  throw InputFault("record, line " + std::to_string(line) + ": " + what);
}

// Reads one value from the front of `rest` and takes it off.
Value value(std::string_view& rest, int line) {
  rest = trim(rest);
  Value result;
  if (rest.starts_with('"')) {
    std::size_t at = 1;
    for (; at < rest.size() && rest[at] != '"'; ++at) {
      if (rest[at] == '\\' && at + 1 < rest.size()) {
        const char escaped = rest[++at];
        if (escaped != '"' && escaped != '\\' && escaped != 'n') fault(line, std::string("escape \\") + escaped);
        result.text += escaped == 'n' ? '\n' : escaped;
      } else {
        result.text += rest[at];
      }
    }
    if (at >= rest.size()) fault(line, "a string without its closing quote");
    rest.remove_prefix(at + 1);
    return result;
  }
  if (rest.starts_with('[')) {
    result.kind = Value::Kind::list;
    rest = trim(rest.substr(1));
    while (!rest.starts_with(']')) {
      result.list.push_back(value(rest, line));
      rest = trim(rest);
      if (rest.starts_with(',')) {
        rest = trim(rest.substr(1));
      } else if (!rest.starts_with(']')) {
        fault(line, "a list without its closing bracket on the same line");
      }
    }
    rest.remove_prefix(1);
    return result;
  }
  const std::string_view word = trim(rest.substr(0, rest.find_first_of(",]#")));
  rest.remove_prefix(std::min(rest.size(), rest.find(word) + word.size()));
  if (word == "true" || word == "false") {
    result.kind = Value::Kind::truth;
    result.truth = word == "true";
    result.text = word;
    return result;
  }
  if (auto found = number(word)) return *found;
  fault(line, "'" + std::string(word) + "' is not a string, a number, true, false or a list of these");
}

Record sections_of(std::string_view text) {
  Record record{{Section{}}};
  int line = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    std::string_view rest = trim(text.substr(from, to - from));
    from = to + 1;
    ++line;
    if (rest.empty() || rest.starts_with('#')) continue;
    if (rest.starts_with('[')) {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos) fault(line, "a section header without its closing bracket");
      const std::string name(trim(rest.substr(1, close - 1)));
      for (const Section& section : record.sections)
        if (section.name == name) fault(line, "section [" + name + "] stands twice");
      record.sections.push_back({name, {}});
      rest.remove_prefix(close + 1);
    } else {
      const std::size_t equals = rest.find('=');
      if (equals == std::string_view::npos) fault(line, "neither 'key = value' nor '[section]'");
      const std::string key(trim(rest.substr(0, equals)));
      if (record.sections.back().find(key)) fault(line, "key '" + key + "' stands twice");
      rest.remove_prefix(equals + 1);
      record.sections.back().keys.emplace_back(key, value(rest, line));
    }
    rest = trim(rest);
    if (!rest.empty() && !rest.starts_with('#')) fault(line, "'" + std::string(rest) + "' after the value");
  }
  return record;
}

struct Fragment {
  std::string_view header, text;
};

std::vector<Fragment>& fragments() {
  static std::vector<Fragment> all;
  return all;
}

void take_shared(Section& section) {
  const auto from = std::ranges::find(section.keys, "from", [](const auto& key) { return key.first; });
  if (from == section.keys.end()) return;
  const std::string header = from->second.text;
  section.keys.erase(from);
  for (const Fragment& fragment : fragments()) {
    if (fragment.header != header) continue;
    for (const Section& shared : sections_of(fragment.text).sections) {
      if (shared.name != section.name) continue;
      for (const auto& [key, value] : shared.keys)
        if (!section.find(key)) section.keys.emplace_back(key, value);
      return;
    }
  }
  throw InputFault("record, section [" + section.name + "]: '" + header + "' shares no section of this name");
}

std::string written(const Value& value) {
  std::string text;
  if (value.kind == Value::Kind::text) {
    for (const char letter : value.text)
      text += letter == '\n'                    ? "\\n"
              : letter == '"' || letter == '\\' ? std::string{'\\', letter}
                                                : std::string{letter};
    return '"' + text + '"';
  }
  if (value.kind != Value::Kind::list) return value.text;
  for (const Value& each : value.list) text += (text.empty() ? "" : ", ") + written(each);
  return "[" + text + "]";
}

}  // namespace

bool share(std::string_view header, std::string_view text) {
  fragments().push_back({header, text});
  return true;
}

Record parse_record(std::string_view text) {
  Record record = sections_of(text);
  for (Section& section : record.sections) take_shared(section);
  return record;
}

std::string text_of(const Record& record) {
  std::string text;
  for (const Section& section : record.sections) {
    if (!section.name.empty()) text += "\n[" + section.name + "]\n";
    for (const auto& [key, value] : section.keys) text += key + " = " + written(value) + "\n";
  }
  return text;
}

}  // namespace assay::timing
