// Descriptions and logs between Python and the core.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "network/values/bind.hpp"
#include "ranks/log.hpp"
#include "ranks/machine_parameters.hpp"

namespace assay::described {
namespace nb = nanobind;

inline MachineParameters decoded(const nb::dict& machine) {
  return read_machine(std::get<network::Table>(network::to_value(machine).held));
}

template <class Rows, class Of>
nb::list column(const Rows& rows, Of of) {
  nb::list out;
  for (const auto& row : rows) out.append(of(row));
  return out;
}
inline double seconds(Time time) { return static_cast<double>(time) * 1e-12; }

inline nb::dict columns(const Log& log) {
  static constexpr const char* doing[] = {"send",    "isend",   "sendrecv", "recv", "wait",
                                          "compute", "barrier", "put",      "get",  "complete"};
  static constexpr const char* crossing[] = {"request", "reply", "data"};
  nb::dict spans, sent, passages, matrix, all;
  spans["rank"] = column(log.spans, [](const auto& each) { return each.rank; });
  spans["doing"] = column(log.spans, [](const auto& each) { return doing[static_cast<int>(each.doing)]; });
  spans["from"] = column(log.spans, [](const auto& each) { return seconds(each.from); });
  spans["to"] = column(log.spans, [](const auto& each) { return seconds(each.to); });
  sent["source"] = column(log.sent, [](const auto& each) { return each.source; });
  sent["destination"] = column(log.sent, [](const auto& each) { return each.destination; });
  sent["tag"] = column(log.sent, [](const auto& each) { return each.tag; });
  sent["bytes"] = column(log.sent, [](const auto& each) { return each.bytes; });
  sent["called"] = column(log.sent, [](const auto& each) { return seconds(each.called); });
  sent["delivered"] = column(log.sent, [](const auto& each) { return seconds(each.delivered); });
  passages["message"] = column(log.passages, [](const auto& each) { return each.message; });
  passages["crossing"] =
      column(log.passages, [](const auto& each) { return crossing[static_cast<int>(each.crossing)]; });
  passages["source"] = column(log.passages, [](const auto& each) { return each.source; });
  passages["destination"] = column(log.passages, [](const auto& each) { return each.destination; });
  passages["flits"] = column(log.passages, [](const auto& each) { return each.flits; });
  passages["from"] = column(log.passages, [](const auto& each) { return seconds(each.from); });
  passages["left"] = column(log.passages, [](const auto& each) { return seconds(each.left); });
  passages["arrived"] = column(log.passages, [](const auto& each) { return seconds(each.arrived); });
  matrix["source"] = column(log.matrix, [](const auto& each) { return each.first.first; });
  matrix["destination"] = column(log.matrix, [](const auto& each) { return each.first.second; });
  matrix["messages"] = column(log.matrix, [](const auto& each) { return each.second.messages; });
  matrix["bytes"] = column(log.matrix, [](const auto& each) { return each.second.bytes; });
  all["spans"] = spans;
  all["sent"] = sent;
  all["passages"] = passages;
  all["matrix"] = matrix;
  return all;
}

}  // namespace assay::described
