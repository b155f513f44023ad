// What Python gives of shared resources, checked: resources, what each kind of jobs uses of each, and each job's kind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "batch/progress.hpp"

namespace assay::batch {

using SharedRows =
    std::tuple<std::vector<std::pair<double, std::int32_t>>,         // capacity, nodes that share one
               std::vector<std::vector<std::pair<double, double>>>,  // of each kind: demand and part of each resource
               std::vector<std::int32_t>>;                           // kinds of jobs

/// std::invalid_argument where a job has no kind, or a kind does not name every resource.
inline SharedResources shared_of(const SharedRows& rows, std::size_t jobs) {
  SharedResources made;
  const auto& [resources, kinds, kind] = rows;
  for (const auto& [capacity, nodes] : resources) made.resources.push_back({capacity, nodes});
  for (const auto& uses : kinds) {
    if (uses.size() != resources.size()) throw std::invalid_argument("a kind of jobs does not name every resource");
    made.kinds.emplace_back();
    for (const auto& [demand, part] : uses) made.kinds.back().push_back({demand, part});
  }
  if (!resources.empty() && kind.size() != jobs) throw std::invalid_argument("not every job has a kind");
  for (const std::int32_t each : kind)
    if (each < 0 || static_cast<std::size_t>(each) >= kinds.size())
      throw std::invalid_argument("there is no such kind of jobs");
  made.kind = kind;
  return made;
}

}  // namespace assay::batch
