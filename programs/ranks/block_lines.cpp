#include "ranks/block_lines.hpp"

namespace assay::ranks {

void write_line(Session& session, const BlockLine& line, std::int64_t order, const BlockFacts& facts, double from,
                double to, const timing::Json& accounting) {
  timing::Json json;
  json.text("event", "block").object("case", line.label).text("metric", line.metric);
  json.integer("block", facts.block).integer("order", order).integer("batch", line.batch);
  facts.block == 0 && line.first ? json.number("first", *line.first) : json.null("first");
  json.numbers("values", line.values).text("ended", facts.ended).number("t0", from).number("t1", to);
  json.text("cache", facts.cache).object("accounting", accounting);
  session.write({.json = json, .block = &line, .facts = &facts, .order = order});
}

}  // namespace assay::ranks
