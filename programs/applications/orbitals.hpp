// Electrons of a complex of water molecules: restricted Hartree-Fock in Gaussian functions.
#pragma once

#include <memory>

#include "applications/choices.hpp"
#include "applications/orbitals/hartree_fock.hpp"
#include "applications/player.hpp"

namespace assay::applications {

struct Orbitals {
  static constexpr std::string_view record = R"record(
name = "orbitals"
title = "Orbitals of a water complex"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["integrals", "eigenvalues"]
summary = "quantum chemistry: integrals over Gaussian functions dealt out by pairs of shells, then cycles of mean field and orbitals, of 1 to 8 water molecules (restricted Hartree-Fock)"
cost = "of each four Gaussians 40 flops for Boys' function, 4 for each integral of the recursion and 2 for each product with a coefficient; per cycle 12 for each integral, and of n functions and o orbitals 14 n^3 + 2 o n^2 + 9 n^3 for the matrices"
check = "the energy against PySCF's within 1e-7 Hartree; the number of electrons; the density matrix is idempotent; the field is self-consistent"
source = "Szabo and Ostlund 1989, Modern Quantum Chemistry; McMurchie and Davidson 1978, J. Comput. Phys. 26, 218"

[parameter.molecules]
type = "integer"
default = [4]
min = 1
max = 8
sweep = true
help = "water molecules"

[parameter.basis]
type = "choice"
default = ["sto-3g"]
choices = ["sto-3g", "6-31g"]
sweep = true
help = "7 or 13 functions per molecule"

[parameter.cycles]
type = "integer"
default = 25
min = 1
max = 1000
help = "cycles of field and orbitals; too few of them fail the check"

[parameter.turn]
type = "integer"
default = 0
min = 0
max = 359
unit = "1"
help = "degrees by which the complex is turned about the axis (1, 2, 3), which changes no energy"

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, without the check"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "integrals and all cycles"

[figure.rate]
metric = "time"
formula = "operations / value"
unit = "flop/s"
better = "higher"
headline = true
help = "flops by the convention of `cost`, over the time"
)record";

  using Case = orbitals::Case;
  static constexpr std::string_view bases[] = {"sto-3g", "6-31g"};
  static bool small(const Case& at, int ranks) {
    return at.molecules <= 4 && at.basis == orbitals::Basis::sto_3g && ranks <= most_with_data;
  }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    keep_charged(comm, session, {"integrals", "eigenvalues"});
    Player<C, Orbitals> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static Case at(const timing::CaseSettings& settings) {
    return {static_cast<int>(settings.at("molecules").integer),
            static_cast<orbitals::Basis>(place_among(bases, settings.at("basis").text)),
            static_cast<int>(settings.at("cycles").integer), static_cast<int>(settings.at("turn").integer)};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.integer("molecules", at.molecules).text("basis", bases[static_cast<std::size_t>(at.basis)]);
    json.integer("cycles", at.cycles).integer("turn", at.turn);
    return json.integer("operations", std::llround(orbitals::HartreeFock<C>::operations(at)));
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<orbitals::HartreeFock<C>>(comm, at, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Orbitals;
}  // namespace assay::ranks
