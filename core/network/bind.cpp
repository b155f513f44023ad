// Python's view of the simulated network.
#include "network/values/bind.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <unistd.h>

#include <cmath>

#include "events/stop.hpp"
#include "network/simulate.hpp"
#include "network/topologies/bind.hpp"

namespace {

namespace nb = nanobind;
using namespace assay::network;

template <class Out, class In>
nb::object array(const std::vector<In>& values) {
  auto* copy = new std::vector<Out>(values.begin(), values.end());
  nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<Out>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Out, nb::ndim<1>>(copy->data(), {copy->size()}, owner));
}

nb::dict latency(const Latency& found) {
  std::vector<double> sums, counts, values, frequencies;
  for (const auto& batch : found.batches) {
    sums.push_back(static_cast<double>(batch.sum));
    counts.push_back(static_cast<double>(batch.count));
  }
  found.histogram.each([&](double value, std::uint64_t count) {
    values.push_back(value);
    frequencies.push_back(static_cast<double>(count));
  });
  nb::dict out;
  out["count"] = found.all.count;
  out["mean"] = found.all.mean();
  out["deviation"] = found.all.deviation();
  out["batch_sums"] = array<double>(sums);
  out["batch_counts"] = array<double>(counts);
  out["values"] = array<double>(values);
  out["counts"] = array<double>(frequencies);
  return out;
}

nb::dict outcome_dict(const Outcome& outcome) {
  nb::dict out, latencies;
  out["engine"] = outcome.engine;
  out["measured_cycles"] = outcome.measured_cycles;
  out["simulated_cycles"] = outcome.simulated_cycles;
  out["cpu_seconds"] = outcome.cpu_seconds;
  out["generated"] = outcome.generated;
  out["messages"] = outcome.messages;
  out["simulated_messages"] = outcome.simulated_messages;
  out["head_hops"] = outcome.head_hops;
  out["flit_hops"] = outcome.flit_hops;
  out["memory_bytes"] = outcome.memory_bytes;
  out["offered"] = outcome.offered;
  out["throughput"] = outcome.throughput;
  out["worst_node"] = outcome.worst_node;
  for (const auto& [name, found] : outcome.latencies) latencies[name.c_str()] = latency(found);
  out["latencies"] = latencies;
  out["backlog"] = array<double>(outcome.backlog);
  out["saturated"] = outcome.saturated;
  out["unroutable"] = outcome.unroutable;
  if (outcome.deadlocked == 0) {
    out["deadlock"] = nb::none();
  } else {
    nb::list cycle;
    for (const auto& one : outcome.deadlock) {
      nb::dict item;
      item["message"] = one.message;
      item["source"] = one.source;
      item["destination"] = one.destination;
      item["waits_for"] = one.waits_for;
      item["holds"] = one.holds;
      cycle.append(item);
    }
    nb::dict deadlock;
    deadlock["messages"] = outcome.deadlocked;
    deadlock["cycle"] = cycle;
    out["deadlock"] = deadlock;
  }
  out["utilisation"] = outcome.utilisation.empty() ? nb::none() : array<double>(outcome.utilisation);
  return out;
}

using Column = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::dict bound_replay(const nb::dict& config, const Column& id, const Column& cycle, const Column& source,
                      const Column& destination, const Column& flits, bool crossings) {
  const Table table = std::get<Table>(to_value(config).held);
  const std::size_t rows = id.shape(0);
  if (cycle.shape(0) != rows || source.shape(0) != rows || destination.shape(0) != rows || flits.shape(0) != rows)
    throw nb::value_error("the columns are not equally long");
  if (rows >= 0x7fffffffu) throw nb::value_error("a trace holds fewer than 2^31 messages");
  Trace trace;
  const auto narrow = [](std::int64_t value) {
    return value < 0 || value > 0xffffffffLL ? 0xffffffffu : static_cast<std::uint32_t>(value);
  };
  for (std::size_t row = 0; row < rows; ++row) {
    trace.id.push_back(static_cast<std::uint64_t>(id.data()[row]));
    trace.cycle.push_back(static_cast<std::uint64_t>(cycle.data()[row]));
    trace.source.push_back(narrow(source.data()[row]));
    trace.destination.push_back(narrow(destination.data()[row]));
    trace.flits.push_back(narrow(flits.data()[row]));
  }
  Delivered found;
  {
    nb::gil_scoped_release release;
    found = replay(table, trace, crossings);
  }
  nb::dict out = outcome_dict(found.outcome);
  out["head"] = array<std::int64_t>(found.head);
  out["tail"] = array<std::int64_t>(found.tail);
  out["hops"] = array<std::int64_t>(found.hops);
  if (crossings) {
    nb::dict columns;
    const auto column = [&](const char* name, std::uint64_t Crossing::* part) {
      std::vector<std::int64_t> values;
      for (const auto& one : found.crossings) values.push_back(static_cast<std::int64_t>(one.*part));
      columns[name] = array<std::int64_t>(values);
    };
    column("message", &Crossing::message);
    column("packet", &Crossing::packet);
    column("link", &Crossing::link);
    column("channel", &Crossing::channel);
    column("head", &Crossing::head);
    column("tail", &Crossing::tail);
    out["crossings"] = columns;
  }
  return out;
}

/// The process's pending signals, in its main thread: Ctrl-C ends a run that this thread makes.
void pending_signals() {
  if (gettid() != getpid()) return;
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_stop(nb::module_& module) {
  assay::events::stop_hook = pending_signals;
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const assay::events::Stopped&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  module.def(
      "simulated_cycles", [] { return assay::events::simulated_cycles.load(); },
      "Cycles that this process has simulated so far, those of runs under way included.");
  module.def(
      "stop", [](bool on) { assay::events::stop_requested = on; }, nb::arg("on") = true,
      "Ends the runs of all threads of this process within some hundredths of a second, each with KeyboardInterrupt, "
      "and all later ones, until it is called with False.");
}

nb::dict bound_simulate(const nb::dict& config) {
  const Table table = std::get<Table>(to_value(config).held);
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    outcome = simulate(table);
  }
  return outcome_dict(outcome);
}

}  // namespace

void bind_network(nb::module_& module) {
  module.attr("__doc__") = "Networks at flit level.";
  bind_topologies(module);
  bind_stop(module);
  module.def(
      "simulate", &bound_simulate, nb::arg("config"),
      "One run: tables network, traffic, io, method in; counts, latencies by batch and histograms in cycles out.");
  module.def(
      "replay", &bound_replay, nb::arg("config"), nb::arg("id"), nb::arg("cycle"), nb::arg("source"),
      nb::arg("destination"), nb::arg("flits"), nb::arg("crossings") = false,
      "A trace through the network of config: int64 columns in; head, tail and hops by row out, -1 if undelivered; "
      "crossings: also every (message, packet, link, channel, head, tail), in cycles, tail -1 where it stands for "
      "ever; "
      "channel: which of its link's, times the lanes of one, plus the lane.");
}
