// Electrons in plane waves: the lowest bands of a Hamiltonian that depends on them.
#pragma once

#include <memory>

#include "applications/choices.hpp"
#include "applications/planewaves/solver.hpp"
#include "applications/player.hpp"

namespace assay::applications {

struct Planewaves {
  static constexpr std::string_view record = R"record(
name = "planewaves"
title = "Bands in plane waves"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["fft", "gemm", "eigenvalues"]
summary = "electronic structure: the lowest bands of a Hamiltonian that depends on their density, by block conjugate gradients in plane waves (3-D Fourier transforms, products of matrices)"
cost = "of each line transformed 5 n log2 n flops; of v vectors, b bands and w waves 16 v (v + b) w for inner products and new vectors, v = b once per cycle, 2 b in its first step and 3 b in others; 72 v^3 for the small eigenvalue problems"
check = "levels within 5e-4 Hartree of closed forms (harmonic) or of a radial equation (field), 2e-3 (hydrogen); the virial theorem and a steady density (harmonic, field)"
source = "Payne et al. 1992, Rev. Mod. Phys. 64, 1045; Knyazev 2001, SIAM J. Sci. Comput. 23, 517"

[parameter.problem]
type = "choice"
default = ["field"]
choices = ["harmonic", "hydrogen", "field"]
sweep = true
help = "r^2 / 2; -2 erf(r) / r; r^2 / 2 and the density of two electrons per band"

[parameter.points]
type = "integer"
default = [32]
min = 32
max = 256
sweep = true
help = "points along each edge of the box: a power of two"

[parameter.radius]
type = "integer"
default = [0]
min = 0
max = 64
sweep = true
help = "the cut-off, the greatest whole wave number; 0: a quarter of the points, the greatest possible"

[parameter.bands]
type = "integer"
default = [4]
min = 1
max = 20
sweep = true
help = "bands; a field needs closed shells: 1, 4, 10 or 20"

[parameter.cycles]
type = "integer"
default = 16
min = 1
max = 1000
help = "cycles of density and bands; too few of them fail the check"

[parameter.steps]
type = "integer"
default = 6
min = 1
max = 1000
help = "steps of conjugate gradients in each cycle"

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
help = "flops by the convention of `cost`, over the time"
)record";

  using Case = planewaves::Case;
  static bool small(const Case& at, int ranks) { return at.points <= 32 && at.bands <= 4 && ranks <= 16; }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    keep_charged(comm, session, {"fft", "gemm", "eigenvalues"});
    for (const auto& each : session.cases()) refuse_impossible(at(each));
    Player<C, Planewaves> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static void refuse_impossible(const Case& at) {
    const auto seen = [](int value) { return std::to_string(value); };
    if (!is_power_of_two(at.points)) ranks::refuse("points", "no power of two", seen(at.points), "32, 64, 128 or 256");
    if (at.radius > at.points / 4)
      ranks::refuse("radius", "too large for so few points", seen(at.radius), "0 to " + std::to_string(at.points / 4));
    const bool closed = at.bands == 1 || at.bands == 4 || at.bands == 10 || at.bands == 20;
    if (at.problem == planewaves::Problem::field && !closed)
      ranks::refuse("bands", "no closed shells", seen(at.bands), "1, 4, 10 or 20 of a field");
  }

  static Case at(const timing::CaseSettings& settings) {
    const auto number = [&](const char* name) { return static_cast<int>(settings.at(name).integer); };
    return {static_cast<planewaves::Problem>(place_among(planewaves::problems, settings.at("problem").text)),
            number("points"),
            number("radius"),
            number("bands"),
            number("cycles"),
            number("steps")};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.text("problem", planewaves::problems[static_cast<std::size_t>(at.problem)]).integer("points", at.points);
    json.integer("radius", at.radius).integer("bands", at.bands).integer("cycles", at.cycles);
    json.integer("steps", at.steps);
    return json.integer("operations", std::llround(planewaves::Solver<C>::operations(at)));
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<planewaves::Solver<C>>(comm, at, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Planewaves;
}  // namespace assay::ranks
