#include "network/fields.hpp"

namespace assay::network {

const Value* Fields::held(const std::string& key) const {
  read_.insert(key);
  const auto found = table_->find(key);
  return found == table_->end() || found->second.absent() ? nullptr : &found->second;
}

const Table* Fields::table(const std::string& key) const {
  const Value* value = held(key);
  const auto* found = value ? std::get_if<Table>(&value->held) : nullptr;
  if (value && !found) wrong(key, *value, "a table");
  return found;
}

std::optional<Fields> Fields::inside(const std::string& key) const {
  const Table* found = table(key);
  return found ? std::optional<Fields>(Fields(*found, dotted(key))) : std::nullopt;
}

std::vector<Fields> Fields::each(const std::string& key) const {
  std::vector<Fields> found;
  const Value* value = held(key);
  if (!value) return found;
  for (const Value& item : list(key, *value, "a list of tables")) {
    const auto* table = std::get_if<Table>(&item.held);
    if (!table) wrong(key, item, "a table");
    found.emplace_back(*table, dotted(key) + "." + std::to_string(found.size()));
  }
  return found;
}

std::vector<std::string> Fields::keys() const {
  std::vector<std::string> found;
  for (const auto& [key, value] : *table_)
    if (!value.absent()) found.push_back(key);
  return found;
}

void Fields::done() const {
  for (const auto& [key, value] : *table_)
    if (!value.absent() && !read_.contains(key)) throw ParameterError::unknown(dotted(key), keys_read());
}

std::string Fields::keys_read() const {
  std::string found;
  for (const std::string& key : read_) found += (found.empty() ? "" : ", ") + key;
  return found;
}

double Fields::real(const std::string& key, const Value& value) const {
  if (const auto* found = std::get_if<double>(&value.held)) return *found;
  if (const auto* whole = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*whole);
  wrong(key, value, "a number");
}

Fields::Weighted Fields::weighted(const std::string& key, const Value& value) const {
  static constexpr const char* expected = "a length, or pairs of length and weight";
  if (std::holds_alternative<std::int64_t>(value.held)) return {{decoded<std::uint32_t>(key, value), 1.0}};
  Weighted found;
  for (const Value& item : list(key, value, expected)) {
    const auto* pair = std::get_if<Value::List>(&item.held);
    if (!pair || pair->size() != 2) wrong(key, item, "a pair of length and weight");
    const Value& length = (*pair)[0];
    const auto* fraction = std::get_if<double>(&length.held);
    const auto whole = fraction ? static_cast<std::uint32_t>(*fraction) : decoded<std::uint32_t>(key, length);
    found.emplace_back(whole, real(key, (*pair)[1]));
  }
  return found;
}

const Value::List& Fields::list(const std::string& key, const Value& value, const char* expected) const {
  const auto* found = std::get_if<Value::List>(&value.held);
  if (!found) wrong(key, value, expected);
  return *found;
}

void Fields::wrong(const std::string& key, const Value& value, const std::string& expected) const {
  throw ParameterError::not_accepted(dotted(key), value, expected);
}

}  // namespace assay::network
