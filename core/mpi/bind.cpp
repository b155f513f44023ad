// Python's view of MPI programs on a described machine.
#include "network/values/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "mpi/functions.hpp"
#include "mpi/serve.hpp"
#include "ranks/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

nb::list waits(const assay::mpirun::Served& served) {
  nb::list all;
  for (std::size_t i = 0; i < served.waiting.size(); ++i) {
    const auto& each = served.waiting[i];
    const std::string& call = served.waits_in[i];
    all.append(nb::make_tuple(each.rank, call.empty() ? each.call : call,
                              each.peer < 0 ? nb::object(nb::none()) : nb::int_(each.peer), each.tag));
  }
  return all;
}

// Exit statuses by rank, as waitpid(2) has them; None of one that has not ended.
nb::list statuses(const assay::mpirun::OwnedSegment& segment) {
  nb::list all;
  for (int rank = 0; rank < segment.ranks(); ++rank) {
    const std::uint32_t ended = segment.control(rank).ended.load();
    all.append(ended == 0 ? nb::object(nb::none()) : nb::int_(ended - 1));
  }
  return all;
}

nb::list regions(const assay::mpirun::Served& served) {
  nb::list all;
  for (const auto& [name, times] : served.regions) {
    nb::list kept;
    for (const auto each : times.kept) kept.append(each);
    all.append(nb::make_tuple(name, times.count, times.sum, times.least, times.most, kept));
  }
  return all;
}

nb::list calls(const assay::mpirun::Served& served) {
  nb::list all;
  for (const auto& [kind, times] : served.calls.kinds()) {
    nb::list kept;
    for (const auto each : times.kept) kept.append(each);
    const auto name = assay::mpirun::function_name(kind.function);
    all.append(nb::make_tuple(nb::str(name.data(), name.size()), kind.bytes,
                              kind.peer < 0 ? nb::object(nb::none()) : nb::int_(kind.peer), times.count, times.sum,
                              times.least, times.most, kept));
  }
  return all;
}

}  // namespace

void bind_mpi(nb::module_& module) {
  using assay::mpirun::OwnedSegment;
  using assay::mpirun::Served;
  module.attr("__doc__") = "Unmodified MPI programs on a described machine.";
  nb::class_<OwnedSegment>(module, "Segment", "Memory that the simulator shares with a program's ranks.")
      .def(nb::init<const std::vector<std::uint32_t>&, double, bool, bool>(), "nodes"_a, "factor"_a, "marks"_a,
           "in_regions"_a = false,
           "nodes: of each rank; factor: simulated seconds of a second of CPU time; marks: whether calls are noted; "
           "in_regions: only computing in the program's regions counts.")
      .def_prop_ro("file", &OwnedSegment::file, "Its file descriptor, for the program's first process.")
      .def_prop_ro("statuses", &statuses, "Of each rank's process, as waitpid(2) has it; None where it has not ended.")
      .def_prop_ro("started", [](const OwnedSegment& its) { return its.header().started.load(); }, "Ranks started.");
  nb::class_<Served>(module, "Served", "What became of an MPI program.")
      .def_ro("makespan", &Served::makespan, "Until the last rank called MPI_Finalize, or all waited for ever [ps].")
      .def_prop_ro("waiting", &waits, "Of a deadlock: (rank, call, peer, tag).")
      .def_ro("failure", &Served::failure, "What ended the program before its time; empty where nothing did.")
      .def_ro("died", &Served::died, "The rank whose end that was; -1: none.")
      .def_ro("abandoned", &Served::abandoned, "Whether the program's first process ended before its ranks had.")
      .def_ro("aborted", &Served::aborted, "The code of MPI_Abort; see aborted_by.")
      .def_ro("aborted_by", &Served::aborted_by, "The rank that called it, -1: none.")
      .def_prop_ro("calls", &calls, "Times of calls: (function, bytes, peer, count, sum, least, most, kept), in ps.")
      .def_prop_ro("regions", &regions, "Times of regions: (name, count, sum, least, most, kept), in ps.")
      .def_ro("goal", &Served::goal, "The GOAL schedule that was asked for; empty where the program did not end well.")
      .def_ro("unlike", &Served::unlike, "Why replaying it takes another time.")
      .def_ro("lacks", &Served::lacks, "What GOAL has no word for; there is no schedule then.")
      .def_ro("events", &Served::events)
      .def_ro("messages", &Served::messages)
      .def_ro("switches", &Served::switches, "How often a rank handed over operations.")
      .def_ro("operations", &Served::operations);
  module.def(
      "serve",
      [](OwnedSegment& segment, const nb::dict& machine, const std::vector<int>& places, const nb::callable& alive,
         bool logged, bool traced) {
        const auto parameters = assay::described::decoded(machine);
        const std::function<bool()> runs = [&] {
          const nb::gil_scoped_acquire held;
          return nb::cast<bool>(alive());
        };
        assay::described::Log log;
        Served served;
        {
          const nb::gil_scoped_release released;
          served = assay::mpirun::serve(segment, parameters, places, runs, logged ? &log : nullptr, traced);
        }
        return nb::make_tuple(std::move(served),
                              logged ? nb::object(assay::described::columns(log)) : nb::object(nb::none()));
      },
      "segment"_a, "machine"_a, "places"_a, "alive"_a, "logged"_a, "traced"_a = false,
      "Play the program on the machine, rank r at place node * processors + which; what became of it, and its log.");
}
