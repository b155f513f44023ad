// What a person may set: a tree of values as read from TOML, and the description of each key with its unit, bounds and
// default. A record (topology, routing) lists its parameters; help, documentation and validation come out of that list.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace assay::network {

/// A value of a TOML file. Integers stay integers; a number wanted as real takes either.
struct Value {
  using List = std::vector<Value>;
  using Table = std::map<std::string, Value>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table> held;

  Value() = default;
  Value(bool value) : held(value) {}
  Value(int value) : held(std::int64_t{value}) {}
  Value(std::int64_t value) : held(value) {}
  Value(double value) : held(value) {}
  Value(const char* value) : held(std::string(value)) {}
  Value(std::string value) : held(std::move(value)) {}
  Value(List value) : held(std::move(value)) {}
  Value(Table value) : held(std::move(value)) {}
  [[nodiscard]] bool absent() const { return std::holds_alternative<std::monostate>(held); }
  /// As a person would type it, for messages and documentation.
  [[nodiscard]] std::string text() const;
};
using Table = Value::Table;

/// The input is wrong: the key (dotted), and a sentence with the value seen and what is accepted.
class ParameterError : public std::invalid_argument {
 public:
  ParameterError(std::string key, const std::string& message)
      : std::invalid_argument(key + ": " + message), key_(std::move(key)), message_(message) {}
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  std::string key_, message_;
};

enum class Kind : std::uint8_t { integer, number, flag, text, integers, pairs, table };

struct Parameter {
  std::string name;
  Kind kind;
  Value fallback;  // absent: the key must be given
  std::string unit;
  std::string description;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> accepted = {};  // the words taken, if only some are
  bool optional = false;                   // absent is a value: the record works it out

  [[nodiscard]] std::string accepts() const;
};

/// The values of a list of parameters, checked: kind, bounds, words. Keys that no parameter names are refused by
/// `resolve`.
class Settings {
 public:
  /// `prefix` is put before the key in messages ("network.").
  static Settings resolve(const Table& given, const std::vector<Parameter>& parameters, std::string prefix = "");

  [[nodiscard]] std::int64_t integer(const std::string& key) const;
  [[nodiscard]] double number(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key) const;
  [[nodiscard]] const std::string& text(const std::string& key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key) const;
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> pairs(const std::string& key) const;
  [[nodiscard]] const Table& table(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;
  /// An error about this key, with its full name.
  [[nodiscard]] ParameterError wrong(const std::string& key, const std::string& message) const;

 private:
  [[nodiscard]] const Value& at(const std::string& key) const;
  Table values_;
  std::string prefix_;
};

}  // namespace assay::network
