// twin CASES DELIVERED: plays every case of a file flit by flit and writes when each message arrives.
#include <algorithm>
#include <stdexcept>

#include "cases.hpp"
#include "simulator.hpp"

namespace {

twin::Switching switching(const std::string& name) {
  if (name == "wormhole") return twin::Switching::wormhole;
  if (name == "cut-through") return twin::Switching::cut_through;
  if (name == "store-and-forward") return twin::Switching::store_and_forward;
  if (name == "circuit") return twin::Switching::circuit;
  throw std::runtime_error("switching " + name);
}

twin::Played play(const twin::Description& description, const std::vector<twin::Row>& rows) {
  const auto atlas = twin::atlas(description);
  twin::Plan plan;
  plan.links = atlas->links;
  plan.switching = switching(description.word("switching", "wormhole"));
  plan.sink_flit = description.number("sink_ticks", 1);
  const bool stored =
      plan.switching == twin::Switching::cut_through || plan.switching == twin::Switching::store_and_forward;
  plan.fifo = stored && description.word("buffers", "shared") == "fifo";
  plan.queued = stored && description.word("buffers", "shared") == "output";
  plan.places = description.number("output_packets", 0);
  plan.packet_flits = description.number("packet_flits", 0);
  plan.packet_gap = description.number("packet_gap", 1);
  plan.release_at_delivery = description.word("circuit_release", "tail") == "end";
  std::vector<int> sent;  // by row: which message of the plan, or -1
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    twin::Message message;
    message.id = row.id;
    message.cycle = row.cycle;
    message.source = row.source;
    message.destination = row.destination;
    message.flits = row.flits;
    message.path = atlas->path_of(i, row.source, row.destination);
    message.lanes = atlas->lanes_of(row.source, row.destination);
    const bool dead = std::any_of(message.path.begin(), message.path.end(),
                                  [&](int link) { return plan.links[static_cast<std::size_t>(link)].failed; });
    sent.push_back(dead ? -1 : static_cast<int>(plan.messages.size()));
    if (!dead) plan.messages.push_back(std::move(message));
  }
  twin::Played played;
  played.deadlock = twin::simulate(plan).deadlock;
  for (const int at : sent) {
    if (at < 0) {
      played.messages.push_back({-1, -1, -1});
      continue;
    }
    const auto& message = plan.messages[static_cast<std::size_t>(at)];
    if (message.crossed == message.flits)
      played.messages.push_back({message.head, message.tail, static_cast<std::int64_t>(message.path.size())});
    else
      played.messages.push_back({-1, -1, -1});
  }
  return played;
}

}  // namespace

int main(int count, char** arguments) { return twin::play_all(count, arguments, play); }
