// The NAS parallel benchmarks: five kernels of computational fluid dynamics, written from their specification.
#pragma once

#include <cmath>
#include <memory>

#include "applications/nas/cg.hpp"
#include "applications/nas/ep.hpp"
#include "applications/nas/ft.hpp"
#include "applications/nas/is.hpp"
#include "applications/nas/mg.hpp"
#include "applications/player.hpp"

namespace assay::applications {

struct Nas {
  static constexpr std::string_view record = R"record(
name = "nas"
title = "NAS parallel benchmarks"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["ep", "fft", "mg", "cg", "is"]
summary = "kernels of computational fluid dynamics by NASA's specification, of classes S to C: random pairs (EP), 3-D Fourier transforms (FT), multigrid (MG), conjugate gradients (CG), integer sort (IS)"
cost = "as the specification counts: EP 2^(m + 1) random numbers, m = 24, 25, 28, 30, 32 by class; FT n (14.8 + 7.20 ln n + i (5.24 + 7.21 ln n)), n points and i iterations; MG 58 n i; CG 2 * iterations * n * (z + 6 + 25 * (z + 5)), z = nonzeros * (nonzeros + 1); IS 10 ranks of each key"
check = "the result against the official verification value of kernel and class, within the specification's error"
source = "Bailey et al. 1994, The NAS Parallel Benchmarks, RNR-94-007"

[parameter.kernel]
type = "choice"
default = ["ep", "ft", "mg", "cg", "is"]
choices = ["ep", "ft", "mg", "cg", "is"]
sweep = true
help = "which kernel"

[parameter.class]
type = "choice"
default = ["S"]
choices = ["S", "W", "A", "B", "C"]
sweep = true
help = "size of the problem"

[parameter.threads]
type = "integer"
default = [1]
min = 1
max = 1024
unit = "1"
sweep = true
help = "threads of each rank, of EP alone; ranks with several are bound to no core"

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, without the input's making and the check"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one run of the kernel"

[figure.rate]
metric = "time"
formula = "operations / value"
unit = "1/s"
better = "higher"
headline = true
help = "operations as NPB counts them, over the time"

[headline.rate]
figure = "rate"
where = "kernel=cg"
title = "NAS CG (sparse, irregular)"
order = 1
)record";

  using Class = nas::Class;
  enum class Which : std::uint8_t { ep, ft, mg, cg, is };
  struct Case {
    Which kernel;
    Class size;
    std::int64_t threads;
    bool operator==(const Case&) const = default;
  };
  static constexpr std::string_view kernels[] = {"ep", "ft", "mg", "cg", "is"};
  static constexpr std::string_view sizes[] = {"S", "W", "A", "B", "C"};
  static bool small(const Case& at, int ranks) { return at.size == Class::S && ranks <= most_with_data; }

  // The kernel of [compute] that a case is charged by.
  static std::string_view charged(const timing::CaseSettings& settings) {
    const std::string& name = settings.at("kernel").text;
    return name == "ft" ? std::string_view("fft") : std::string_view(name);
  }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    for (const std::string_view kernel : kernels) {
      const std::string reason = "the description has no rate for kernel " + std::string(kernel);
      session.keep(
          [&](const auto& each) {
            return !comm.is_simulated() || each.at("kernel").text != kernel || comm.cost_of(charged(each));
          },
          reason.c_str(), comm.rank() == 0);
    }
    session.keep(
        [&](const auto& each) {
          const Case one = at(each);
          return one.threads == 1 || (one.kernel == Which::ep && !comm.is_simulated());
        },
        {comm.is_simulated() ? "threads of a rank are measured, not described" : "only EP has threads", "threads",
         comm.is_simulated() ? "1" : "1, or kernel=ep"},
        comm.rank() == 0);
    Player<C, Nas> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  static Case at(const timing::CaseSettings& settings) {
    return {static_cast<Which>(place_among(kernels, settings.at("kernel").text)),
            static_cast<Class>(place_among(sizes, settings.at("class").text)), settings.at("threads").integer};
  }
  template <ranks::Communicator C>
  static timing::Json label(C&, const Case& at) {
    timing::Json json;
    json.text("kernel", kernels[static_cast<std::size_t>(at.kernel)]);
    json.text("class", sizes[nas::place(at.size)]);
    if (at.threads > 1) json.integer("threads", at.threads);
    return json.integer("operations", std::llround(operations<C>(at)));
  }

  template <ranks::Communicator C>
  static double operations(const Case& at) {
    switch (at.kernel) {
      case Which::ft:
        return nas::Ft<C>::operations(at.size);
      case Which::mg:
        return nas::Mg<C>::operations(at.size);
      case Which::cg:
        return nas::Cg<C>::operations(at.size);
      case Which::is:
        return nas::Is<C>::operations(at.size);
      default:
        return nas::Ep<C>::operations(at.size);
    }
  }
  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    switch (at.kernel) {
      case Which::ft:
        return std::make_unique<nas::Ft<C>>(comm, at.size, carries);
      case Which::mg:
        return std::make_unique<nas::Mg<C>>(comm, at.size, carries);
      case Which::cg:
        return std::make_unique<nas::Cg<C>>(comm, at.size, carries);
      case Which::is:
        return std::make_unique<nas::Is<C>>(comm, at.size, carries);
      default:
        return std::make_unique<nas::Ep<C>>(comm, at.size, static_cast<int>(at.threads), carries);
    }
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Nas;
}  // namespace assay::ranks
