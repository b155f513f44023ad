// assay._core.batch: a workload's starts under a policy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "batch/simulate.hpp"
#include "batch/stepping.hpp"

void bind_placed(nanobind::module_& module);

namespace nb = nanobind;
using namespace assay::batch;

namespace {

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;
using Real = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;

Jobs jobs_of(const Whole& submitted, const Whole& runs, const Whole& requested, const Whole& width, const Whole& user,
             const Real& priority) {
  Jobs jobs(submitted.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i] = {
        submitted(i), runs(i), requested(i), static_cast<std::int32_t>(width(i)), static_cast<std::int32_t>(user(i)),
        priority(i),  never};
  }
  return jobs;
}

nb::dict schedule(std::int64_t processors, const std::string& policy, const Whole& submitted, const Whole& runs,
                  const Whole& requested, const Whole& width, const Whole& user, const Real& priority, double ageing,
                  double half_life, Seconds decision_cost) {
  Jobs jobs = jobs_of(submitted, runs, requested, width, user, priority);
  auto found = std::make_unique<Outcome>();
  {
    nb::gil_scoped_release release;
    *found = simulate({processors, policy, {ageing}, {half_life}, decision_cost}, std::move(jobs));
  }
  nb::dict made;
  made["nobody_waited"] = found->idle.queue_empty;
  made["none_fitted"] = found->idle.none_fitted;
  made["held"] = found->idle.held;
  made["scheduler"] = found->idle.scheduler;
  made["decisions"] = found->decisions;
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
      nb::arg("half_life"), nb::arg("decision_cost") = 0,
      "The second at which each job starts, and processor seconds that were idle, by why; jobs in order of submission, "
      "each at most as wide as the machine.");
  nb::class_<Stepper>(module, "Stepper", "A policy asked step by step, by the ticks of a clock; jobs by their place.")
      .def(
          "__init__",
          [](Stepper* made, std::int64_t processors, const std::string& policy, const Whole& submitted,
             const Whole& requested, const Whole& width, const Whole& user, const Real& priority, double ageing,
             double half_life) {
            new (made) Stepper({processors, policy, {ageing}, {half_life}, 0},
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
