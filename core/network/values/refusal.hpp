// ParameterError as Python sees it: assay._core.DescriptionError, a ValueError with the attributes code, key, value,
// expected and problem. Whoever catches it composes the sentence.
#pragma once
#include <nanobind/nanobind.h>

namespace assay::network {
/// Adds the class to the module, and has every ParameterError raised as one.
void bind_refusals(nanobind::module_& module);
}  // namespace assay::network
