#include "ranks/launch.hpp"

#include <algorithm>
#include <utility>

#include "ranks/block_lines.hpp"
#include "ranks/networked.hpp"

namespace assay::described {
namespace {

constexpr std::size_t most_waiting = 64;

Account account_of(const Where& where) {
  const double n = static_cast<double>(std::max<std::uint64_t>(1, where.messages)) * picoseconds_a_second;
  const auto share = [n](Time time) { return static_cast<double>(time) / n; };
  return {static_cast<std::int64_t>(where.messages),
          share(where.startup),
          share(where.copying),
          share(where.waiting),
          share(where.transport),
          share(where.protocol)};
}

timing::Json line_of(const Account& account, const timing::Json& label) {
  timing::Json json;
  json.text("event", "where").object("case", label).integer("messages", account.messages);
  json.number("startup", account.startup).number("copying", account.copying).number("waiting", account.waiting);
  return json.number("transport", account.transport).number("protocol", account.protocol);
}

timing::Json line_of(const std::vector<Waiting>& waiting, Time now) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < std::min(waiting.size(), most_waiting); ++i) {
    const Waiting& each = waiting[i];
    timing::Json json;
    json.integer("rank", each.rank).text("call", each.call);
    each.peer < 0 ? json.null("peer") : json.integer("peer", each.peer);
    list.push_back(json.integer("tag", each.tag).str());
  }
  timing::Json json;
  json.text("event", "deadlock").number("t", static_cast<double>(now) / picoseconds_a_second);
  return json.list("waiting", list).integer("count", static_cast<std::int64_t>(waiting.size()));
}

}  // namespace

void Launch::add(const ranks::Event& event, MessageModel* model) {
  add(event.json);
  if (event.verdict && !event.verdict->passed) failed.push_back({event.checked->str(), event.verdict->detail});
  if (event.block) {
    const ranks::BlockLine& line = *event.block;
    const bool first = event.facts->block == 0;
    blocks.push_back({std::string(line.metric), line.label.str(), event.facts->block, event.order, line.batch,
                      first ? line.first : std::nullopt, line.values, std::nullopt});
  }
  const Where* where = model ? model->where() : nullptr;
  if (!where) return;
  if (event.block) {
    blocks.back().account = account_of(*where);
    add(line_of(*blocks.back().account, event.block->label));
  }
  model->forget_where();
}

void Launch::end(std::vector<Waiting> waits, Time now) {
  add(waits.empty() ? timing::Json().text("event", "done") : line_of(waits, now));
  waiting = std::move(waits);
  stopped = now;
}

}  // namespace assay::described
