// What the five NAS kernels have in common: a problem class, and a program that can be prepared, run and checked.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/collectives.hpp"
#include "ranks/session.hpp"
#include "ranks/task.hpp"

namespace assay::applications::nas {

enum class Class : std::uint8_t { S, W, A, B, C };
inline constexpr std::size_t classes = 5;
inline constexpr std::size_t place(Class size) { return static_cast<std::size_t>(size); }

// One kernel at one class on this rank. Without data (`carries` false, on a described machine) it has no memory: its
// messages have their lengths alone, and what would be computed is charged.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual ranks::Task prepare() = 0;                       // untimed: the input as it is at the beginning
  virtual ranks::Task run() = 0;                           // what is timed
  virtual ranks::Task check(ranks::Verdict& verdict) = 0;  // untimed, after run(): rank 0's verdict counts
};

inline bool is_power_of_two(int ranks) { return (ranks & (ranks - 1)) == 0; }

// A kernel on a communicator: work that a description charges by `kernel`, done only where there are data.
template <ranks::Communicator C>
class Charged : public Kernel {
 protected:
  Charged(C& comm, std::string_view kernel, bool carries) : comm_(comm), kernel_(kernel), carries_(carries) {}

  template <class Body>
  auto work(double amount, Body body) {
    return comm_.compute(ranks::Work{kernel_, amount}, [this, &body] {
      if (carries_) body();
    });
  }
  template <class Value>
  Value* data(std::vector<Value>& values) const {
    return carries_ ? values.data() : nullptr;
  }

  C& comm_;
  std::string_view kernel_;
  bool carries_;
};

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
