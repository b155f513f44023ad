// What the I/O nodes of core/storage send: for each line `dimension seed transactions key=value …` (every key of [io])
// of the first file, a line `run N` and N lines `id born source destination flits head hops` in the second. The twin is
// given the same messages and must deliver each of them in the same cycles.
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "storage/io_nodes.hpp"

namespace {

assay::network::InputOutput read(std::istringstream& words) {
  assay::network::InputOutput io{};  // the test gives every key
  const std::map<std::string, std::uint32_t*> whole{{"b", &io.b},
                                                    {"k", &io.k},
                                                    {"m", &io.m},
                                                    {"n", &io.n},
                                                    {"r", &io.r},
                                                    {"startup", &io.startup},
                                                    {"access", &io.access},
                                                    {"disk", &io.disk},
                                                    {"service", &io.service},
                                                    {"message", &io.message_flits},
                                                    {"request", &io.request_flits},
                                                    {"forward", &io.forward_flits},
                                                    {"reply", &io.reply_flits},
                                                    {"write", &io.write_flits}};
  const std::map<std::string, double*> real{{"interval", &io.interval},
                                            {"io_rate", &io.io_rate},
                                            {"read_ratio", &io.read_ratio},
                                            {"locality", &io.locality},
                                            {"hit_rate", &io.hit_rate}};
  std::set<std::string> given;
  for (std::string word; words >> word;) {
    const auto at = word.find('=');
    const std::string key = word.substr(0, at), value = word.substr(at + 1);
    given.insert(key);
    if (const auto found = whole.find(key); found != whole.end())
      *found->second = static_cast<std::uint32_t>(std::stoul(value));
    else if (const auto other = real.find(key); other != real.end())
      *other->second = std::stod(value);
    else if (key == "node")
      io.nodes.push_back(static_cast<std::uint32_t>(std::stoul(value)));
    else
      throw std::runtime_error("no such key: " + key);
  }
  for (const auto& [key, _] : whole)
    if (!given.contains(key)) throw std::runtime_error("missing key: " + key);
  for (const auto& [key, _] : real)
    if (!given.contains(key)) throw std::runtime_error("missing key: " + key);
  return io;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream in(arguments[1]);
  std::ofstream out(arguments[2]);
  try {
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::uint32_t dimension = 0;
      std::uint64_t seed = 0, transactions = 0;
      words >> dimension >> seed >> transactions;
      const auto sent = assay::storage::trace_io(dimension, read(words), seed, transactions);
      out << "run " << sent.size() << '\n';
      for (const auto& m : sent)
        out << m.id << ' ' << m.born << ' ' << m.source << ' ' << m.destination << ' ' << m.flits << ' ' << m.head
            << ' ' << m.hops << '\n';
    }
  } catch (const std::exception& fault) {
    std::cerr << arguments[0] << ": " << fault.what() << '\n';
    return 1;
  }
}
