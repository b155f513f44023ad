// Python's view of GOAL schedules.
#include "network/values/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "goal/replay.hpp"
#include "ranks/machine_parameters.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_goal(nb::module_& module) {
  namespace goal = assay::goal;
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const goal::Fault& fault) {
      const auto shown = [](const std::string& text) {  // a file may have any bytes
        return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
      };
      const nb::tuple about = nb::make_tuple(fault.line, fault.what(), shown(fault.seen), shown(fault.accepted));
      PyErr_SetObject(PyExc_ValueError, about.ptr());
    }
  });
  nb::class_<goal::Schedule>(module, "Schedule", "A GOAL schedule; ValueError(line, problem, seen, accepted).")
      .def(
          "__init__",
          [](goal::Schedule* made, const nb::bytes& file) {
            const std::string_view text(file.c_str(), file.size());
            const nb::gil_scoped_release released;
            new (made) goal::Schedule(goal::read(text));
          },
          "file"_a)
      .def_prop_ro("ranks", [](const goal::Schedule& its) { return its.ranks.size(); })
      .def_prop_ro("operations", &goal::Schedule::ops)
      .def_prop_ro("messages", [](const goal::Schedule& its) { return its.count(goal::Kind::send); })
      .def_prop_ro("receives", [](const goal::Schedule& its) { return its.count(goal::Kind::recv); });
  const auto decoded = [](const nb::dict& machine) {
    return assay::described::read_machine(std::get<assay::network::Table>(assay::network::to_value(machine).held));
  };
  module.def(
      "play",
      [decoded](const goal::Schedule& schedule, const nb::dict& machine) {
        const auto description = decoded(machine);
        goal::Played played;
        {
          const nb::gil_scoped_release released;
          played = goal::play(schedule, description);
        }
        nb::list waiting;
        for (const auto& each : played.waiting)
          waiting.append(nb::make_tuple(each.rank, each.call,
                                        each.peer < 0 ? nb::object(nb::none()) : nb::int_(each.peer), each.tag));
        return nb::make_tuple(played.makespan, waiting, played.events);
      },
      "schedule"_a, "machine"_a, "Until the last rank ends [ps]; who waits (rank, call, peer, tag) for ever; events.");
  module.def(
      "first_order",
      [decoded](const goal::Schedule& schedule, const nb::dict& machine) {
        const auto description = decoded(machine);
        const nb::gil_scoped_release released;
        return goal::first_order(schedule, description);
      },
      "schedule"_a, "machine"_a, "What LogGOPS says of a schedule that can be played [ps].");
}
