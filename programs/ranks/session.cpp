#include "ranks/session.hpp"

#include <algorithm>

namespace assay::ranks {

Session::Session(timing::Options options, Sink sink, bool described, double clock_overhead, double clock_resolution)
    : options_(std::move(options)), sink_(std::move(sink)), described_(described), stated_(options_.repetitions) {
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

const Session::Order& Session::order(std::int64_t block) {
  if (ordered_ != block) {
    order_.resize(options_.cases.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::uint64_t state = options_.seed * 1000003 + static_cast<std::uint64_t>(block);
    shuffle(order_, state);
    ordered_ = block;
  }
  return order_;
}

static bool stands_open(const timing::CaseSettings& each, std::string_view name) { return each.at(name).integer == 0; }

bool Session::open(std::string_view name) const {
  return std::ranges::any_of(options_.cases, [&](const auto& each) { return stands_open(each, name); });
}

void Session::fill(std::string_view name, const std::vector<std::int64_t>& all) {
  if (all.empty()) return;  // a machine on which there is nothing to go over
  std::vector<timing::CaseSettings> wider;
  for (const auto& each : options_.cases) {
    for (const std::int64_t value : stands_open(each, name) ? all : std::vector<std::int64_t>{each.at(name).integer}) {
      wider.push_back(each);
      for (auto& [key, setting] : wider.back().values) {
        if (key == name) setting = {timing::Type::integer, value, static_cast<double>(value), std::to_string(value)};
      }
    }
  }
  options_.cases = std::move(wider);
  states_.assign(options_.cases.size(), {});
}

using Cases = std::vector<timing::CaseSettings>;

// A parameter's values in some cases, each once: the first eight of them.
static std::string values_of(const Cases& cases, std::string_view name) {
  constexpr std::size_t most = 8;
  std::vector<std::string> seen;
  for (const auto& each : cases)
    if (const std::string& text = each.at(name).text; std::ranges::find(seen, text) == seen.end()) seen.push_back(text);
  std::string listed;
  for (std::size_t i = 0; i < std::min(most, seen.size()); ++i) listed += (i == 0 ? "" : ",") + seen[i];
  return seen.size() > most ? listed + ",…" : listed;
}

void Session::keep(const std::function<bool(const timing::CaseSettings&)>& possible, const Reason& reason, bool says) {
  Cases kept, out;
  for (const auto& each : options_.cases) (possible(each) ? kept : out).push_back(each);
  if (out.empty()) return;
  const std::string seen = reason.key.empty() ? "" : values_of(out, reason.key);
  if (kept.empty() && !reason.key.empty()) refuse(reason.key, reason.why, seen, reason.accepted);
  if (kept.empty()) throw timing::InputFault(reason.why);
  options_.cases = std::move(kept);
  states_.assign(options_.cases.size(), {});
  const std::string which = reason.key.empty() ? "" : std::string(reason.key) + "=" + seen + ": ";
  if (says) skip(which + reason.why);
}

void Session::require_metric(std::string_view metric) const {
  if (std::ranges::find(options_.metrics, metric) != options_.metrics.end()) return;
  std::string known;
  for (const std::string& each : options_.metrics) known += (known.empty() ? "" : ", ") + each;
  throw timing::InputFault("samples the metric '" + std::string(metric) +
                           "', which its record does not name; expected " +
                           (known.empty() ? "none: the record has no [metric.NAME]" : known));
}

void Session::remark(timing::Remark kind, const std::string& text) {
  if (std::ranges::find(noted_, text) != noted_.end()) return;
  noted_.push_back(text);
  write(timing::remark(kind, text));
}

void Session::check(const timing::Json& label, const Verdict& verdict) {
  passed_ = passed_ && verdict.passed;
  Verdict reported = verdict;
  if (!reported.passed && reported.detail.empty())
    reported.detail = "verify() set neither verdict.passed nor verdict.detail";
  timing::Json json;
  json.text("event", "check").object("case", label).truth("passed", reported.passed).text("detail", reported.detail);
  write({.json = json, .checked = &label, .verdict = &reported});
}

void needs(bool enough, std::string_view what, int seen) {
  if (!enough)
    throw timing::InputFault("needs " + std::string(what) + "; got " + std::to_string(seen) +
                             (seen == 1 ? " rank" : " ranks"));
}

void refuse(std::string_view key, std::string_view problem, const std::string& seen, std::string_view accepted) {
  throw timing::InputFault(std::string(key) + ": " + std::string(problem) + "; got '" + seen + "', expected " +
                           std::string(accepted));
}

}  // namespace assay::ranks
