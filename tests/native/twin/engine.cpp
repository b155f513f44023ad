// engine CASES DELIVERED: the same file through core/network, compiled straight from its sources, so that it can be
// compiled with -DASSAY_MUTANTS too.
#include <stdexcept>

#include "cases.hpp"
#include "network/choose.hpp"
#include "network/flit/run.hpp"
#include "network/packet/run.hpp"
#include "network/registry.hpp"
#include "network/settings.hpp"
#include "network/simulate.hpp"
#include "network/worm/general_run.hpp"

namespace net = assay::network;

namespace {

net::Value list(const twin::Words& words) {
  net::Value::List all;
  for (const auto& word : words) all.push_back(std::int64_t{std::stoll(word)});
  return all;
}

net::Value value(const std::string& key, const twin::Words& words) {
  static constexpr const char* lists[] = {"extents", "children", "parents"};
  for (const auto* name : lists)
    if (key == name) return list(words);
  if (key == "failed_links") {
    net::Value::List pairs;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) pairs.push_back(list({words[i], words[i + 1]}));
    return pairs;
  }
  const std::string& word = words.at(0);
  if (word.find_first_not_of("-0123456789") == std::string::npos) return std::int64_t{std::stoll(word)};
  return word;
}

void change(net::Link& link, const std::string& setting) {
  const auto at = setting.find('=');
  const std::string key = setting.substr(0, at);
  const auto number = static_cast<std::uint32_t>(std::stoul(setting.substr(at + 1)));
  if (key == "flit") link.flit = number;
  if (key == "body") link.body = number;
  if (key == "head") link.head = number;
  if (key == "credit") link.credit = number;
  if (key == "buffer") link.buffer = number;
  if (key == "channels") link.channels = static_cast<std::uint16_t>(number);
}

twin::Played play(const twin::Description& description, const std::vector<twin::Row>& rows) {
  net::Table network;
  net::Table io;
  for (const auto& [key, words] : description.words)
    if (key.starts_with("io_"))
      io[key.substr(3)] = value(key.substr(3), words);
    else
      network[key] = value(key, words);
  if (!io.empty()) {
    io["nodes"] = list(description.words.at("io_nodes"));
    network["io"] = io;
  }
  net::Trace trace;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rows[a].cycle != rows[b].cycle ? rows[a].cycle < rows[b].cycle : rows[a].id < rows[b].id;
  });
  for (const auto i : order) {
    trace.id.push_back(static_cast<std::uint64_t>(rows[i].id));
    trace.cycle.push_back(static_cast<std::uint64_t>(rows[i].cycle));
    trace.source.push_back(static_cast<std::uint32_t>(rows[i].source));
    trace.destination.push_back(static_cast<std::uint32_t>(rows[i].destination));
    trace.flits.push_back(static_cast<std::uint32_t>(rows[i].flits));
  }
  net::Delivered found;
  if (description.words.contains("engine") || !description.unlike.empty()) {
    const auto switching = net::read_switching(network);
    auto built = net::build_network(network);
    for (const auto& words : description.unlike) {
      const auto node = static_cast<std::uint32_t>(std::stoul(words.at(1)));
      const bool between = words.at(0) == "network";
      const auto link = between ? built.fabric->between(node, static_cast<std::uint32_t>(std::stoul(words.at(2))))
                        : words.at(0) == "injection" ? built.fabric->injection(node)[0]
                                                     : built.fabric->ejection(node)[0];
      for (std::size_t i = between ? 3 : 2; i < words.size(); ++i) change(built.fabric->links.at(link), words[i]);
    }
    switch (net::choose_engine(built, switching)) {
      case net::Engine::flit:
        found = net::replay_flits(built, switching, trace);
        break;
      case net::Engine::packet:
        found = net::replay_packets(built, switching, trace);
        break;
      case net::Engine::worm:
        found = net::replay_worms(built, switching, trace);
    }
  } else {
    found = net::replay({{"network", network}}, trace);
  }
  twin::Played played;
  played.messages.resize(rows.size());
  std::uint64_t lost = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    played.messages[order[at]] = {found.head[at], found.tail[at], found.hops[at]};
    lost += found.tail[at] < 0;
  }
  played.deadlock = lost > found.outcome.unroutable;
  return played;
}

}  // namespace

int main(int count, char** arguments) { return twin::play_all(count, arguments, play); }
