// Plays jobs that come, end and are ended at random moments on a described machine (core/ranks/jobs.hpp), for the
// sanitizers: machine and programs are read from a file that tests/several_jobs.py writes. A job that nobody ended
// has to be right.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks/jobs.hpp"

using assay::described::Jobs;
using assay::network::Table;
using assay::network::Value;

namespace {

std::string line(std::istream& in) {
  std::string text;
  if (!std::getline(in, text)) throw std::runtime_error("the file ends early");
  return text;
}
std::size_t count(std::istream& in) { return std::stoul(line(in)); }

// A kind, and on the lines behind it what it holds.
Value value(std::istream& in) {
  const std::string kind = line(in);
  if (kind == "none") return {};
  if (kind == "flag") return {line(in) == "true"};
  if (kind == "integer") return {std::int64_t{std::stoll(line(in))}};
  if (kind == "number") return {std::stod(line(in))};
  if (kind == "text") return {line(in)};
  if (kind == "list") {
    Value::List all;
    for (std::size_t left = count(in); left > 0; --left) all.push_back(value(in));
    return {std::move(all)};
  }
  Table all;
  for (std::size_t left = count(in); left > 0; --left) {
    const std::string key = line(in);
    all.emplace(key, value(in));
  }
  return {std::move(all)};
}

struct Kind {
  std::string program;
  std::size_t ranks;
  std::vector<std::string> words;
};

struct Trial {
  Jobs jobs;
  const std::vector<Kind>& kinds;
  std::mt19937_64 dice;
  std::vector<int> free{};
  std::map<std::size_t, std::vector<int>> places{};  // of who runs
  std::map<Jobs::State, int>& states;

  // Whether any job has ended since.
  bool settle() {
    const std::vector<std::size_t> over = jobs.ended();
    for (const std::size_t job : over) {
      free.insert(free.end(), places.at(job).begin(), places.at(job).end());
      places.erase(job);
      const Jobs::Job& about = jobs.job(job);
      ++states[about.state];
      const bool fine = about.state == Jobs::State::completed || about.state == Jobs::State::ended;
      if (!fine)
        throw std::runtime_error("job " + std::to_string(job) + ": " + about.failure + "\n" + about.launch.lines);
    }
    return !over.empty();
  }
  // advance() stops where a job ends.
  void go_on(assay::described::Time until) {
    bool more = true;
    while (more) {
      const bool moves = jobs.advance(until);
      more = settle() || moves;
    }
  }
  void begin() {
    const Kind& kind = kinds[dice() % kinds.size()];
    if (kind.ranks > free.size()) return;
    std::ranges::shuffle(free, dice);
    const std::vector<int> mine(free.end() - static_cast<std::ptrdiff_t>(kind.ranks), free.end());
    free.resize(free.size() - kind.ranks);
    places[jobs.begin(kind.program, kind.words, mine)] = mine;
  }
  void play(int turns) {
    for (int place = 0; place < jobs.nodes() * jobs.processors(); ++place) free.push_back(place);
    for (int turn = 0; turn < turns; ++turn) {
      begin();
      go_on(jobs.now() + static_cast<assay::described::Time>(dice() % 3'000'000'000));
      if (dice() % 3 != 0 || places.empty()) continue;
      jobs.end(places.begin()->first);
      settle();
    }
    if (dice() % 4 == 0) return;  // the world ends in the middle of everything
    go_on(assay::described::never - 1);
    if (!places.empty()) throw std::runtime_error("a job never ends");
  }
};

}  // namespace

int main(int words, char** arguments) {
  if (words != 3) return EXIT_FAILURE;
  std::ifstream in(arguments[1]);
  const Value machine = value(in);
  std::vector<Kind> kinds(count(in));
  for (Kind& kind : kinds) {
    kind.program = line(in);
    kind.ranks = count(in);
    kind.words.resize(count(in));
    for (std::string& word : kind.words) word = line(in);
  }
  std::map<Jobs::State, int> states;
  for (int trial = 0; trial < std::atoi(arguments[2]); ++trial) {
    Trial one{.jobs = Jobs(assay::described::read_machine(std::get<Table>(machine.held))),
              .kinds = kinds,
              .dice = std::mt19937_64(static_cast<std::uint64_t>(trial)),
              .states = states};
    one.play(12);
  }
  std::cout << states[Jobs::State::completed] << " completed, " << states[Jobs::State::ended] << " ended\n";
  return states[Jobs::State::completed] > 0 && states[Jobs::State::ended] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
