// What an application is to the sampling loop: a program that can be prepared, run and checked, again and again.
#pragma once

#include <string_view>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/session.hpp"
#include "ranks/task.hpp"

namespace assay::applications {

// One application at one size on this rank. Without data (`carries` false, on a described machine) it has no memory:
// its messages have their lengths alone, and what would be computed is charged.
class Application {
 public:
  virtual ~Application() = default;
  virtual ranks::Task prepare() = 0;                       // untimed: the input as it is at the beginning
  virtual ranks::Task run() = 0;                           // what is timed
  virtual ranks::Task check(ranks::Verdict& verdict) = 0;  // untimed, after run(): rank 0's verdict counts
};

// An application on a communicator: work that a description charges by kernel, done only where there are data.
template <ranks::Communicator C>
class Charged : public Application {
 protected:
  Charged(C& comm, std::string_view kernel, bool carries) : comm_(comm), kernel_(kernel), carries_(carries) {}

  template <class Body>
  auto work(double amount, Body body) {
    return work(kernel_, amount, body);
  }
  template <class Body>
  auto work(std::string_view kernel, double amount, Body body) {
    return work(ranks::Work{kernel, amount}, body);
  }
  template <class Body>
  auto work(const ranks::Work& charged, Body body) {
    return comm_.compute(charged, [this, body]() mutable {
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

}  // namespace assay::applications
