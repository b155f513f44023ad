// Python's view of the simulated network.
#include <nanobind/nanobind.h>

void bind_topologies(nanobind::module_& module);

void bind_network(nanobind::module_& module) {
  module.attr("__doc__") = "Networks at flit level.";
  bind_topologies(module);
}
