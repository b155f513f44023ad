#include "atlas.hpp"

#include <stdexcept>

namespace twin {

int Description::number(const std::string& key, int otherwise) const {
  const auto found = words.find(key);
  return found == words.end() ? otherwise : std::stoi(found->second.at(0));
}

std::string Description::word(const std::string& key, const std::string& otherwise) const {
  const auto found = words.find(key);
  return found == words.end() ? otherwise : found->second.at(0);
}

std::vector<int> Description::numbers(const std::string& key) const {
  std::vector<int> all;
  if (const auto found = words.find(key); found != words.end())
    for (const auto& text : found->second) all.push_back(std::stoi(text));
  return all;
}

namespace {

void change(Link& link, const std::string& setting) {
  const auto at = setting.find('=');
  const std::string key = setting.substr(0, at);
  const int value = std::stoi(setting.substr(at + 1));
  if (key == "flit")
    link.flit = value;
  else if (key == "body")
    link.body = value;
  else if (key == "head")
    link.head = value;
  else if (key == "credit")
    link.credit = value;
  else if (key == "buffer")
    link.buffer = value;
  else if (key == "channels")
    link.channels = value;
  else
    throw std::runtime_error("unlike: " + key);
}

/// How links of a kind are unless said otherwise. What a buffer is depends on the switching: flits in one slot for a
/// worm, whole packets in several slots where packets are stored, nothing for a circuit.
Link like(const Description& d, const std::string& channels, int otherwise) {
  Link link;
  link.channels = d.number(channels, otherwise);
  link.buffer = d.number("buffer_flits", 1);
  link.flit = d.number("flit_ticks", 1);
  link.body = d.number("body_ticks", 1);
  link.head = d.number("head_ticks", 1);
  link.credit = d.number("credit_ticks", 0);
  link.acknowledge = d.number("acknowledgement", 1);
  return link;
}

void fit_to(const Description& d, Link& link) {
  const auto switching = d.word("switching", "wormhole");
  if (switching == "wormhole") {
    link.slots = link.buffer == 0 ? 0 : 1;
  } else {
    link.slots = switching == "circuit" ? 0 : d.number("buffer_packets", 1);
    link.buffer = 0;
  }
}

}  // namespace

std::vector<int> Atlas::path(int source, int destination) const {
  std::vector<int> taken{inject_.at(static_cast<std::size_t>(source))};
  Router here = enters(source);
  for (const Router next : route(source, destination)) {
    taken.push_back(wires_.at({here, next}));
    here = next;
  }
  if (here != leaves(destination)) throw std::runtime_error("the route ends elsewhere");
  taken.push_back(eject_.at(static_cast<std::size_t>(destination)));
  return taken;
}

int Atlas::add(const Description& d, const std::string& kind, Router from, Router to, const std::string& channels,
               int otherwise) {
  Link link = like(d, channels, otherwise);
  link.name = kind + " " + std::to_string(from) + " " + std::to_string(to);
  for (const auto& words : d.unlike) {
    const bool between = kind == "network";
    const Router at = kind == "ejection" ? to : from;
    if (words.at(0) != kind || std::stoll(words.at(1)) != at || (between && std::stoll(words.at(2)) != to)) continue;
    for (std::size_t i = between ? 3 : 2; i < words.size(); ++i) change(link, words[i]);
  }
  fit_to(d, link);
  if (kind == "network") {
    link.lanes = lanes_;
    const auto pairs = d.numbers("failed_links");  // two routers each, dead in both directions
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
      link.failed |= (pairs[i] == from && pairs[i + 1] == to) || (pairs[i] == to && pairs[i + 1] == from);
  }
  links.push_back(link);
  return static_cast<int>(links.size()) - 1;
}

int Atlas::add_given(const Description& d, const Words& words) {
  Link link = like(d, "channels", 1);
  link.name = "link " + words.at(1) + " " + words.at(2);
  for (std::size_t i = 3; i < words.size(); ++i) change(link, words[i]);
  fit_to(d, link);
  links.push_back(link);
  return static_cast<int>(links.size()) - 1;
}

void Atlas::finish(const Description& d) {
  for (auto& [ends, number] : wires_) number = add(d, "network", ends.first, ends.second, "channels");
  for (int node = 0; node < nodes; ++node) {
    inject_.push_back(add(d, "injection", node, enters(node), "injection_channels"));
    eject_.push_back(add(d, "ejection", leaves(node), node, "ejection_channels"));
  }
}

}  // namespace twin
