// The module assay._core: each room binds itself, this file only lists the rooms.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_network(nb::module_& module);
void bind_ranks(nb::module_& module);
void bind_storage();

NB_MODULE(_core, module) {
  module.doc() = "The simulated machine.";
  auto network = module.def_submodule("network", "Networks at flit level.");
  auto ranks = module.def_submodule("ranks", "Message-passing programs on a described machine.");
  bind_network(network);
  bind_ranks(ranks);
  bind_storage();
}
