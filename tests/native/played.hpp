// A program of a few lines on every rank of a described machine, and what came of it.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ranks/constant.hpp"
#include "ranks/simulated.hpp"

namespace assay::described {

struct Played {
  std::vector<Waiting> waiting;
  Time end = 0;
  std::string failure;  // of a program or of the machine, in its own words
};

template <class Model>
Played play(Model& machine, int ranks, const std::function<assay::ranks::Task(Simulated&)>& program,
            std::map<std::string, KernelCost, std::less<>> costs = {}, int on_node = 1) {
  World world(ranks, machine);
  world.costs(std::move(costs), on_node);
  std::vector<Simulated> comms;
  comms.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) world.start(rank, program(comms.emplace_back(world, rank)));
  Played played;
  try {
    played.waiting = world.run();
  } catch (const std::exception& failure) {
    played.failure = failure.what();
  }
  played.end = world.now();
  return played;
}

// On a constant machine: 10 us and 1 ns per byte.
inline Played play(int ranks, const std::function<assay::ranks::Task(Simulated&)>& program) {
  Constant machine(1e-5, 1e-9, 0);
  return play(machine, ranks, program);
}

}  // namespace assay::described
