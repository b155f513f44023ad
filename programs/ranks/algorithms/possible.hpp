// Cases of collective operations by algorithm: what their settings say, how they are labelled, and which of them the
// table has and a machine can do.
#pragma once

#include <string>

#include "ranks/algorithms/in_background.hpp"
#include "ranks/algorithms/rows.hpp"
#include "ranks/session.hpp"

namespace assay::ranks {

inline constexpr std::string_view possible_fragment = R"fragment(
[parameter.node_ranks]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
help = "ranks that a two-level algorithm takes for a node: so many consecutive ones; 0: those that run on one"
)fragment";

struct CollectiveCase {
  Operation operation;
  Algorithm algorithm;
  std::size_t bytes;
  int root, among;
  double skew = 0;  // s in which the ranks enter
  bool blocking = true;
};

inline Operation operation_of(const timing::CaseSettings& settings) {
  return named<Operation>(operation_names, settings.at("operation").text);
}
inline Algorithm algorithm_of(const timing::CaseSettings& settings) {
  return named<Algorithm>(algorithm_names, settings.at("algorithm").text);
}
inline std::size_t bytes_of(const timing::CaseSettings& settings) {
  return static_cast<std::size_t>(settings.at("bytes").integer);
}
inline timing::Json labelled(const CollectiveCase& at) {
  timing::Json json;
  json.text("operation", operation_names[static_cast<std::size_t>(at.operation)]);
  json.text("algorithm", algorithm_names[static_cast<std::size_t>(at.algorithm)]);
  return json.integer("bytes", static_cast<std::int64_t>(at.bytes));
}

// Room that a rank's data of each case need, in bytes. `case_of(settings)` gives a CollectiveCase.
template <class CaseOf>
std::size_t most_bytes(const Session& session, CaseOf case_of) {
  std::size_t most = 0;
  for (const auto& each : session.cases()) {
    const CollectiveCase at = case_of(each);
    most = std::max(most, blocks(at.operation, at.among) * at.bytes);
  }
  return most;
}

// Whether the table has the algorithm for the operation; a library has all of them.
template <class C>
bool in_table(Operation operation, Algorithm algorithm) {
  return algorithm == Algorithm::library || row_of<C>(operation, algorithm) != nullptr;
}

// The algorithms that it has for an operation, but one, as a line.
template <class C>
std::string table_of(Operation operation, std::string_view but = "") {
  std::string has;
  for (std::size_t k = 0; k < algorithm_names.size(); ++k)
    if (in_table<C>(operation, static_cast<Algorithm>(k)) && algorithm_names[k] != but)
      has += (has.empty() ? "" : ", ") + std::string(algorithm_names[k]);
  return has;
}

// Skips what the table does not have, what this machine cannot do, and what would be measured twice; gives the nodes
// where two-level algorithms are asked for. Once for all ranks that share a session: they would not all see the first
// case.
template <class C, class CaseOf>
Nodes keep_possible(const C& comm, Session& session, CaseOf case_of) {
  const CollectiveCase first = case_of(session.cases().front());
  const bool says = comm.is_simulated() || comm.rank() == 0;
  const auto others = [&](std::string why, std::string_view but) {
    return Reason(std::move(why), "algorithm", table_of<C>(first.operation, but));
  };
  const auto keep = [&](const Reason& reason, bool reported, auto possible) {
    session.keep([&](const auto& each) { return possible(case_of(each)); }, reason, reported);
  };
  keep(others(
           "no such algorithm of operation=" + std::string(operation_names[static_cast<std::size_t>(first.operation)]),
           ""),
       false, [](const CollectiveCase& at) { return in_table<C>(at.operation, at.algorithm); });
  keep(others("no non-blocking operations of a library on this machine", "library"), says,
       [](const CollectiveCase& at) { return OwnNonBlocking<C> || at.blocking || at.algorithm != Algorithm::library; });
  keep(others("no library's own on this machine", "library"), says, [&comm](const CollectiveCase& at) {
    return has_collectives(comm) || at.algorithm != Algorithm::library || at.operation == Operation::barrier;
  });
  keep({"reductions take whole 8-byte words", "bytes", "a multiple of 8"}, says,
       [](const CollectiveCase& at) { return !reduces(at.operation) || at.bytes % 8 == 0; });
  keep({"no rank of so many", "root", "0 to " + std::to_string(first.among - 1)}, says,
       [](const CollectiveCase& at) { return !rooted(at.operation) || at.root < at.among; });
  const auto by_node = [&](const auto& each) { return case_of(each).algorithm == Algorithm::two_level; };
  Nodes nodes;
  if (std::ranges::any_of(session.cases(), by_node)) {
    nodes = Nodes::of(comm, static_cast<int>(session.cases().front().at("node_ranks").integer));
    keep(others("two levels need two nodes, one of them with two ranks", "two-level"), says,
         [&](const CollectiveCase& at) { return at.algorithm != Algorithm::two_level || nodes.differ(at.among); });
    keep(others("two levels of a scan need two ranks one after the other on a node", "two-level"), says,
         [&](const CollectiveCase& at) {
           return at.algorithm != Algorithm::two_level || !by_runs(at.operation) || nodes.runs_differ(at.among);
         });
  }
  // Most have no root, a barrier no length.
  keep({"the same as another case"}, false, [&](const CollectiveCase& at) {
    return (at.operation != Operation::barrier || at.bytes == first.bytes) &&
           (rooted(at.operation) || at.root == first.root);
  });
  return nodes;
}

}  // namespace assay::ranks
