// Python's view of message-passing programs on a described machine.
#include "network/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ranks/gray_ring.hpp"
#include "ranks/play.hpp"
#include "timing/faults.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {
assay::described::Description description(const nb::dict& machine) {
  return std::get<assay::network::Table>(assay::network::to_value(machine).held);
}
}  // namespace

void bind_ranks(nb::module_& module) {
  module.attr("__doc__") = "Message-passing programs on a described machine.";
  // What the user can mend is a ValueError, what went wrong in the run a RuntimeError.
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const assay::timing::InputFault& fault) {
      PyErr_SetString(PyExc_ValueError, fault.what());
    }
  });
  module.def("programs", &assay::described::program_names, "Names of the programs that are compiled in.");
  module.def("gray_ring", &assay::ranks::gray_ring, "ranks"_a, "The order in which the ring visits the ranks.");
  module.def(
      "room", [](const nb::dict& machine) { return assay::described::room(description(machine)); }, "machine"_a,
      "How many ranks a described machine has room for; 0: any number.");
  module.def(
      "run",
      [](const std::string& program, const nb::dict& machine, int ranks, const std::vector<std::string>& arguments) {
        const auto table = description(machine);
        const nb::gil_scoped_release released;
        return assay::described::play(program, table, ranks, arguments);
      },
      "program"_a, "machine"_a, "ranks"_a, "arguments"_a,
      "Run a program on a described machine (tables, SI units); returns its JSON lines.");
}
