// Molecular dynamics of a charged colloid: macro-ions among their counter-ions. The user program primmod of van der
// Steen's report is of this kind.
#pragma once

#include <memory>

#include "applications/colloid/simulation.hpp"
#include "applications/player.hpp"

namespace assay::applications {

struct Colloid {
  static constexpr std::string_view record = R"record(
name = "colloid"
title = "Charged colloid"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["colloid"]
summary = "molecular dynamics of charged spheres, macro-ions among their counter-ions: forces by Ewald's sum and a short repulsion, every rank with all positions and the forces on its share of the particles"
cost = "per step and particle 14 flops for each other one, 70 for each within the cut-off, and 20 for each wave; messages: all positions around a ring, the sums over waves up and down a binomial tree"
check = "energy within 1e-4 of the kinetic energy over the run, forces against the energy's derivative along them within 1e-4, virial against the energy's derivative by the volume and Coulomb's virial against Coulomb's energy within 1e-5 of the spheres' own, momentum to rounding; by the same code the Madelung constant of rock salt within 1e-6"
source = "Ewald 1921; Frenkel and Smit 2002, Understanding molecular simulation, chapters 4 and 12"

[unit.ewald]
source = "applications/colloid/ewald.cpp"
flags = ["-ffp-contract=off"]

[unit.motion]
source = "applications/colloid/motion.cpp"
flags = ["-ffp-contract=off"]

[parameter.macroions]
type = "integer"
default = 8
min = 2
max = 1000000
unit = "1"
sweep = true
help = "macro-ions, which take a tenth of the volume"

[parameter.charge]
type = "integer"
default = 20
min = 1
max = 200
unit = "1"
sweep = true
help = "charge of a macro-ion: its number of counter-ions"

[parameter.steps]
type = "integer"
default = 100
min = 1
max = 100000000
unit = "1"
sweep = true
help = "time steps"

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
formula = "macroions * (1 + charge) * steps / value"
unit = "1/s"
better = "higher"
headline = true
help = "steps of a particle over the time"
)record";

  struct Case {
    colloid::Suspension suspension;
    std::int64_t steps;
    bool operator==(const Case&) const = default;
  };

  static constexpr double most_pairs = 2e7;  // times steps, of a described run that is repeated with its data
  static bool small(const Case& at, int ranks) {
    const double particles = static_cast<double>(at.suspension.particles());
    return particles * particles * static_cast<double>(at.steps) <= most_pairs && ranks <= most_with_data;
  }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    for (const auto& each : session.cases()) {
      const std::size_t particles = at(each).suspension.particles();
      ranks::needs(static_cast<std::size_t>(comm.size()) <= particles,
                   "no more ranks than particles, " + std::to_string(particles), comm.size());
    }
    keep_charged(comm, session, {"colloid"});
    Player<C, Colloid> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static Case at(const timing::CaseSettings& settings) {
    return {
        {static_cast<std::size_t>(settings.at("macroions").integer), static_cast<int>(settings.at("charge").integer)},
        settings.at("steps").integer};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.integer("macroions", static_cast<std::int64_t>(at.suspension.macroions));
    return json.integer("charge", at.suspension.charge).integer("steps", at.steps);
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<colloid::Simulation<C>>(comm, at.suspension, at.steps, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Colloid;
}  // namespace assay::ranks
