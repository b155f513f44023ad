// assay._core.batch: a workload whose jobs are placed on nodes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "batch/placed/placed.hpp"
#include "batch/shared_rows.hpp"

namespace nb = nanobind;
using namespace assay::batch;

namespace {

using Column = std::vector<std::int64_t>;
using Whole32 = std::vector<std::int32_t>;
using NeedsRow = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::uint64_t, Whole32, double, Whole32>;
using LimitRow = std::pair<std::int64_t, bool>;
using ClosureRow = std::tuple<Whole32, Seconds, Seconds, bool>;
using LayoutRow = std::tuple<std::int32_t, std::int32_t, std::string, bool, Whole32>;

Jobs jobs_of(const std::vector<Column>& columns, const std::vector<double>& priority) {
  Jobs jobs(priority.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i] = {columns[0].at(i),
               columns[1].at(i),
               columns[2].at(i),
               static_cast<std::int32_t>(columns[3].at(i)),
               static_cast<std::int32_t>(columns[4].at(i)),
               priority[i],
               never};
  return jobs;
}

std::vector<Needs> needs_of(const std::vector<NeedsRow>& rows) {
  std::vector<Needs> made;
  for (const auto& [per_node, nodes, sharing, ports, limits, rank, list] : rows)
    made.push_back({per_node, nodes, static_cast<Sharing>(sharing), ports, limits, rank, list});
  return made;
}

Layout layout_of(const LayoutRow& row) {
  return {std::get<0>(row), std::get<1>(row), std::get<2>(row), std::get<3>(row), std::get<4>(row)};
}

// Processor ticks without work, by why.
nb::dict idle_of(const PlacedIdle& idle) {
  nb::dict made;
  made["nobody_waited"] = idle.none.queue_empty;
  made["none_fitted"] = idle.none.none_fitted;
  made["held"] = idle.none.held;
  made["fragmented"] = idle.fragmented;
  made["scheduler"] = idle.none.scheduler;
  made["limited"] = idle.none.limited;
  made["closed"] = idle.closed;
  made["lost"] = idle.lost;
  made["unused"] = idle.unused;
  return made;
}

nb::dict place(const LayoutRow& layout, const std::string& policy, const std::vector<Column>& columns,
               const std::vector<double>& priority, const std::vector<NeedsRow>& needs,
               const std::vector<LimitRow>& limits, const std::vector<ClosureRow>& closures, bool again, double ageing,
               double half_life, const SharedRows& shared, Seconds decision_cost) {
  PlacedSettings settings{
      layout_of(layout), policy, {ageing}, {half_life}, {}, {}, shared_of(shared, priority.size()), again,
      decision_cost};
  for (const auto& [most, processors] : limits) settings.limits.push_back({most, processors});
  for (const auto& [nodes, from, to, known] : closures) settings.closures.push_back({nodes, from, to, known});
  Jobs jobs = jobs_of(columns, priority);
  PlacedOutcome found;
  {
    nb::gil_scoped_release release;
    found = simulate_placed(settings, std::move(jobs), needs_of(needs));
  }
  nb::dict made = idle_of(found.idle);
  made["starts"] = found.starts;
  made["ends"] = found.ends;
  made["places"] = found.places;
  made["killed"] = found.killed;
  made["failures"] = found.failures;
  made["decisions"] = found.decisions;
  return made;
}

std::vector<bool> placeable_of(const LayoutRow& layout, const std::vector<Column>& columns,
                               const std::vector<double>& priority, const std::vector<NeedsRow>& needs) {
  return placeable(layout_of(layout), jobs_of(columns, priority), needs_of(needs));
}

}  // namespace

void bind_placed(nb::module_& module) {
  module.def(
      "place", &place, nb::arg("layout"), nb::arg("policy"), nb::arg("columns"), nb::arg("priority"), nb::arg("needs"),
      nb::arg("limits"), nb::arg("closures"), nb::arg("again"), nb::arg("ageing"), nb::arg("half_life"),
      nb::arg("shared") = SharedRows{}, nb::arg("decision_cost") = 0,
      "When and where each job runs: `layout` (nodes, cpus of each, allocation, whole nodes, extents), `columns` "
      "(submitted, runs, requested, processors, user), `needs` of each job (per node, nodes, sharing, ports, "
      "limits, rank, list of nodes), `limits` (how many at once; of processors, or of jobs), `closures` (nodes, from, "
      "to, known); processor seconds without work by why; `shared` as `schedule` takes it.");
  nb::class_<PlacedStepper>(module, "PlacedStepper", "The same step by step, by the ticks of a clock.")
      .def(
          "__init__",
          [](PlacedStepper* made, const LayoutRow& layout, const std::string& policy,
             const std::vector<Column>& columns, const std::vector<double>& priority,
             const std::vector<NeedsRow>& needs, const std::vector<LimitRow>& limits, double ageing, double half_life) {
            PlacedSettings settings{layout_of(layout), policy, {ageing}, {half_life}, {}, {}, {}, false};
            for (const auto& [most, processors] : limits) settings.limits.push_back({most, processors});
            new (made) PlacedStepper(settings, jobs_of(columns, priority), needs_of(needs));
          },
          nb::arg("layout"), nb::arg("policy"), nb::arg("columns"), nb::arg("priority"), nb::arg("needs"),
          nb::arg("limits"), nb::arg("ageing"), nb::arg("half_life"))
      .def("step", &PlacedStepper::step, nb::arg("now"), nb::arg("ended"), nb::arg("submitted"))
      .def("place", &PlacedStepper::place, nb::arg("job"), "Nodes, and processors of each that the job holds.")
      .def_prop_ro("wakes", &PlacedStepper::wakes)
      .def_prop_ro("idle", [](const PlacedStepper& stepper) { return idle_of(stepper.outcome().idle); })
      .def_prop_ro("decisions", [](const PlacedStepper& stepper) { return stepper.outcome().decisions; });
  module.def("placeable", &placeable_of, nb::arg("layout"), nb::arg("columns"), nb::arg("priority"), nb::arg("needs"),
             "Whether each job has a place on the empty machine.");
}
