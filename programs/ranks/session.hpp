// What a program finds beside its communicator: its parameters, and where its samples go. On MPI every rank has its own
// and only rank 0's writes; on the described machine all ranks share one, which keeps a rank small.
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/pace.hpp"
#include "timing/accounting.hpp"
#include "timing/faults.hpp"
#include "timing/options.hpp"
#include "timing/output.hpp"

namespace assay::ranks {

// What verify() finds. A verdict that verify() does not set is a failed check.
struct Verdict {
  bool passed = false;
  std::string detail;
};

// Why a program passes over a case. Where it has none but such, that is an error, which names a parameter's key, the
// values seen, and what is accepted.
struct Reason {
  Reason(const char* text) : why(text) {}  // of what a machine does not describe; of no one parameter
  Reason(std::string text, std::string_view parameter, std::string accepts)
      : why(std::move(text)), key(parameter), accepted(std::move(accepts)) {}
  std::string why;
  std::string_view key;
  std::string accepted;
};

struct BlockLine;
struct BlockFacts;

// An event as its JSON, and what the events say that a simulated launch also gives as columns.
struct Event {
  const timing::Json& json;
  const BlockLine* block = nullptr;  // of a block, with its facts and its order
  const BlockFacts* facts = nullptr;
  std::int64_t order = 0;
  const timing::Json* checked = nullptr;  // of a check, the case, with the verdict
  const Verdict* verdict = nullptr;
};

class Session {
 public:
  using Sink = std::function<void(const Event&)>;
  using Order = std::vector<std::size_t>;

  // `described`: a simulated machine. Fixed repetitions (one, unless given), batch 1, no warm-up and no accounting.
  Session(timing::Options options, Sink sink, bool described, double clock_overhead, double clock_resolution);
  Session(const Session&) = delete;

  const timing::Options& options() const { return options_; }
  const std::vector<timing::CaseSettings>& cases() const { return options_.cases; }
  const Pacing& pacing() const { return pacing_; }
  // On a described machine, of a case that draws so many times where repetitions are not stated.
  Pacing drawing(std::int64_t draws) const {
    Pacing pacing = pacing_;
    if (!stated_) pacing.repetitions = draws;
    return pacing;
  }
  CaseState& state(std::size_t index) { return states_[index]; }
  std::int64_t blocks() const { return described_ ? 1 : options_.blocks; }

  // The cases' seeded random order in a block; the same on every rank, and no two blocks alike.
  const Order& order(std::int64_t block);

  // Puts `values()` in the place of a parameter's 0, which stands for all that this machine has: a case for each. Every
  // rank calls it before it samples, with the same values; where ranks share a session the first one does it.
  template <class Values>
  void widen(std::string_view name, Values&& values) {
    if (open(name)) fill(name, std::forward<Values>(values)());
  }

  // Leaves out the cases that this machine cannot do, and notes why; InputFault where that is all of them. Called on
  // every rank, before it samples.
  void keep(const std::function<bool(const timing::CaseSettings&)>& possible, const Reason& reason, bool says);

  // splitmix64 (Steele, Lea and Flood 2014).
  static std::uint64_t random(std::uint64_t& state) {
    std::uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  // Any order alike likely (Fisher and Yates); the state moves on.
  template <class Value>
  static void shuffle(std::vector<Value>& values, std::uint64_t& state) {
    for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[random(state) % left]);
  }

  // Made by the first rank that asks and shared by those of this process: a table that all need.
  template <class T, class Make>
  const T& shared(Make&& make) {
    if (!shared_.has_value()) shared_ = std::any(T(std::forward<Make>(make)()));
    return std::any_cast<const T&>(shared_);
  }

  // Where a rank writes its verdict of a check: rank 0's is kept, the others' are not read.
  Verdict& verdict(bool kept) { return verdicts_[kept ? 1 : 0] = {}; }

  // For rank 0: room for the ticks of a run, the verdict of a check, and the events.
  std::int64_t* ticks(std::int64_t readings) {
    if (ticks_.size() < static_cast<std::size_t>(readings)) ticks_.resize(static_cast<std::size_t>(readings));
    return ticks_.data();
  }
  void write(const timing::Json& event) { sink_({event}); }
  void write(const Event& event) { sink_(event); }
  // Refuses a metric that the record does not name: it would have no unit.
  void require_metric(std::string_view metric) const;
  // A note on the launch, such as cases that this machine cannot do and that are skipped; written once.
  void note(const std::string& text);
  void check(const timing::Json& label, const Verdict& verdict);
  bool passed() const { return passed_; }

  // Which ranks are the first on their host, so that a host's busy time is counted once; set by main().
  std::vector<bool> leads;
  double began = 0;  // Unix time of the launch

 private:
  bool open(std::string_view name) const;  // whether a case has the parameter's 0
  void fill(std::string_view name, const std::vector<std::int64_t>& all);

  timing::Options options_;
  Sink sink_;
  bool described_, stated_;
  Pacing pacing_;
  std::vector<CaseState> states_;
  std::int64_t ordered_ = -1;
  Order order_;
  std::any shared_;
  Verdict verdicts_[2];
  std::vector<std::string> noted_;
  std::vector<std::int64_t> ticks_;
  bool passed_ = true;
};

// Refuses a number of ranks that a program cannot run on.
void needs(bool enough, std::string_view what, int seen);
// Refuses a parameter's value.
[[noreturn]] void refuse(std::string_view key, std::string_view problem, const std::string& seen,
                         std::string_view accepted);

}  // namespace assay::ranks
