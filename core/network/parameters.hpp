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

/// What is wrong with a key of the input. Whoever tells a person composes the sentence (network/refused.py).
enum class Refusal : std::uint8_t {
  invalid,       // as `problem` says
  missing,       // it must be given: `expected`
  unknown_key,   // there is no such key: `expected` lists those that there are
  not_accepted,  // `value` is not `expected`
  no_link,       // `value`: two routers that no link joins
  needs_lanes,   // a circuit takes whole channels, and the routing needs several lanes of each
};

/// The input is wrong: the key (dotted), the code, and what goes with it.
class ParameterError : public std::invalid_argument {
 public:
  ParameterError(std::string key, const std::string& problem)
      : ParameterError(std::move(key), Refusal::invalid, problem) {}
  ParameterError(std::string key, Refusal code, const std::string& problem, Value value = {}, std::string expected = "")
      : std::invalid_argument(key + ": " + problem),
        key_(std::move(key)),
        code_(code),
        problem_(problem),
        value_(std::move(value)),
        expected_(std::move(expected)) {}
  static ParameterError missing(std::string key, std::string expected = "");
  static ParameterError unknown(std::string key, std::string expected);
  static ParameterError not_accepted(std::string key, Value value, std::string expected);
  static ParameterError no_link(std::string key, std::int64_t from, std::int64_t to);
  /// The same about another key.
  [[nodiscard]] ParameterError at(std::string key) const {
    return {std::move(key), code_, problem_, value_, expected_};
  }

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] Refusal code() const { return code_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] const Value& value() const { return value_; }
  [[nodiscard]] const std::string& expected() const { return expected_; }

 private:
  std::string key_;
  Refusal code_;
  std::string problem_;
  Value value_;
  std::string expected_;
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
  [[nodiscard]] ParameterError no_link(const std::string& key, std::int64_t from, std::int64_t to) const;

 private:
  [[nodiscard]] const Value& at(const std::string& key) const;
  Table values_;
  std::string prefix_;
};

}  // namespace assay::network
