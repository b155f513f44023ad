// SLALOM: the radiosity of a room, from a file to a file; fixed in size, or the largest that is solved in a given time.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "applications/player.hpp"
#include "applications/slalom/radiosity.hpp"

namespace assay::applications {

struct Slalom {
  static constexpr std::string_view record = R"record(
name = "slalom"
title = "SLALOM: radiosity of a room"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
needs = ["storage"]
machine = "mpi/files.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["slalom"]
summary = "a room is read from a file, its faces are divided into patches, form factors couple all of them in a symmetric system for each of three bands of light, which Cholesky's method solves on all ranks, and the answer is written to a file"
cost = "768 n (n - 1) / 2 flops for the form factors and n^3 + 9 n^2 for three factorisations and their solutions, n patches"
check = "each patch's form factors add up to 1, area times form factor is symmetric, the equations hold and absorbed light is the emitted, each within 1e-9; with equal faces the closed answer; the answer's file holds the solution"
source = "after Gustafson, Rover, Elbert and Carter 1990, SLALOM: the first scalable supercomputer benchmark, Supercomputing Review 3(11); form factors by Ehlert and Smith 1993"
published = ["slalom"]

[parameter.patches]
type = "integer"
default = 400
min = 0
max = 100000
sweep = true
help = "how many; 0: the most that are solved within `within`, found by trial"

[parameter.within]
type = "real"
default = 60.0
min = 0.001
max = 3600.0
unit = "s"
help = "of patches=0: how long a solution may take"

[parameter.block]
type = "integer"
default = 16
min = 1
max = 1024
help = "columns of a panel, which are dealt out in turn"

[parameter.broadcast]
type = "choice"
default = "ring"
choices = ["ring", "tree"]
help = "how a factorised panel goes to all ranks: each passes it on to the next one, or down a binomial tree"

[parameter.scene]
type = "choice"
default = "furnished"
choices = ["furnished", "uniform"]
help = "uniform: all faces emit and reflect alike, so that the answer is known"

[parameter.io_nodes]
type = "integer"
default = 0
min = 0
max = 65536
help = "I/O nodes that the files are spread over on a described machine; 0: all"

[parameter.folder]
type = "path"
default = "scratch"
help = "where the two files go on a real machine, into a folder of the launch's own that is removed at the end"

[unit.columns]
source = "applications/slalom/columns.cpp"
flags = ["-ffp-contract=off"]

[unit.room]
source = "applications/slalom/room.cpp"
flags = ["-ffp-contract=off"]

[unit.physics]
source = "applications/slalom/physics.cpp"
flags = ["-ffp-contract=off"]

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, reading and writing included"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "of one solution"

[figure.rate]
metric = "time"
formula = "operations / value"
unit = "flop/s"
better = "higher"
headline = true
help = "of all ranks together"
)record";

  using Case = slalom::Size;
  static constexpr std::int64_t most_small = 400;
  static bool small(const Case& at, int ranks) { return at.patches <= most_small && ranks <= most_with_data; }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    if constexpr (ranks::HostFiles<C>) {
      const std::string why = co_await comm.settle(session.cases().front().path("folder"), session.options().subfolder);
      if (!why.empty()) throw timing::InputFault(why);
      co_await play(comm, session);
    } else if constexpr (ranks::Files<C>) {
      for (const auto& each : session.cases())
        if (const std::int64_t wanted = each.at("io_nodes").integer; wanted > comm.io_nodes())
          ranks::refuse("io_nodes", "more than there are", std::to_string(wanted),
                        "0 to " + std::to_string(comm.io_nodes()));
      keep_charged(comm, session, {"slalom"});
      co_await play(comm, session);
    } else {
      if (comm.rank() == 0) session.skip("it works on files, which are not there");
    }
  }

  static Case at(const timing::CaseSettings& settings) {
    return {settings.at("patches").integer, settings.at("block").integer, settings.at("io_nodes").integer,
            settings.at("scene").text == "furnished", settings.at("broadcast").text == "ring"};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.integer("patches", at.patches)
        .text("broadcast", at.ring ? "ring" : "tree")
        .integer("block", at.block)
        .text("scene", at.furnished ? "furnished" : "uniform");
    return json.integer("io_nodes", at.io_nodes)
        .integer("operations", std::llround(slalom::Radiosity<C>::operations(at)));
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    return std::make_unique<slalom::Radiosity<C>>(comm, at, carries);
  }

 private:
  static constexpr std::int64_t fewest = 6, first_tried = 96;
  static constexpr double near_enough = 0.98;  // of the time allowed
  static constexpr int most_tries = 12;

  template <ranks::Files C>
  static ranks::Task play(C& comm, ranks::Session& session) {
    session.keep(
        [](const auto& each) { return each.at("patches").integer == 0 || each.at("patches").integer >= fewest; },
        {"each face has a patch", "patches", "0, or 6 and more"}, comm.rank() == 0);
    const bool sought = std::any_of(session.cases().begin(), session.cases().end(),
                                    [](const auto& each) { return each.at("patches").integer == 0; });
    if (sought) {
      std::int64_t most = 0;
      const auto settings = session.cases().front();
      co_await largest(comm, at(settings), settings.at("within").real, most);
      session.widen("patches", [&] { return std::vector<std::int64_t>{most}; });
    }
    Player<C, Slalom> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  // The most patches with which a run took no longer than `within`: tried by the cube root of the time, until it is
  // nearly reached or a greater number was too slow.
  template <ranks::Files C>
  static ranks::Task largest(C& comm, Case size, double within, std::int64_t& most) {
    Player<C, Slalom> player{comm};
    std::int64_t too_many = 0;
    size.patches = first_tried;
    most = fewest;
    for (int tried = 0; tried < most_tries && size.patches != most && size.patches != too_many; ++tried) {
      std::int64_t ticks = 0;
      co_await player.operate(comm, size, {1, 1}, &ticks);
      co_await ranks::broadcast(comm, &ticks, sizeof ticks);
      const double took = static_cast<double>(ticks) / C::ticks_a_second;
      if (took <= within) most = std::max(most, size.patches);
      if (took > within) too_many = size.patches;
      if (took <= within && took >= near_enough * within) break;
      const double factor = std::clamp(std::cbrt((1 + near_enough) / 2 * within / took), 0.25, 4.0);
      size.patches = std::max<std::int64_t>(fewest, std::llround(static_cast<double>(size.patches) * factor));
      if (too_many > 0) size.patches = std::min(size.patches, too_many - 1);
      size.patches = std::max(size.patches, most);
    }
    player.ready.reset();
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Slalom;
}  // namespace assay::ranks
