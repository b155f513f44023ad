"""A person's own program that works as long as its build states: differences that are planted, not scaled."""

from __future__ import annotations

# STEPS steps of a chain of multiplications, or with -DSTREAM of a walk through 64 MiB that goes on where it ended.
PLANTED = """
#pragma once
#include "ranks/sampling.hpp"
#ifndef STEPS
#define STEPS 100000
#endif

namespace assay::ranks {

struct Planted {
  static constexpr std::string_view record = R"record(
name = "planted"
title = "Planted work"
part = "messages"
kind = "ranks"
least_ranks = 1
summary = "a stated number of steps"
cost = "one operation is all steps"
check = "the steps that were made"
source = "bench/worker.c"

[parameter.words]
type = "integer"
default = 8388608
sweep = true
help = "length of the array"

[metric.time]
unit = "s"
help = "time of all steps"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "time of all steps"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Planted kernel;
    co_await sample(comm, session, kernel);
  }

  using Case = std::size_t;  // words, a power of two
  static constexpr std::string_view metric = "time";
  std::string_view cache(Case) const { return "none"; }
  Case at(const timing::CaseSettings& each) const { return static_cast<std::size_t>(each.at("words").integer); }
  template <Communicator C>
  timing::Json label(C&, Case words) const {
    return timing::Json().integer("words", static_cast<std::int64_t>(words));
  }

  template <Communicator C>
  Task operate(C& comm, const Case& words, Run run, std::int64_t* ticks) {
    memory_.resize(words, 1);
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::int64_t start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) work();
      if (ticks) ticks[reading] = std::max<std::int64_t>(1, comm.now() - start);
    }
    co_return;
  }

  template <Communicator C>
  Task verify(C&, const Case&, Verdict& verdict) {
    verdict = {made_ == passes_ * STEPS, std::to_string(made_) + " steps"};
    co_return;
  }

 private:
  [[gnu::noinline]] void work() {
    for (std::int64_t step = 0; step < STEPS; ++step) {
#ifdef STREAM
      value_ += memory_[(at_++ * 8) & (memory_.size() - 1)];
#else
      value_ = value_ * 6364136223846793005u + 1442695040888963407u;
#endif
      asm volatile("" : "+r"(value_));  // every step is made
    }
    made_ += STEPS;
    ++passes_;
  }

  std::vector<std::uint64_t> memory_;
  std::size_t at_ = 0;
  std::uint64_t value_ = 88172645463325252u;
  std::int64_t made_ = 0, passes_ = 0;
};

using Program = Planted;

}  // namespace assay::ranks
"""
RANKS = ("-n", "1")
