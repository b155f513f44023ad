// The one decoder of what a description says: a table's values by key, each of the kind that is wanted or refused with
// its dotted key, what it is and what is expected. A key that is absent leaves the default.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "network/parameters.hpp"

namespace assay::network {

class Fields {
 public:
  // `name`: the table's own dotted key, "" for the whole description.
  Fields(const Table& table, std::string name) : table_(&table), name_(std::move(name)) {}

  [[nodiscard]] bool has(const std::string& key) const { return held(key) != nullptr; }
  [[nodiscard]] bool flag(const std::string& key) const { return get(key, false); }
  [[nodiscard]] double number(const std::string& key, double otherwise = 0) const { return get(key, otherwise); }
  [[nodiscard]] std::string text(const std::string& key, std::string otherwise = "") const {
    return get(key, std::move(otherwise));
  }
  // A number times `factor` (picoseconds in a second, as a rule), as a whole one.
  [[nodiscard]] std::int64_t rounded(const std::string& key, double factor, std::int64_t otherwise = 0) const {
    return has(key) ? std::llround(number(key) * factor) : otherwise;
  }
  // A number that counts: it may be written with a fraction of zero.
  template <class Number = std::uint32_t>
  [[nodiscard]] Number count(const std::string& key, std::type_identity_t<Number> otherwise = 0) const {
    return has(key) ? static_cast<Number>(std::llround(number(key))) : otherwise;
  }
  // Whole numbers; none where the key is absent.
  template <class Number>
  [[nodiscard]] std::vector<Number> wholes(const std::string& key) const {
    return get(key, std::vector<Number>{});
  }
  // A table inside as it is, and for its own fields; none where it is absent.
  [[nodiscard]] const Table* table(const std::string& key) const;
  [[nodiscard]] std::optional<Fields> inside(const std::string& key) const;
  // The tables of a list; none where it is absent.
  [[nodiscard]] std::vector<Fields> each(const std::string& key) const;
  // The names of the keys that are there.
  [[nodiscard]] std::vector<std::string> keys() const;

  // Sets `out` where the key is there.
  template <class Type>
  void operator()(const std::string& key, Type& out) const {
    if (const Value* value = held(key)) out = decoded<Type>(key, *value);
  }
  template <class Type>
  void required(const std::string& key, Type& out) const {
    if (!has(key)) throw ParameterError::missing(dotted(key));
    (*this)(key, out);
  }
  // Refuses keys that were not read.
  void done() const;

 private:
  using Weighted = std::vector<std::pair<std::uint32_t, double>>;  // lengths with weights; a bare length has weight 1
  [[nodiscard]] std::string dotted(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }
  [[nodiscard]] const Value* held(const std::string& key) const;
  template <class Type>
  [[nodiscard]] Type get(const std::string& key, Type otherwise) const {
    (*this)(key, otherwise);
    return otherwise;
  }
  template <class Type>
  [[nodiscard]] Type decoded(const std::string& key, const Value& value) const {
    if constexpr (std::is_same_v<Type, bool> || std::is_same_v<Type, std::string>) {
      if (const auto* found = std::get_if<Type>(&value.held)) return *found;
      wrong(key, value, std::is_same_v<Type, bool> ? "true or false" : "a text");
    } else if constexpr (std::is_floating_point_v<Type>) {
      return real(key, value);
    } else if constexpr (std::is_integral_v<Type>) {
      constexpr auto least = std::numeric_limits<Type>::min();
      constexpr auto most = std::numeric_limits<Type>::max();
      const auto* found = std::get_if<std::int64_t>(&value.held);
      if (!found || !std::in_range<Type>(*found))
        wrong(key, value, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
      return static_cast<Type>(*found);
    } else if constexpr (std::is_same_v<Type, Weighted>) {
      return weighted(key, value);
    } else {
      Type found;
      for (const Value& item : list(key, value, "a list of integers"))
        found.push_back(decoded<typename Type::value_type>(key, item));
      return found;
    }
  }
  [[nodiscard]] std::string keys_read() const;
  [[nodiscard]] double real(const std::string& key, const Value& value) const;
  [[nodiscard]] Weighted weighted(const std::string& key, const Value& value) const;
  [[nodiscard]] const Value::List& list(const std::string& key, const Value& value, const char* expected) const;
  [[noreturn]] void wrong(const std::string& key, const Value& value, const std::string& expected) const;

  const Table* table_;
  std::string name_;
  mutable std::set<std::string, std::less<>> read_;
};

}  // namespace assay::network
