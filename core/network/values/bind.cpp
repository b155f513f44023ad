// ParameterError as Python sees it: assay._core.DescriptionError, a ValueError with the attributes code, key, value,
// expected and problem. Whoever catches it composes the sentence (network/refused.py).
#include "network/values/bind.hpp"

namespace assay::network {
namespace {

const char* name_of(Refusal code) {
  switch (code) {
    case Refusal::invalid:
      return "invalid";
    case Refusal::missing:
      return "missing";
    case Refusal::unknown_key:
      return "unknown-key";
    case Refusal::not_accepted:
      return "not-accepted";
    case Refusal::no_link:
      return "no-link";
    case Refusal::needs_lanes:
      return "needs-lanes";
  }
  return "";
}

}  // namespace

void bind_refusals(nb::module_& module) {
  static PyObject* const type = PyErr_NewException("assay._core.DescriptionError", PyExc_ValueError, nullptr);
  module.attr("DescriptionError") = nb::handle(type);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const ParameterError& error) {
      const nb::object raised = nb::handle(type)(error.what());
      raised.attr("code") = name_of(error.code());
      raised.attr("key") = error.key();
      raised.attr("value") = to_python(error.value());
      raised.attr("expected") = error.expected().empty() ? nb::object(nb::none()) : nb::str(error.expected().c_str());
      raised.attr("problem") = error.problem();
      PyErr_SetObject(type, raised.ptr());
    }
  });
}

}  // namespace assay::network
