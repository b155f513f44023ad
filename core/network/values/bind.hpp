// Trees of values between Python and the core.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "network/parameters.hpp"

namespace assay::network {
namespace nb = nanobind;

/// Adds the class of refusals to the module, and has every ParameterError raised as one (bind.cpp).
void bind_refusals(nb::module_& module);

/// `key`: where the value stands, dotted, for the error about an integer that is too large.
inline Value to_value(nb::handle object, const std::string& key = "") {
  if (object.is_none()) return {};
  if (nb::isinstance<nb::bool_>(object)) return nb::cast<bool>(object);
  if (nb::isinstance<nb::int_>(object)) {
    std::int64_t whole = 0;
    if (!nb::try_cast(object, whole))
      throw ParameterError(key, "is " + nb::cast<std::string>(nb::str(object)) + ", more than 64 bits hold");
    return whole;
  }
  if (nb::isinstance<nb::float_>(object)) return nb::cast<double>(object);
  if (nb::isinstance<nb::str>(object)) return nb::cast<std::string>(object);
  if (nb::isinstance<nb::dict>(object)) {
    Table table;
    for (const auto& [inner, item] : nb::cast<nb::dict>(object)) {
      const auto name = nb::cast<std::string>(inner);
      table[name] = to_value(item, key.empty() ? name : key + "." + name);
    }
    return table;
  }
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    Value::List list;
    for (const auto item : object) list.push_back(to_value(item, key));
    return list;
  }
  throw nb::type_error("a network is described by numbers, texts, lists and tables");
}

inline nb::object to_python(const Value& value) {
  struct Visitor {
    nb::object operator()(std::monostate) const { return nb::none(); }
    nb::object operator()(bool held) const { return nb::bool_(held); }
    nb::object operator()(std::int64_t held) const { return nb::int_(held); }
    nb::object operator()(double held) const { return nb::float_(held); }
    nb::object operator()(const std::string& held) const { return nb::str(held.c_str()); }
    nb::object operator()(const Value::List& held) const {
      nb::list out;
      for (const auto& item : held) out.append(to_python(item));
      return out;
    }
    nb::object operator()(const Table& held) const {
      nb::dict out;
      for (const auto& [key, item] : held) out[key.c_str()] = to_python(item);
      return out;
    }
  };
  return std::visit(Visitor{}, value.held);
}

}  // namespace assay::network
