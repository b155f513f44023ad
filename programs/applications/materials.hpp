// Electrons in a solid by multiple scattering, atom by atom: what the materials code of the Paragon's report may be.
#pragma once

#include <memory>

#include "applications/materials/self_consistent.hpp"
#include "applications/player.hpp"

namespace assay::applications {

struct Materials {
  static constexpr std::string_view record = R"record(
name = "materials"
title = "Electrons of a solid by multiple scattering"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["scattering"]
summary = "electronic structure of materials: charges and energy of each atom by multiple scattering among the atoms around it, self-consistent; each atom's matrix is solved on a circle of complex energies"
cost = "8 (m^3 / 3 + m^2) flops per atom, point and cycle, m atoms in a zone; a sum of two numbers per atom over all ranks in each cycle"
check = "charges and energies of the atoms within 1e-6 of those of the waves that go around the ring, from zeros of real functions; smaller zones within what they leave out; steady charges"
source = "Wang, Stocks, Shelton, Nicholson, Szotek and Temmerman 1995, Phys. Rev. Lett. 75, 2867; Demkov and Ostrovskii 1988, Zero-Range Potentials"

[parameter.atoms]
type = "integer"
default = [48]
min = 4
max = 4096
sweep = true
help = "atoms of the ring, an even number: two kinds in turn"

[parameter.reach]
type = "integer"
default = [0]
min = 0
max = 2047
sweep = true
help = "neighbours on each side whose scattering an atom feels, its zone; 0: all atoms"

[parameter.points]
type = "integer"
default = 12
min = 1
max = 64
help = "complex energies, on half of a circle around all levels; too few fail the check"

[parameter.cycles]
type = "integer"
default = 6
min = 1
max = 1000
help = "cycles of charges and strengths; too few fail the check"

[unit.scattering]
source = "applications/materials/scattering.cpp"
flags = ["-ffp-contract=off"]

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, without the check"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "all cycles"

[figure.rate]
metric = "time"
formula = "operations / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops by `cost`, over the time"
)record";

  using Case = materials::Case;
  static bool small(const Case& at, int ranks) { return at.atoms <= 64 && ranks <= 16; }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    keep_charged(comm, session, {materials::SelfConsistent<C>::kernel});
    for (const auto& each : session.cases()) refuse_impossible(at(each));
    Player<C, Materials> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static void refuse_impossible(const Case& at) {
    if (at.atoms % 2 != 0) ranks::refuse("atoms", "two kinds in turn", std::to_string(at.atoms), "an even number");
    if (2 * at.reach + 1 > at.atoms)
      ranks::refuse("reach", "a zone larger than the ring", std::to_string(at.reach),
                    "0 to " + std::to_string((at.atoms - 1) / 2));
  }

  static Case at(const timing::CaseSettings& settings) {
    const auto number = [&](const char* name) { return static_cast<int>(settings.at(name).integer); };
    return {number("atoms"), number("reach"), number("points"), number("cycles")};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.integer("atoms", at.atoms).integer("reach", at.reach).integer("points", at.points);
    json.integer("cycles", at.cycles);
    return json.integer("operations", std::llround(materials::SelfConsistent<C>::operations(at)));
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<materials::SelfConsistent<C>>(comm, at, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Materials;
}  // namespace assay::ranks
