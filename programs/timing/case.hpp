// One case of a node program: what the program's body measures, observes and checks of it (program.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timing/options.hpp"
#include "timing/output.hpp"

namespace assay::timing {

using Work = std::function<void(std::int64_t)>;  // performs so many operations

struct Check {
  bool passed = false;
  std::string detail;
};

struct Traits {
  std::int64_t unit = 1;                 // the operations of a call come in multiples of this
  Work subtract = nullptr;               // its time is taken off reading by reading (the loop's own time) ...
  std::string subtract_metric = "";      // ... and written as samples of this metric, where named
  std::string cache = "same buffer";     // method.md, rule 8: same buffer, rotating, flushed
  double reading = 0;                    // s, the least that a reading takes: where setting threads to work costs time
  std::function<void()> warm = nullptr;  // before every block, not timed: what the block before it drove out
};

class Case {
 public:
  Case(CaseSettings settings, const Options& options, Output& output);
  Case(const Case&) = delete;
  ~Case();

  std::int64_t integer(std::string_view name) const { return settings_.at(name).integer; }
  double real(std::string_view name) const { return settings_.at(name).real; }
  const std::string& choice(std::string_view name) const { return settings_.at(name).text; }
  const std::string& path(std::string_view name) const { return settings_.path(name); }
  // NAME:TOKEN of the folder for files; with the node's name behind NAME where nodes have names, for they may share it.
  std::string subfolder() const;
  std::uint64_t seed() const { return options_.seed; }
  const std::string& profile() const { return options_.profile; }
  std::int64_t launch() const { return options_.launch; }
  double slice() const { return options_.slice; }

  // Measures the time of an operation; `work(n)` performs n of them.
  void measure(std::string metric, Work work, Traits traits = {});
  // Takes a value that is not the time of a call (bytes, a rate computed by the program): once per block, or, where a
  // second would only repeat the first, once per launch.
  void observe(std::string metric, std::function<double()> value, bool once = false);
  // What the last measured metric's block left behind, taken right after it, for one of several things that a case
  // holds at once (a thread, a pair of hardware threads): `label` joins the case's parameters in what is written.
  void observe(std::string metric, std::string label, std::int64_t which, std::function<double()> value);
  void observe(std::string metric, std::string label, std::string which, std::function<double()> value);
  // The same with several labels, all of them texts.
  void observe(std::string metric, const std::vector<std::pair<std::string, std::string>>& labels,
               std::function<double()> value);
  // Several values of a block, one each of single operations, or none: then the block writes nothing under this label.
  void observe_all(std::string metric, const std::vector<std::pair<std::string, std::string>>& labels,
                   std::function<std::vector<double>()> values);
  // A further metric of the whole case.
  void add_metric(std::string metric, std::function<double()> value);
  // Writes a line of the program's own among the others: what readings alone do not hold (a trace).
  void write(const Json& line);
  Json label() const;
  // What the case turned out to be joins its parameters in all that is written of it; before anything is observed.
  void also_label(std::string label, std::string which);
  // Says how far a long piece of work outside of what is measured has come: `done` of `of` pieces, and the one that
  // begins now. A run shows it while it lasts.
  void progress(std::int64_t done, std::int64_t of, std::string_view now);
  // The values of all cases of this launch.
  const std::vector<CaseSettings>& all_cases() const { return options_.cases; }
  // Verifies what the measured calls left behind, by other means than theirs; runs after all blocks.
  void check(std::function<Check()> verify);
  void note(std::string_view text);
  // A reason to doubt this launch's numbers: they are written all the same, but the run is not reported as clean.
  void warn(std::string_view text);
  // Called after all blocks; gives the text of a warning, "" for none.
  void on_finish(std::function<std::string()> ask);
  // Nothing is measured for these parameters: a note gives the reason. Where all cases are skipped, the input is wrong:
  // then the message also has the value of `parameter`, if the program has one, and what would be `accepted`,
  // "threads=1".
  void skip(std::string_view why, std::string_view parameter = {}, std::string_view accepted = {});

  // Former names, for programs written with them: none compiles, and the error has the new name.
  template <class... Any>
  void also_observe(Any&&...) {
    static_assert(former<Any...>, "also_observe is now called add_metric");
  }
  template <class... Any>
  void leave_out(Any&&...) {
    static_assert(former<Any...>, "leave_out is now called skip");
  }
  template <class... Any>
  void afterwards(Any&&...) {
    static_assert(former<Any...>, "afterwards is now called on_finish");
  }

 private:
  friend class Measurement;
  template <class... Any>
  static constexpr bool former = false;
  struct Measured {
    std::string metric;
    Work work;
    std::function<double()> value;
    Traits traits;
    std::int64_t batch = 0;
    std::optional<double> first;
    bool once = false;                                    // in the first block only
    std::optional<CaseSettings> settings = std::nullopt;  // in place of the case's own
    std::function<std::vector<double>()> all = nullptr;   // in place of one value
  };
  void observe_too(std::string metric, std::optional<CaseSettings> settings, std::function<double()> value);

  CaseSettings settings_;
  const Options& options_;
  Output& output_;
  std::vector<Measured> measured_;
  std::vector<std::function<Check()>> checks_;
  std::vector<std::function<std::string()>> on_finish_;
  struct LeftOut {
    std::string why, seen, accepted;
  };
  std::vector<LeftOut> left_out_;  // why there is nothing to measure
};

}  // namespace assay::timing
