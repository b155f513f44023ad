// Python's view of message-passing programs on a described machine.
#include <nanobind/nanobind.h>

void bind_ranks(nanobind::module_& module) { module.attr("__doc__") = "Simulated ranks."; }
