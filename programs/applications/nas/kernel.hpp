// What the five NAS kernels have in common: problem classes, sums over all ranks, and comparison with official results.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "applications/application.hpp"
#include "ranks/collectives.hpp"
#include "ranks/session.hpp"
#include "ranks/task.hpp"

namespace assay::applications::nas {

enum class Class : std::uint8_t { S, W, A, B, C };
inline constexpr std::size_t classes = 5;
inline constexpr std::size_t place(Class size) { return static_cast<std::size_t>(size); }

inline bool is_power_of_two(int ranks) { return (ranks & (ranks - 1)) == 0; }

struct Sum {
  template <class Value>
  void operator()(Value& mine, const Value& theirs) const {
    mine += theirs;
  }
};

// Sums on every rank, added up in the same order on every machine. Without data `values` is null.
template <ranks::Communicator C>
ranks::Task sum_of_all(C& comm, double* values, double* room, std::size_t count) {
  co_await ranks::reduce(comm, comm.size(), values, room, count, Sum());
  co_await ranks::broadcast(comm, values, count * sizeof(double));
}

// Whether a result is the official one within a relative error, in words.
inline bool agrees(std::string& detail, const char* name, double found, double official, double epsilon) {
  const double error = std::abs((found - official) / official);
  char text[120];
  std::snprintf(text, sizeof text, "%s%s %.13e, official %.13e", detail.empty() ? "" : "; ", name, found, official);
  detail += text;
  return error <= epsilon;  // not of NaN
}

}  // namespace assay::applications::nas
