// A population of pulsars, drawn over ranges of field, luminosity, distance and age, each followed by itself.
#pragma once

#include <memory>

#include "applications/player.hpp"
#include "applications/pulsars/schedule.hpp"

namespace assay::applications {

struct Pulsars {
  static constexpr std::string_view record = R"record(
name = "pulsars"
title = "Pulsars followed independently"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["pulsars"]
summary = "a population of pulsars is drawn in parts of equal numbers, which rank 0 hands out; those bright enough are followed to their age, so that parts take unequal time: almost no communication, and load imbalance"
cost = "152 flops per step and 80 per pulsar drawn; 0.33 of the pulsars are followed, by 64 steps and `steps` per million years of 25 on average"
check = "of each pulsar the period by the closed law of dipole braking and the energy of its motion, within 1e-6; of all the number followed, the mean squared period and the number seen still against their integrals, within 5 standard errors"
source = "after maya5 of van der Steen 2000, sections 4.1.3 and 6.1.2.3; the disc's pull by Kuijken and Gilmore 1989"

[parameter.pulsars]
type = "integer"
default = 65536
min = 1024
max = 1000000000
sweep = true
help = "how many are drawn"

[parameter.steps]
type = "integer"
default = 16
min = 16
max = 1000000
help = "steps per million years of a pulsar's life"

[parameter.parts]
type = "integer"
default = 16
min = 0
max = 1048576
sweep = true
help = "parts of equal numbers of pulsars, which rank 0 hands out; 0: one for each rank that works"

[parameter.seed]
type = "integer"
default = 1
min = 0
max = 65535
help = "which population"

[metric.time]
unit = "s"
help = "from the common start to the last rank's end"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "drawing and following the population"

[figure.rate]
metric = "time"
formula = "pulsars / value"
unit = "1/s"
better = "higher"
headline = true
help = "pulsars drawn, those followed among them, over the time"
)record";

  using Case = pulsars::Size;
  static constexpr std::int64_t small_pulsars = 65536, small_steps = 16;
  static bool small(const Case& at, int ranks) {
    return at.pulsars <= small_pulsars && at.steps <= small_steps && ranks <= most_with_data;
  }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    keep_charged(comm, session, {"pulsars"});
    session.keep([](const auto& each) { return each.at("parts").integer <= each.at("pulsars").integer; },
                 {"there are fewer pulsars than parts", "parts", "as many as pulsars or fewer"}, comm.rank() == 0);
    Player<C, Pulsars> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static Case at(const timing::CaseSettings& settings) {
    return {settings.at("pulsars").integer, settings.at("steps").integer, settings.at("parts").integer,
            settings.at("seed").integer};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    return json.integer("pulsars", at.pulsars)
        .integer("steps", at.steps)
        .integer("parts", at.parts)
        .integer("seed", at.seed);
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<pulsars::Schedule<C>>(comm, at, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Pulsars;
}  // namespace assay::ranks
