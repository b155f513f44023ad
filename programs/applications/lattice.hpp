// Lattice Boltzmann: a fluid on a grid, whose populations stream and collide, around solid particles. The user program
// rboltz of van der Steen's report is of this kind.
#pragma once

#include <memory>

#include "applications/choices.hpp"
#include "applications/lattice/simulation.hpp"
#include "applications/player.hpp"
#include "applications/room.hpp"

namespace assay::applications {

struct Lattice {
  static constexpr std::string_view record = R"record(
name = "lattice"
title = "Lattice Boltzmann"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["lattice"]
summary = "a fluid by the D3Q19 lattice Boltzmann method with two relaxation times, divided over the ranks by blocks: a vortex that decays, the flow between plates, the flow around a periodic array of spheres"
cost = "per cell and step 229 flops, and 304 bytes read and written (456 where a store reads its line first); messages of five populations per cell of a face, to six neighbours"
check = "velocities against the closed form (Taylor-Green, started Poiseuille flow) within 6 / size^2 + 0.2%, a steady sphere's drag within 4% of Hasimoto's expansion; mass and momentum conserved to rounding"
source = "Ginzburg, Verhaeghe and d'Humieres 2008 (collision); Ladd 1994 (particles); Hasimoto 1959, Sangani and Acrivos 1982 (drag)"

[unit.cells]
source = "applications/lattice/cells.cpp"
flags = ["-ffp-contract=off"]

[unit.flow]
source = "applications/lattice/flow.cpp"
flags = ["-ffp-contract=off"]

[unit.known]
source = "applications/lattice/known.cpp"
flags = ["-ffp-contract=off"]

[parameter.flow]
type = "choice"
default = ["taylor-green", "poiseuille", "sphere"]
choices = ["taylor-green", "poiseuille", "sphere"]
sweep = true
help = "which flow: a vortex, between plates, around a sphere"

[parameter.size]
type = "integer"
default = 24
min = 12
max = 4096
unit = "1"
sweep = true
help = "cells along each edge of the cube"

[parameter.steps]
type = "integer"
default = 0
min = 0
max = 100000000
unit = "1"
sweep = true
help = "time steps; 0: as many as the flow's check needs, which grow as size^2"

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, without the first state's making and the check"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "all steps"

[figure.rate]
metric = "time"
formula = "updates / value"
unit = "1/s"
better = "higher"
headline = true
help = "updates of fluid cells over the time (1e6/s: MLUPS)"
)record";

  struct Case {
    lattice::Flow flow;
    std::int64_t steps;
    bool operator==(const Case&) const = default;
  };
  static constexpr std::string_view flows[] = {"taylor-green", "poiseuille", "sphere"};

  static constexpr double most_updates = 4e6;  // of a described run that is repeated with its data
  static bool small(const Case& at, int ranks) { return updates(at) <= most_updates && ranks <= most_with_data; }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    for (const auto& each : session.cases()) {
      const std::int64_t size = each.at("size").integer;
      ranks::needs(lattice::Domain::divides(comm.size(), static_cast<std::size_t>(size)),
                   "ranks whose number is a product of three, none greater than size " + std::to_string(size),
                   comm.size());
    }
    keep_charged(comm, session, {"lattice"});
    // Two copies of all populations, with a layer of cells around each rank's block.
    constexpr double per_cell = 2 * lattice::populations * sizeof(double);
    co_await keep_fitting(
        comm, session, "size",
        [](const auto& each) { return per_cell * std::pow(static_cast<double>(each.at("size").integer) + 2, 3); },
        [](double room) { return static_cast<std::int64_t>(std::cbrt(room / per_cell)) - 2; });
    Player<C, Lattice> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static Case at(const timing::CaseSettings& settings) {
    Case made{};
    made.flow.kind = static_cast<lattice::Kind>(place_among(flows, settings.at("flow").text));
    made.flow.size = static_cast<std::size_t>(settings.at("size").integer);
    made.steps = settings.at("steps").integer;
    if (made.steps == 0) made.steps = made.flow.enough_steps();
    return made;
  }
  static double updates(const Case& at) {
    return at.flow.fluid({0, 0, 0}, {at.flow.size, at.flow.size, at.flow.size}) * static_cast<double>(at.steps);
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.text("flow", flows[static_cast<std::size_t>(at.flow.kind)]);
    json.integer("size", static_cast<std::int64_t>(at.flow.size)).integer("steps", at.steps);
    return json.integer("updates", std::llround(updates(at)));
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<lattice::Simulation<C>>(comm, at.flow, at.steps, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Lattice;
}  // namespace assay::ranks
