// twin CASES DELIVERED: plays every case of a file flit by flit and writes when each message arrives.
//
// CASES holds, for each case, `case NAME`, lines `key value…` (topology and its numbers, switching, `link KIND
// key=value…` for KIND network, injection, ejection; `sink N`; `release end`), then `messages N` and N lines `id cycle
// source destination flits`. DELIVERED: `case NAME` or `case NAME deadlock`, then N lines `id head tail hops`, head and
// tail being -1 where a message was never delivered.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "atlas.hpp"
#include "simulator.hpp"

namespace {

twin::Switching switching(const std::string& name) {
  if (name == "wormhole") return twin::Switching::wormhole;
  if (name == "cut-through") return twin::Switching::cut_through;
  if (name == "store-and-forward") return twin::Switching::store_and_forward;
  if (name == "circuit") return twin::Switching::circuit;
  throw std::runtime_error("switching " + name);
}

void play(std::istream& in, std::ostream& out, const std::string& name) {
  twin::Description description;
  std::string line;
  std::size_t count = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key, word;
    words >> key;
    if (key == "messages") {
      words >> count;
      break;
    }
    if (key == "link") {
      words >> word;
      key += " " + word;
    }
    while (words >> word) description[key].push_back(word);
  }
  const auto atlas = twin::atlas(description);
  twin::Plan plan;
  plan.links = atlas->links;
  plan.switching = switching(description.at("switching").at(0));
  if (description.contains("sink")) plan.sink_flit = std::stoi(description.at("sink").at(0));
  plan.release_at_delivery = description.contains("release") && description.at("release").at(0) == "end";
  for (std::size_t i = 0; i < count; ++i) {
    twin::Message message;
    if (!(in >> message.id >> message.cycle >> message.source >> message.destination >> message.flits))
      throw std::runtime_error("case " + name + ": message " + std::to_string(i));
    message.path = atlas->path(message.source, message.destination);
    plan.messages.push_back(std::move(message));
  }
  std::getline(in, line);
  const auto outcome = twin::simulate(plan);
  out << "case " << name << (outcome.deadlock ? " deadlock\n" : "\n");
  for (const auto& message : plan.messages)
    out << message.id << ' ' << message.head << ' ' << message.tail << ' ' << message.path.size() << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: twin CASES DELIVERED\n";
    return 2;
  }
  try {
    std::ifstream in(arguments[1]);
    std::ofstream out(arguments[2]);
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string key, name;
      if (words >> key >> name && key == "case") play(in, out, name);
    }
  } catch (const std::exception& error) {
    std::cerr << "twin: " << error.what() << '\n';
    return 1;
  }
}
