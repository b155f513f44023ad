// The module assay._core: each room binds itself, this file only lists the rooms.
#include "network/values/bind.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_batch(nb::module_& module);
void bind_goal(nb::module_& module);
void bind_mpi(nb::module_& module);
void bind_network(nb::module_& module);
void bind_ranks(nb::module_& module);
void bind_storage(nb::module_& module);

NB_MODULE(_core, module) {
#ifdef ASSAY_NEEDS_V3  // this file is compiled for any x86-64
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("fma"))
    throw nb::import_error(
        "the core was compiled for x86-64-v3, which this processor is not; install it here, or anywhere with "
        "CMAKE_ARGS=-DASSAY_PROCESSOR=baseline");
#endif
  module.doc() = "The simulated machine.";
  auto network = module.def_submodule("network", "Networks at flit level.");
  auto ranks = module.def_submodule("ranks", "Message-passing programs on a described machine.");
  auto goal = module.def_submodule("goal", "GOAL schedules on a described machine.");
  auto mpi = module.def_submodule("mpi", "Unmodified MPI programs on a described machine.");
  auto batch = module.def_submodule("batch", "Batch systems.");
  auto storage = module.def_submodule("storage", "Parts of a simulated file system.");
  assay::network::bind_refusals(module);
  bind_batch(batch);
  bind_goal(goal);
  bind_mpi(mpi);
  bind_network(network);
  bind_ranks(ranks);
  bind_storage(storage);
}
