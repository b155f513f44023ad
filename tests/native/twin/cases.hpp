// The file that the twin and the engine under test both read.
//
// For each case: `case NAME`; lines `key value…` with the keys of [network] in NETWORK.toml, and `unlike …` for links
// that are not like the others; then `messages N` and N lines `id cycle source destination flits`. What either writes:
// `case NAME`, or `case NAME deadlock`, then N lines `id head tail hops`, head and tail being -1 where never delivered.
#pragma once
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "atlas.hpp"

namespace twin {

struct Row {
  std::int64_t id, cycle;
  int source, destination, flits;
};
struct Arrived {
  std::int64_t head, tail;
  std::int64_t hops;
};
struct Played {
  bool deadlock = false;
  std::vector<Arrived> messages;
};

inline int play_all(int count, char** arguments,
                    const std::function<Played(const Description&, const std::vector<Row>&)>& play) {
  if (count != 3) {
    std::cerr << "usage: " << arguments[0] << " CASES DELIVERED\n";
    return 2;
  }
  std::ifstream in(arguments[1]);
  std::ofstream out(arguments[2]);
  std::string line, name;
  Description description;
  try {
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string key, word;
      if (!(words >> key)) continue;
      if (key == "case") {
        description = {};
        words >> name;
      } else if (key == "messages") {
        std::size_t rows = 0;
        words >> rows;
        std::vector<Row> messages(rows);
        for (auto& row : messages) in >> row.id >> row.cycle >> row.source >> row.destination >> row.flits;
        const Played played = play(description, messages);
        out << "case " << name << (played.deadlock ? " deadlock\n" : "\n");
        for (std::size_t i = 0; i < rows; ++i)
          out << messages[i].id << ' ' << played.messages[i].head << ' ' << played.messages[i].tail << ' '
              << played.messages[i].hops << '\n';
      } else {
        Words all;
        while (words >> word) all.push_back(word);
        if (key == "unlike")
          description.unlike.push_back(all);
        else
          description.words[key] = all;
      }
    }
  } catch (const std::exception& error) {
    std::cerr << arguments[0] << ": case " << name << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace twin
