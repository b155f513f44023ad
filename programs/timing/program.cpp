#include "timing/program.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "timing/accounting.hpp"
#include "timing/node_looks.hpp"
#include "timing/processor_time.hpp"
#include "timing/quota.hpp"
#include "timing/reference.hpp"
#include "timing/sampler.hpp"
#include "timing/settle.hpp"

namespace assay::timing {

class Measurement {
 public:
  Measurement(const Options& options, Output& output, const ClockQuality& clock)
      : options_(options), output_(output), clock_(clock) {}

  // True when every check passed. `or_nothing`: there may be nothing here to measure, which a note explains.
  bool run(const std::function<void(Case&)>& body, bool or_nothing = false) {
    std::deque<Case> cases;
    for (const CaseSettings& settings : options_.cases) body(cases.emplace_back(settings, options_, output_));
    std::vector<std::pair<Case*, std::vector<Case::Measured*>>> turns;  // a metric and what is observed of it
    for (Case& each : cases)
      for (Case::Measured& measured : each.measured_) {
        if (!measured.settings) turns.emplace_back(&each, std::vector<Case::Measured*>());
        turns.back().second.push_back(&measured);
      }
    if (turns.empty() && or_nothing) return true;
    if (turns.empty()) throw InputFault("nothing to measure: " + why_left_out(cases));  // no other launch has more
    for (auto& [each, together] : turns) prepare(*together.front());
    std::uint64_t state = options_.seed;
    std::int64_t order = 0;
    for (std::int64_t block = 0; block < options_.blocks; ++block) {
      shuffle(turns, state);
      for (auto& [each, together] : turns)
        for (Case::Measured* measured : together)
          if (block == 0 || !measured->once) take(*each, *measured, block, order++);
    }
    for (Case& each : cases)
      for (const auto& ask : each.on_finish_)
        if (const std::string warning = ask(); !warning.empty()) each.warn(warning);
    bool passed = true;
    for (Case& each : cases)
      for (const auto& verify : each.checks_) {
        const Check check = verify();
        output_.check(json_of(each.settings_), check.passed, check.detail);
        if (!check.passed)
          std::fprintf(stderr, "check failed for %s: %s\n", json_of(each.settings_).str().c_str(),
                       check.detail.c_str());
        passed = passed && check.passed;
      }
    return passed;
  }

 private:
  // Each parameter with the values that the cases have of it: `first=1, second=0,1`.
  static std::string values_of(const std::deque<Case>& cases) {
    std::vector<std::pair<std::string, std::vector<std::string>>> found;
    for (const Case& each : cases)
      for (const auto& [name, setting] : each.settings_.values) {
        auto of = std::find_if(found.begin(), found.end(), [&](const auto& known) { return known.first == name; });
        if (of == found.end()) of = found.insert(found.end(), {name, {}});
        auto& texts = of->second;
        if (std::find(texts.begin(), texts.end(), setting.text) == texts.end()) texts.push_back(setting.text);
      }
    std::string text;
    for (const auto& [name, texts] : found)
      for (const std::string& each : texts)
        text += (&each != &texts[0] ? "," : (text.empty() ? "" : ", ") + name + "=") + each;
    return text;
  }

  // Each reason once, the first two in words, as with what was seen and what is accepted: what was asked for may be of
  // many cases.
  static std::string why_left_out(const std::deque<Case>& cases) {
    std::vector<std::string> reasons, seen, accepted;
    const auto once = [](std::vector<std::string>& all, const std::string& text) {
      if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
    };
    for (const Case& each : cases)
      for (const auto& left : each.left_out_) {
        once(reasons, left.why);
        once(seen, left.seen);
        once(accepted, left.accepted);
      }
    if (reasons.empty()) {
      reasons.emplace_back("these values of its parameters make no case together");
      seen.push_back(values_of(cases));
    }
    if (accepted.empty()) accepted.emplace_back("other values of its parameters");
    const auto shown = [](const std::vector<std::string>& all, std::string_view between) {
      std::string text = all[0];
      if (all.size() > 1) text.append(between).append(all[1]);
      if (all.size() > 2) text.append(between).append("and " + std::to_string(all.size() - 2) + " more");
      return text;
    };
    std::string text = shown(reasons, "; ");
    if (!seen.empty()) text += "; got " + shown(seen, ", ");
    return text + (seen.empty() ? "; expected " : ", expected ") + shown(accepted, ", ");
  }

  // The first call is recorded by itself; then a batch so long that the clock costs under 1% and ticks under 0.1%, and
  // that a slice gives some hundred readings.
  void prepare(Case::Measured& measured) {
    if (measured.value) return;
    const std::int64_t unit = measured.traits.unit;
    measured.first = sampler_.once(measured.work, unit) / static_cast<double>(unit);
    if (options_.batch) {
      measured.batch = (*options_.batch + unit - 1) / unit * unit;
    } else {
      const double target =
          std::max({100 * clock_.overhead, 1000 * clock_.resolution, options_.slice / 150, measured.traits.reading});
      if (measured.traits.warm) measured.traits.warm();  // else a batch is found that is too short when all is warm
      const double before = *measured.first * static_cast<double>(unit);
      measured.batch = sampler_.calibrate(measured.work, unit, target, before);
    }
  }

  void take(Case& each, Case::Measured& measured, std::int64_t block, std::int64_t order) {
    settle();
    if (measured.traits.warm) measured.traits.warm();
    const Accounting before = read_accounting();
    const double from = unix_time();
    Samples samples;
    if (measured.all) {
      samples = {measured.all(), {}, "what the block left behind"};
      if (samples.values.empty()) return;
    } else if (measured.value) {
      samples = {{measured.value()}, {}, "one value a block"};
    } else if (options_.repetitions) {
      const SampleCount rule(static_cast<std::size_t>(*options_.repetitions), "repetitions done");
      samples = sampler_.block(measured.work, measured.traits.subtract, measured.batch, rule);
    } else {
      samples = sampler_.block(measured.work, measured.traits.subtract, measured.batch, TimeSlice(options_.slice));
    }
    const double to = unix_time();
    const Json accounting = read_accounting().since(before).json();
    const auto write = [&](const std::string& metric, const std::vector<double>& values, std::optional<double> first) {
      Json line;
      const CaseSettings& settings = measured.settings ? *measured.settings : each.settings_;
      line.text("event", "block").object("case", json_of(settings)).text("metric", metric);
      line.integer("block", block).integer("order", order).integer("batch", measured.batch);
      first ? line.number("first", *first) : line.null("first");
      line.numbers("values", values).text("ended", samples.ended).number("t0", from).number("t1", to);
      output_.line(line.text("cache", measured.traits.cache).object("accounting", accounting));
    };
    write(measured.metric, samples.values, block == 0 ? measured.first : std::nullopt);
    if (!measured.traits.subtract_metric.empty())
      write(measured.traits.subtract_metric, samples.subtracted, std::nullopt);
  }

  const Options& options_;
  Output& output_;
  ClockQuality clock_;
  Sampler sampler_;
};

int run_program(std::string_view record, int argc, const char* const* argv, const std::function<void(Case&)>& body,
                std::string_view flags) {
  hold_leash();
  const std::string name = name_of(record);
  try {
    const Options options = parse_options(argc, argv);
    if (options.action != Options::Action::run) {
      std::fputs((options.action == Options::Action::record ? std::string(record) : help_text(record)).c_str(), stdout);
      return std::fflush(stdout) == 0 ? 0 : 1;
    }
    if (options.metrics.empty()) throw InputFault(unresolved(record));
    Output output(options.out);
    const ClockQuality clock = measure_clock();
    const Placement place = here(0);
    Json launch = launch_event(name, options, {place}, {host_facts(place.host).str()}, "none", "", clock, flags);
    output.line(launch.number("reference", time_reference()));
    node_looks().begin();
    const std::int64_t stopped = times_stopped();
    const bool passed = Measurement(options, output, clock).run(body, options.or_nothing);
    if (const std::int64_t times = times_stopped() - stopped; times > 0)
      output.remark(Remark::warning, stopped_note(read_quota().file, times));
    for (const NodeLook& look : node_looks().end()) output.line(node_event(place.host, look));
    const ProcessorTime spent = processor_time();
    Json done = Json().text("event", "done").number("reference", time_reference());
    output.line(done.number("user", spent.user).number("system", spent.system));
    return passed ? 0 : 1;
  } catch (const InputFault& fault) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
    return 2;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
    return 1;
  }
}

}  // namespace assay::timing
