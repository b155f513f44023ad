// Distributed dot product: EuroBen's mod1i. Each rank multiplies its part of two vectors, and the partial sums become
// one sum that every rank has, in one of three ways:
//
//   naive     every rank sends its sum to rank 0, which adds them up and sends the whole to each
//   tree      the same up and down a binomial tree of sends and receives
//   library   the library's reduction to rank 0 and its broadcast
//
// Elements are small whole numbers, so that every order of adding gives the same sum; what travels is that sum as one
// 64-bit word. A described machine charges the kernel "dot" (flops: two per element), whose [compute] may say that a
// node's ranks share its memory. Source: van der Steen 2000, sections 4.1.1, 6.1.2.2 and 6.4.3.
#pragma once

#include <map>

#include "ranks/buffers.hpp"
#include "ranks/collectives.hpp"
#include "ranks/own_collectives.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct DistributedDot {
  static constexpr std::string_view record = R"record(
name = "distributed-dot"
title = "Distributed dot product"
part = "messages"
kind = "ranks"
ranks = "all"
least_ranks = 1
profiles = ["full"]
computes = ["dot"]
summary = "a dot product over all ranks, its sums joined naively, by a tree, or by the library, as in EuroBen's mod1i"
cost = "2 flops per element; naive: 2 (p - 1) messages of 8 bytes at the root; tree and library: ceil(log2 p) after one another up, and down"
check = "before the samples of a case count, every rank's sum against whole numbers added up in another order"
source = "van der Steen 2000, sections 4.1.1, 6.1.2.2, 6.2.2.2, 6.3.2.2 and 6.4.3"
published = ["euroben.mod1i"]
slice_quick = 0.01
slice_standard = 0.03
slice_full = 0.05
blocks_quick = 3
blocks_standard = 6
blocks_full = 8

[parameter.implementation]
type = "choice"
default = ["naive", "tree", "library"]
choices = ["naive", "tree", "library"]
sweep = true
help = "how the partial sums become one"

[parameter.length]
type = "integer"
default = 4194304
min = 1
max = 1073741824
unit = "1"
sweep = true
help = "elements of each vector, over all ranks; so that each rank's part is longer than a cache"

[parameter.ranks]
type = "integer"
default = 0
min = 0
max = 16777216
unit = "1"
sweep = true
help = "ranks that the vectors are divided among: the first ones, as a group of their own; 0: all"

[metric.time]
unit = "s"
help = "from the common start until the last rank has the sum"

[metric.clock_error]
from = "ranks/windows.hpp"

[figure.rate]
metric = "time"
formula = "2 * length / value"
unit = "flop/s"
better = "higher"
headline = true
help = "two flops per element over the time"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "from the common start until the last rank has the sum"
)record";

  template <Grouped C>
  static Task run(C& comm, Session& session) {
    session.widen("ranks", [&] { return std::vector<std::int64_t>{comm.size()}; });
    session.keep([&](const auto& each) { return case_of(each).way != Way::library || has_collectives(comm); },
                 {"no library's own on this machine", "implementation", "naive, tree"}, comm.rank() == 0);
    Kernel<C> kernel;
    std::size_t most = 0;
    for (const auto& each : session.cases()) {
      const Case at = case_of(each);
      if (at.among > comm.size())
        refuse("ranks", "more than there are", std::to_string(at.among), "0 (all) to " + std::to_string(comm.size()));
      co_await kernel.join(comm, at.among);
      if (comm.rank() < at.among) most = std::max(most, own(kernel.group(comm, at), at.length));
    }
    if (!comm.is_simulated()) {
      kernel.vectors_ = Vectors(most);
      kernel.windows_ = std::make_unique<Windows>();
    }
    co_await sample(comm, session, kernel);
    if (comm.rank() == 0) report(session, kernel.windows_);
    for (auto& [_, group] : kernel.groups_) co_await comm.release(group);
  }

  enum class Way : std::uint8_t { naive, tree, library };
  struct Case {
    Way way;
    std::size_t length;
    int among;  // ranks that take part
  };
  static Case case_of(const timing::CaseSettings& settings) {
    const std::string& name = settings.at("implementation").text;
    return {name == "naive"  ? Way::naive
            : name == "tree" ? Way::tree
                             : Way::library,
            static_cast<std::size_t>(settings.at("length").integer), static_cast<int>(settings.at("ranks").integer)};
  }
  struct Vectors {
    Vectors() = default;
    explicit Vectors(std::size_t length) : x(length, 1.0), y(length, 1.0) {}
    std::vector<double> x, y;
  };
  static constexpr int tag = 1;
  static constexpr std::uint64_t of_x = 5, of_y = 7;  // element i is 1 + i mod these

  // Elements of the vectors that a rank has, and the first of them.
  template <Communicator C>
  static std::size_t first(const C& comm, std::size_t length, int rank) {
    return length * static_cast<std::size_t>(rank) / static_cast<std::size_t>(comm.size());
  }
  template <Communicator C>
  static std::size_t own(const C& comm, std::size_t length) {
    return first(comm, length, comm.rank() + 1) - first(comm, length, comm.rank());
  }
  template <Communicator C>
  static void fill(const C& comm, std::size_t length, Vectors& vectors) {
    const std::size_t begin = first(comm, length, comm.rank());
    for (std::size_t i = 0; i < own(comm, length); ++i) {
      vectors.x[i] = static_cast<double>(1 + (begin + i) % of_x);
      vectors.y[i] = static_cast<double>(1 + (begin + i) % of_y);
    }
  }
  // The sum by how often each pair of values occurs: whole periods of 35 elements, and the rest.
  static std::uint64_t expected(std::size_t length) {
    constexpr std::uint64_t period = of_x * of_y, of_period = (of_x * (of_x + 1) / 2) * (of_y * (of_y + 1) / 2);
    std::uint64_t sum = length / period * of_period;
    for (std::uint64_t i = 0; i < length % period; ++i) sum += (1 + i % of_x) * (1 + i % of_y);
    return sum;
  }

  // In a sum of its own: one in a coroutine's frame is stored at each element, and keeps the loop from being
  // vectorised.
  static double product(const double* x, const double* y, std::size_t length) {
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += x[i] * y[i];
    return sum;
  }

  // One dot product; `sum` has it on every rank in the end. Vectors of no elements are simulated without their data.
  template <Communicator C>
  static Task once(C& comm, Case at, const Vectors& vectors, std::uint64_t& sum) {
    if (at.way == Way::naive) return naively(comm, at, vectors, sum);
    if (at.way == Way::tree) return by_tree(comm, at, vectors, sum);
    return by_library(comm, at, vectors, sum);
  }
  // A rank's own part into `sum`. Awaited in each way's one coroutine: a second one would be timed as well.
  template <Communicator C>
  static auto own_part(C& comm, const Case& at, const Vectors& vectors, std::uint64_t& sum) {
    const std::size_t length = own(comm, at.length), held = std::min(length, vectors.x.size());
    return comm.compute(Work{"dot", 2.0 * static_cast<double>(length)}, [&vectors, &sum, held] {
      sum = static_cast<std::uint64_t>(product(vectors.x.data(), vectors.y.data(), held));
    });
  }
  template <Communicator C>
  static Task naively(C& comm, Case at, const Vectors& vectors, std::uint64_t& sum) {
    co_await own_part(comm, at, vectors, sum);
    if (comm.rank() > 0) {
      co_await comm.send(&sum, sizeof sum, 0, tag);
      co_await comm.recv(&sum, sizeof sum, 0, tag);
      co_return;
    }
    for (int rank = 1; rank < comm.size(); ++rank) {
      std::uint64_t other = 0;
      co_await comm.recv(&other, sizeof other, rank, tag);
      sum += other;
    }
    for (int rank = 1; rank < comm.size(); ++rank) co_await comm.send(&sum, sizeof sum, rank, tag);
  }
  // Up a binomial tree and down again, in one coroutine: a reduction and a broadcast would be two frames.
  template <Communicator C>
  static Task by_tree(C& comm, Case at, const Vectors& vectors, std::uint64_t& sum) {
    co_await own_part(comm, at, vectors, sum);
    const int me = comm.rank(), ranks = comm.size();
    int bit = 1;
    for (; bit < ranks && (me & bit) == 0; bit *= 2) {
      if (me + bit >= ranks) continue;
      std::uint64_t other = 0;
      co_await comm.recv(&other, sizeof other, me + bit, tag);
      sum += other;
    }
    if (me > 0) {
      co_await comm.send(&sum, sizeof sum, me & ~bit, tag);
      co_await comm.recv(&sum, sizeof sum, me & ~bit, tag);
    }
    for (bit /= 2; bit > 0; bit /= 2) {
      if (me + bit < ranks) co_await comm.send(&sum, sizeof sum, me + bit, tag);
    }
  }
  template <Communicator C>
  static Task by_library(C& comm, Case at, const Vectors& vectors, std::uint64_t& sum) {
    co_await own_part(comm, at, vectors, sum);
    if constexpr (OwnCollectives<C>) {
      std::uint64_t whole = 0;
      co_await comm.collective(Operation::reduce, &sum, &whole, sizeof sum, 0);
      sum = whole;
      co_await comm.collective(Operation::broadcast, nullptr, &sum, sizeof sum, 0);
    }
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  template <Grouped C>
  struct Kernel {
    static constexpr std::string_view record = DistributedDot::record;
    static constexpr std::string_view metric = "time";
    std::span<Series> beside() { return ranks::beside(windows_); }
    double spacing() const { return windows_->length; }
    std::string_view cache(const Case&) const { return "same buffer"; }
    bool single(const Case&) const { return true; }
    Case at(const timing::CaseSettings& settings) const { return case_of(settings); }
    timing::Json label(C&, const Case& at) const {
      static constexpr std::string_view names[] = {"naive", "tree", "library"};
      timing::Json json;
      json.text("implementation", names[static_cast<std::size_t>(at.way)]);
      return json.integer("length", static_cast<std::int64_t>(at.length)).integer("ranks", at.among);
    }

    Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
      if (comm.is_simulated()) return described(comm, at, run, ticks);
      return in_windows(comm, at.among, run.readings, ticks, *windows_,
                        [this, &comm, &at] { return once(group(comm, at), at, vectors_, sum_); });
    }

    Task verify(C& all, Case at, Verdict& verdict) {
      if (all.rank() >= at.among) co_return;
      C& comm = group(all, at);
      constexpr std::size_t most = std::size_t{8} << 20;  // elements of all ranks in one process
      if (comm.is_simulated() && at.length > most) {
        verdict = {true, not_carried};
        co_return;
      }
      Vectors here;
      if (comm.is_simulated()) here = Vectors(own(comm, at.length));
      Vectors& vectors = comm.is_simulated() ? here : vectors_;
      fill(comm, at.length, vectors);
      std::uint64_t found = 0;
      co_await once(comm, at, vectors, found);
#ifdef ASSAY_BREAK  // the tests' saboteur
      found += comm.rank() == 0;
#endif
      std::int64_t wrong = found != expected(at.length), theirs = 0;
      co_await reduce(comm, comm.size(), &wrong, &theirs, 1, [](auto& mine, auto others) { mine += others; });
      verdict.passed = wrong == 0;
      verdict.detail = std::to_string(at.length) + " elements, " + std::to_string(comm.size()) + " ranks";
      if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " ranks have another sum";
    }

    // Every rank calls it for each number of ranks in turn.
    Task join(C& comm, int among) {
      if (among == comm.size() || groups_.contains(among)) co_return;
      groups_.emplace(among, co_await comm.split(comm.rank() < among ? 0 : 1, comm.rank()));
    }
    C& group(C& comm, const Case& at) { return at.among == comm.size() ? comm : groups_.at(at.among); }

    // On a described machine: from a common start to the last exit.
    Task described(C& comm, Case at, Run run, std::int64_t* ticks) {
      if (comm.rank() >= at.among) co_return;
      const Vectors none;
      std::uint64_t sum = 0;
      co_await to_last_exit(comm, at.among, true, run, ticks, [&] { return once(group(comm, at), at, none, sum); });
    }

    Vectors vectors_;
    std::uint64_t sum_ = 0;
    std::unique_ptr<Windows> windows_;
    std::map<int, C> groups_;  // by number of ranks
  };
};

using Program = DistributedDot;

}  // namespace assay::ranks
