// assay._core.batch: a workload's starts under a policy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "batch/shared_rows.hpp"
#include "batch/simulate.hpp"
#include "batch/stepping.hpp"

void bind_placed(nanobind::module_& module);

namespace nb = nanobind;
using namespace assay::batch;

namespace {

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;
using Real = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;

// Limits (how many at once; of processors, or of jobs), and groups of jobs (rank, places of its limits).
using QueueRows =
    std::pair<std::vector<std::pair<std::int64_t, bool>>, std::vector<std::pair<double, std::vector<std::int32_t>>>>;

Queues queues_of(const QueueRows& rows) {
  Queues made;
  for (const auto& [most, processors] : rows.first) made.limits.push_back({most, processors});
  for (const auto& [rank, limits] : rows.second) {
    for (const std::int32_t at : limits)
      if (at < 0 || static_cast<std::size_t>(at) >= made.limits.size()) throw nb::index_error("there is no such limit");
    made.groups.push_back({rank, limits});
  }
  return made;
}

Jobs jobs_of(const Whole& submitted, const Whole& runs, const Whole& requested, const Whole& width, const Whole& user,
             const Real& priority) {
  Jobs jobs(submitted.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = {submitted(i),
               runs(i),
               requested(i),
               static_cast<std::int32_t>(width(i)),
               static_cast<std::int32_t>(user(i)),
               priority(i),
               never,
               0};
  }
  return jobs;
}

nb::dict schedule(std::int64_t processors, const std::string& policy, const Whole& submitted, const Whole& runs,
                  const Whole& requested, const Whole& width, const Whole& user, const Real& priority, double ageing,
                  double half_life, Seconds decision_cost, const Whole& group, const QueueRows& queues,
                  const SharedRows& shared) {
  Jobs jobs = jobs_of(submitted, runs, requested, width, user, priority);
  const Queues limits = queues_of(queues);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i >= jobs.size() || group(i) < 0 || static_cast<std::size_t>(group(i)) >= limits.groups.size())
      throw nb::index_error("there is no such group");
    jobs[i].group = static_cast<std::int32_t>(group(i));
  }
  const SharedResources uses = shared_of(shared, jobs.size());
  auto found = std::make_unique<Outcome>();
  {
    nb::gil_scoped_release release;
    *found = simulate({processors, policy, {ageing}, {half_life}, decision_cost, limits, uses}, std::move(jobs));
  }
  nb::dict made;
  made["nobody_waited"] = found->idle.queue_empty;
  made["none_fitted"] = found->idle.none_fitted;
  made["held"] = found->idle.held;
  made["scheduler"] = found->idle.scheduler;
  made["limited"] = found->idle.limited;
  made["decisions"] = found->decisions;
  made["ends"] = found->ends;
  made["killed"] = found->killed;
  Outcome* kept = found.release();
  nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<Outcome*>(data); });
  made["starts"] = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(kept->starts.data(), {kept->starts.size()}, owner);
  return made;
}

}  // namespace

void bind_batch(nb::module_& module) {
  bind_placed(module);
  module.def(
      "schedule", &schedule, nb::arg("processors"), nb::arg("policy"), nb::arg("submitted"), nb::arg("runs"),
      nb::arg("requested"), nb::arg("width"), nb::arg("user"), nb::arg("priority"), nb::arg("ageing"),
      nb::arg("half_life"), nb::arg("decision_cost"), nb::arg("group"), nb::arg("queues"),
      nb::arg("shared") = SharedRows{},
      "The second at which each job starts, and processor seconds that were idle, by why; jobs in order of submission, "
      "each at most as wide as the machine and as its limits. `group` (of each job, or of none) into the second of "
      "`queues`: limits (how many at once; of processors, or of jobs), groups (rank, places of their limits). "
      "`shared`: resources "
      "(capacity, nodes that share one), what each kind of jobs uses of each (demand of a processor, part of its run), "
      "and each job's kind; then `ends` and `killed` say when each ended, and whether at its limit.");
  nb::class_<Stepper>(module, "Stepper", "A policy asked step by step, by the ticks of a clock; jobs by their place.")
      .def(
          "__init__",
          [](Stepper* made, std::int64_t processors, const std::string& policy, const Whole& submitted,
             const Whole& requested, const Whole& width, const Whole& user, const Real& priority, double ageing,
             double half_life) {
            new (made) Stepper({processors, policy, {ageing}, {half_life}, 0, {}, {}},
                               jobs_of(submitted, requested, requested, width, user, priority));
          },
          nb::arg("processors"), nb::arg("policy"), nb::arg("submitted"), nb::arg("requested"), nb::arg("width"),
          nb::arg("user"), nb::arg("priority"), nb::arg("ageing"), nb::arg("half_life"))
      .def("adopt", &Stepper::adopt, nb::arg("job"), nb::arg("started"), nb::arg("now"))
      .def("step", &Stepper::step, nb::arg("now"), nb::arg("ended"), nb::arg("withdrawn"), nb::arg("submitted"))
      .def_prop_ro("wakes", &Stepper::wakes)
      .def_prop_ro("decisions", &Stepper::decisions)
      .def_prop_ro("free", &Stepper::free);
}
