#include "timing/node_looks.hpp"

#include "timing/clock.hpp"

namespace assay::timing {
namespace {
NodeLook look() { return {unix_time(), node_counters()}; }
}  // namespace

void NodeLooks::begin() {
  on_ = true;
  looks_ = {look()};
}
void NodeLooks::may_look() {
  if (on_ && unix_time() - looks_.back().time >= between) looks_.push_back(look());
}
std::vector<NodeLook> NodeLooks::end() {
  if (on_) looks_.push_back(look());
  on_ = false;
  return std::move(looks_);
}
NodeLooks& node_looks() {
  static NodeLooks all;
  return all;
}

Json node_event(std::string_view host, const NodeLook& look) {
  const auto whole = [](unsigned long long value) { return static_cast<std::int64_t>(value); };
  const NodeCounters& seen = look.counters;
  Json json;
  json.text("event", "node").text("host", host).number("time", look.time);
  json.integer("busy", whole(seen.busy)).integer("all", whole(seen.all));
  json.integer("used", whole(seen.used)).integer("memory", whole(seen.memory));
  return json.integer("received", whole(seen.received)).integer("sent", whole(seen.sent));
}

}  // namespace assay::timing
