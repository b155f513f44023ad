// Python's view of message-passing programs on a described machine.
#include "ranks/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "ranks/gray_ring.hpp"
#include "ranks/jobs.hpp"
#include "ranks/play.hpp"
#include "ranks/playing.hpp"
#include "timing/faults.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {
using assay::described::column;
using assay::described::columns;
using assay::described::decoded;
using assay::described::seconds;

nb::list waits(const std::vector<assay::described::Waiting>& waiting) {
  return column(waiting, [](const auto& each) {
    return nb::make_tuple(each.rank, each.call, each.peer < 0 ? nb::object(nb::none()) : nb::int_(each.peer), each.tag);
  });
}

template <class Out, class Rows, class Of>
nb::object numbers(const Rows& rows, Of of) {
  auto* copy = new std::vector<Out>();
  copy->reserve(rows.size());
  for (const auto& row : rows) copy->push_back(of(row));
  nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Out>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Out, nb::ndim<1>>(copy->data(), {copy->size()}, owner));
}

// Blocks as columns: a row a block, whose values are those from `ends` of the row before on.
nb::dict blocks(const std::vector<assay::described::Block>& rows) {
  std::vector<double> values;
  std::vector<std::int64_t> ends;
  for (const auto& each : rows) {
    values.insert(values.end(), each.values.begin(), each.values.end());
    ends.push_back(static_cast<std::int64_t>(values.size()));
  }
  nb::dict all;
  all["metric"] = column(rows, [](const auto& each) { return each.metric; });
  all["case"] = column(rows, [](const auto& each) { return each.label; });
  all["batch"] = numbers<std::int64_t>(rows, [](const auto& each) { return each.batch; });
  all["first"] = numbers<double>(rows, [](const auto& each) { return each.first.value_or(std::nan("")); });
  all["ends"] = numbers<std::int64_t>(ends, [](std::int64_t each) { return each; });
  all["values"] = numbers<double>(values, [](double each) { return each; });
  return all;
}

nb::object account(const std::optional<assay::described::Account>& found) {
  if (!found) return nb::none();
  nb::dict all;
  all["messages"] = found->messages;
  all["startup"] = found->startup;
  all["copying"] = found->copying;
  all["waiting"] = found->waiting;
  all["transport"] = found->transport;
  all["protocol"] = found->protocol;
  return all;
}

void bind_launch(nb::module_& module) {
  using assay::described::Launch;
  nb::class_<Launch>(module, "Launch", "What a program on a described machine gave.")
      .def_ro("lines", &Launch::lines, "JSON lines, as a launch on a real machine writes them.")
      .def_prop_ro(
          "blocks", [](const Launch& its) { return blocks(its.blocks); },
          "Columns, a row a block: metric, case (JSON), batch, first (NaN: none), and values, a block's up to `ends`.")
      .def_prop_ro(
          "accounts",
          [](const Launch& its) { return column(its.blocks, [](const auto& each) { return account(each.account); }); },
          "Of each block where its messages' time went, in s a message; None where the machine has no network.")
      .def_prop_ro(
          "failed",
          [](const Launch& its) {
            return column(its.failed, [](const auto& each) { return nb::make_tuple(each.label, each.detail); });
          },
          "Checks that failed: the case (JSON) and the detail.")
      .def_prop_ro(
          "waiting", [](const Launch& its) { return waits(its.waiting); }, "Of a deadlock: (rank, call, peer, tag).")
      .def_prop_ro("stopped", [](const Launch& its) { return seconds(its.stopped); }, "When it was over, in s.");
}

nb::dict about(const assay::described::Jobs::Job& job) {
  static constexpr const char* states[] = {"running", "completed", "wrong answer", "failed", "ended", "deadlock"};
  nb::dict all;
  all["state"] = states[static_cast<int>(job.state)];
  all["begun"] = job.begun;
  all["ended"] = job.ended;
  all["launch"] = job.launch;
  all["failure"] = job.failure;
  all["input"] = job.input;
  all["undescribed"] = job.undescribed;
  return all;
}

// What is written down of jobs outlives the world that writes it.
struct Written {
  std::unique_ptr<assay::described::Log> log;
};
struct LoggedJobs : Written, assay::described::Jobs {
  LoggedJobs(const assay::described::MachineParameters& machine, bool logs)
      : Written{logs ? std::make_unique<assay::described::Log>() : nullptr}, Jobs(machine, log.get()) {}
};

void bind_jobs(nb::module_& module) {
  using assay::described::Time;
  using Jobs = LoggedJobs;
  nb::class_<Jobs>(module, "Jobs", "Several programs on one described machine, each a job; times in ps.")
      .def(
          "__init__",
          [](Jobs* made, const nb::dict& machine, bool logged) { new (made) Jobs(decoded(machine), logged); },
          "machine"_a, "logged"_a = false, "logged: whether what happens is kept, for `log`.")
      .def(
          "log", [](const Jobs& jobs) { return jobs.log ? nb::object(columns(*jobs.log)) : nb::object(nb::none()); },
          "What happened, as `logged` gives it, with places for ranks; None where nothing was kept.")
      .def_prop_ro("nodes", &Jobs::nodes)
      .def_prop_ro("processors", &Jobs::processors, "Of each node.")
      .def_prop_ro("cycle", &Jobs::cycle, "Jobs start at whole ones.")
      .def_prop_ro("now", &Jobs::now)
      .def_prop_ro("events", &Jobs::events)
      .def_prop_ro("messages", &Jobs::messages)
      .def("begin", &Jobs::begin, "program"_a, "arguments"_a, "places"_a,
           "Start a program now, rank r at place node * processors + which of them; the job's number.")
      .def(
          "advance", [](Jobs& jobs, Time until) { return jobs.advance(until); }, "until"_a,
          nb::call_guard<nb::gil_scoped_release>(), "Go on up to a time, or the next end; whether there is more.")
      .def(
          "drain", [](Jobs& jobs) { return jobs.advance(); }, nb::call_guard<nb::gil_scoped_release>(),
          "Go on while anything happens, or to the next end; whether there is more.")
      .def("ended", &Jobs::ended, "Jobs that have ended since this was called last.")
      .def("end", &Jobs::end, "job"_a, "End a job that runs.")
      .def(
          "job", [](const Jobs& jobs, std::size_t job) { return about(jobs.job(job)); }, "job"_a,
          "state, begun, ended, launch, failure, input and undescribed (kinds of failure).");
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
  module.def(
      "undescribed",
      [](const std::string& program, const nb::dict& machine, const std::vector<std::string>& arguments) {
        const auto options = assay::described::options_of(assay::described::program_named(program), arguments);
        return assay::described::undescribed(options.needs, decoded(machine));
      },
      "program"_a, "machine"_a, "arguments"_a, "What the program needs and the description lacks; else nothing.");
  module.def("load", &assay::described::load, "library"_a, "Add a person's own program from a shared library.");
  module.def("gray_ring", &assay::ranks::gray_ring, "ranks"_a, "The order in which the ring visits the ranks.");
  module.def(
      "room", [](const nb::dict& machine) { return assay::described::room(decoded(machine)); }, "machine"_a,
      "How many ranks a described machine has room for; 0: any number.");
  module.def(
      "logged",
      [](const std::string& program, const nb::dict& machine, int ranks, const std::vector<std::string>& arguments) {
        const auto table = decoded(machine);
        assay::described::Log log;
        assay::described::Launch launch;
        {
          const nb::gil_scoped_release released;
          launch = assay::described::play(program, table, ranks, arguments, &log);
        }
        return nb::make_tuple(std::move(launch), columns(log));
      },
      "program"_a, "machine"_a, "ranks"_a, "arguments"_a,
      "As play; gives the launch and what happened, in columns: spans, sent, passages, matrix. Times in s.");
  module.def(
      "schedule",
      [](const std::string& program, const nb::dict& machine, int ranks, const std::vector<std::string>& arguments) {
        const auto table = decoded(machine);
        const nb::gil_scoped_release released;
        assay::described::Recorder recorder(ranks);
        assay::described::play(program, table, ranks, arguments, nullptr, &recorder);
        return recorder.text();
      },
      "program"_a, "machine"_a, "ranks"_a, "arguments"_a,
      "The first operation that the program measures, as GOAL; RuntimeError for what GOAL has no word for.");
  module.def(
      "play",
      [](const std::string& program, const nb::dict& machine, int ranks, const std::vector<std::string>& arguments) {
        const auto table = decoded(machine);
        const nb::gil_scoped_release released;
        return assay::described::play(program, table, ranks, arguments);
      },
      "program"_a, "machine"_a, "ranks"_a, "arguments"_a, "Run a program on a described machine (tables, SI units).");
  bind_launch(module);
  bind_jobs(module);
}
