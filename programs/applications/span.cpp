#include "applications/span.hpp"

#include <cmath>
#include <string>

#include "applications/account.hpp"

namespace assay::applications {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += (text.empty() ? "" : ",") + each;
  return "[" + text + "]";
}

// Kernels have one place for all ranks behind the calls.
std::int64_t name_of(const Span& span, const Account& account, std::vector<std::string>& names) {
  const auto place = static_cast<std::size_t>(span.name);
  if (place < call_names.size()) return span.name;
  const std::string kernel = timing::Json::quote(account.kernels[place - call_names.size()].name.data());
  const auto found = std::find(names.begin() + static_cast<std::ptrdiff_t>(call_names.size()), names.end(), kernel);
  const auto at = found - names.begin();
  if (found == names.end()) names.push_back(kernel);
  return at;
}

}  // namespace

timing::Json timeline_event(const timing::Json& label, const std::vector<RankTimeline>& ranks, double ticks_a_second) {
  std::vector<std::string> names, nodes, clocks, passed;
  for (const std::string_view name : call_names) names.push_back(timing::Json::quote(name));
  const auto ns = [&](std::int64_t ticks) { return std::llround(1e9 * static_cast<double>(ticks) / ticks_a_second); };
  std::string spans;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankTimeline& of = ranks[rank];
    nodes.push_back(std::to_string(of.node));
    clocks.emplace_back(of.own_clock ? "true" : "false");
    passed.push_back(std::to_string(of.passed));
    for (std::size_t i = 0; i < of.kept; ++i) {
      const Span& each = of.spans[i];
      spans += spans.empty() ? "[" : ",[";
      spans += std::to_string(rank);
      for (const std::int64_t value :
           {name_of(each, *of.account, names), std::int64_t{ns(each.from)}, std::int64_t{ns(each.to)},
            std::int64_t{each.to_rank}, std::int64_t{each.to_tag}, each.sent, std::int64_t{each.from_rank},
            std::int64_t{each.from_tag}, each.received})
        spans += "," + std::to_string(value);
      spans += "]";
    }
  }
  timing::Json json;
  json.text("event", "timeline").object("case", label).integer("ranks", static_cast<std::int64_t>(ranks.size()));
  json.raw("names", joined(names)).raw("nodes", joined(nodes)).raw("own_clock", joined(clocks));
  return json.raw("passed", joined(passed)).raw("spans", "[" + spans + "]");
}

}  // namespace assay::applications
