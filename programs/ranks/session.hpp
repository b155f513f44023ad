// What a program finds beside its communicator: its parameters, and where its samples go. On MPI every rank has its own
// and only rank 0's writes; on the described machine all ranks share one, which keeps a rank small.
#pragma once

#include <algorithm>
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

class Session {
 public:
  using Sink = std::function<void(const timing::Json&)>;
  using Order = std::vector<std::size_t>;

  // `described`: a simulated machine. Fixed repetitions (one, unless given), batch 1, no warm-up and no accounting.
  Session(timing::Options options, Sink sink, bool described, double clock_overhead, double clock_resolution)
      : options_(std::move(options)), sink_(std::move(sink)), described_(described) {
    if (described) {
      options_.repetitions = options_.repetitions.value_or(1);
      options_.batch = options_.batch.value_or(1);
      pacing_ = {0, 0, options_.batch, options_.repetitions, false};
    } else {
      // A reading so long that the clock costs under 1%, its tick is under 0.1%, and a slice gives some hundred of
      // them.
      const double reading = std::max({100 * clock_overhead, 1000 * clock_resolution, options_.slice / 150});
      pacing_ = {options_.slice, reading, options_.batch, options_.repetitions, true};
    }
    states_.resize(options_.cases.size());
  }
  Session(const Session&) = delete;

  const timing::Options& options() const { return options_; }
  const std::vector<timing::CaseSettings>& cases() const { return options_.cases; }
  const Pacing& pacing() const { return pacing_; }
  CaseState& state(std::size_t index) { return states_[index]; }
  std::int64_t blocks() const { return described_ ? 1 : options_.blocks; }

  // The cases' seeded random order in a block; the same on every rank, and no two blocks alike.
  const Order& order(std::int64_t block) {
    if (ordered_ != block) {
      order_.resize(options_.cases.size());
      for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
      std::uint64_t state = options_.seed * 1000003 + static_cast<std::uint64_t>(block);
      for (std::size_t left = order_.size(); left > 1; --left)
        std::swap(order_[left - 1], order_[random(state) % left]);
      ordered_ = block;
    }
    return order_;
  }

  // Puts `values()` in the place of a parameter's 0, which stands for all that this machine has: a case for each. Every
  // rank calls it before it samples, with the same values; where ranks share a session the first one does it.
  template <class Values>
  void widen(std::string_view name, Values&& values) {
    const auto open = [&](const timing::CaseSettings& each) { return each.at(name).integer == 0; };
    if (std::ranges::none_of(options_.cases, open)) return;
    const std::vector<std::int64_t> all = std::forward<Values>(values)();
    if (all.empty()) return;  // a machine on which there is nothing to go over
    std::vector<timing::CaseSettings> wider;
    for (const auto& each : options_.cases) {
      for (const std::int64_t value : open(each) ? all : std::vector<std::int64_t>{each.at(name).integer}) {
        wider.push_back(each);
        for (auto& [key, setting] : wider.back().values) {
          if (key == name) setting = {timing::Type::integer, value, static_cast<double>(value), std::to_string(value)};
        }
      }
    }
    options_.cases = std::move(wider);
    states_.assign(options_.cases.size(), {});
  }

  // Skips the cases that this machine cannot do, and notes why; InputFault where that is all of them. Called on every
  // rank, before it samples.
  template <class Possible>
  void keep(Possible&& possible, const std::string& why, bool says) {
    const std::size_t had = options_.cases.size();
    std::erase_if(options_.cases, [&](const timing::CaseSettings& each) { return !possible(each); });
    if (options_.cases.empty()) throw timing::InputFault(why);
    if (options_.cases.size() == had) return;
    states_.assign(options_.cases.size(), {});
    if (says) note(why);
  }

  // splitmix64 (Steele, Lea and Flood 2014).
  static std::uint64_t random(std::uint64_t& state) {
    std::uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
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
  void write(const timing::Json& event) { sink_(event); }
  // Refuses a metric that the record does not name: it would have no unit.
  void require_metric(std::string_view metric) const {
    if (std::ranges::find(options_.metrics, metric) != options_.metrics.end()) return;
    std::string known;
    for (const std::string& each : options_.metrics) known += (known.empty() ? "" : ", ") + each;
    throw timing::InputFault("samples the metric '" + std::string(metric) +
                             "', which its record does not name; accepted: " +
                             (known.empty() ? "none: the record has no [metric.NAME]" : known));
  }
  // A note on the launch, such as cases that this machine cannot do and that are skipped; written once.
  void note(const std::string& text) {
    if (std::ranges::find(noted_, text) != noted_.end()) return;
    noted_.push_back(text);
    write(timing::Json().text("event", "note").text("text", text));
  }
  void check(const timing::Json& label, const Verdict& verdict) {
    passed_ = passed_ && verdict.passed;
    const bool silent = !verdict.passed && verdict.detail.empty();
    write(timing::Json()
              .text("event", "check")
              .object("case", label)
              .truth("passed", verdict.passed)
              .text("detail", silent ? "verify() set neither verdict.passed nor verdict.detail" : verdict.detail));
  }
  bool passed() const { return passed_; }

  // Which ranks are the first on their host, so that a host's busy time is counted once; set by main().
  std::vector<bool> leads;
  double began = 0;  // Unix time of the launch

 private:
  timing::Options options_;
  Sink sink_;
  bool described_;
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
inline void needs(bool enough, std::string_view what, int seen) {
  if (!enough) throw timing::InputFault("needs " + std::string(what) + "; seen: " + std::to_string(seen));
}

}  // namespace assay::ranks
