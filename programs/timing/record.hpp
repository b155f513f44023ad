// A program's record: who it is, its parameters, metrics and figures, as text in a subset of TOML that the Python side
// reads with tomllib. The subset: `key = value` with a "string", a number, true or false, or a one-line list of strings
// or of numbers; `[section]` and `[section.name]` headers; comments. Anything else is an InputFault naming its line.
// What several records say word for word stands once, as a fragment in a header that they include: a section with the
// key `from = "threads/parameters.hpp"` takes whatever it does not say itself from the section of its name there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timing/faults.hpp"

namespace assay::timing {

struct Value {
  enum class Kind { text, integer, real, truth, list };
  Kind kind = Kind::text;
  std::string text;  // a string's content; for the other kinds the value as it was written
  std::int64_t integer = 0;
  double real = 0;  // set for integers as well
  bool truth = false;
  std::vector<Value> list;

  bool number() const { return kind == Kind::integer || kind == Kind::real; }
};

struct Section {
  std::string name;  // "" for the keys at the top, "parameter.size" for [parameter.size]
  std::vector<std::pair<std::string, Value>> keys;

  const Value* find(std::string_view key) const;
  std::string text(std::string_view key, std::string otherwise = "") const;
  bool truth(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
};

struct Record {
  std::vector<Section> sections;

  const Section& top() const { return sections.front(); }
  // All sections [kind.NAME] in their order, as (NAME, section).
  std::vector<std::pair<std::string, const Section*>> all(std::string_view kind) const;
};

// Makes `text` the fragment of a header, for records to take from: called by the header's own initialiser.
bool share(std::string_view header, std::string_view text);

// A record whole, with what it takes from fragments. InputFault names the line or the section that is wrong.
Record parse_record(std::string_view text);

// The record as text that both readers read the same.
std::string text_of(const Record& record);

namespace reading {

std::string_view trim(std::string_view text);
std::optional<Value> number(std::string_view text);  // an integer or a real; nothing for inf, nan, hex or words

}  // namespace reading

}  // namespace assay::timing
