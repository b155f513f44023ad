// Dense linear algebra over a distributed matrix: Cholesky factorisation, and a system of equations by LU.
#pragma once

#include <set>
#include <tuple>

#include "applications/dense/cholesky.hpp"
#include "applications/dense/grid_cholesky.hpp"
#include "applications/dense/lu.hpp"
#include "applications/player.hpp"
#include "applications/room.hpp"

namespace assay::applications {

struct Dense {
  static constexpr std::string_view record = R"record(
name = "dense"
title = "Dense linear algebra"
part = "applications"
kind = "ranks"
from = "ranks/budget.hpp"
ranks = "all"
least_ranks = 1
profiles = ["full"]
with_data = "small"
computes = ["cholesky", "float32_cholesky", "gemm", "float32_gemm", "linpack"]
libraries = ["blas"]
summary = "Cholesky factorisation of a distributed matrix, and a system of equations by LU with partial pivoting, which is what LINPACK's list ranks machines by"
cost = "Cholesky n^3 / 3 + n^2 / 2 + n / 6 flops, LU and its solution 2 n^3 / 3 + 3 n^2 / 2; columns by a tree to all ranks, or panels along the rows of a grid, and rows of U or of the panel along its columns"
check = "Cholesky: L L' times a vector beside A times it; LU: A x beside b, A made anew by its formula; either scaled by rounding, norms and n as HPL does, at most 16"
source = "Geist and Heath 1986; Petitet, Whaley, Dongarra and Cleary, HPL; Dunigan 1991, section 6"
published = ["cholesky", "linpack-peak"]

[parameter.factorisation]
type = "choice"
default = ["cholesky", "lu"]
choices = ["cholesky", "lu"]
sweep = true
help = "Cholesky factorisation, or a system of equations by LU with partial pivoting"

[parameter.size]
type = "integer"
default = [1000]
min = 1
max = 1000000
unit = "1"
sweep = true
help = "rows of the matrix"

[parameter.type]
type = "choice"
default = ["float64"]
choices = ["float64", "float32"]
sweep = true
help = "type of the matrix's elements"

[parameter.layout]
type = "choice"
default = "blocks"
described = "columns"
choices = ["blocks", "columns", "grid"]
sweep = true
help = "how Cholesky's matrix is dealt out: columns in blocks of `block`, one by one as the hypercube report's program has them, or blocks of rows and columns on a grid, as LU's always is"

[parameter.block]
type = "integer"
default = 64
min = 1
max = 1024
unit = "1"
sweep = true
help = "rows and columns of a block"

[parameter.grid_rows]
type = "integer"
default = 0
min = 0
max = 1000000
unit = "1"
sweep = true
help = "rows of the grid of ranks; 0: as many as columns, or the nearest lower number that divides the ranks"

[parameter.code]
type = "choice"
default = "library"
choices = ["library", "ours"]
sweep = true
help = "products of blocks by the site's BLAS, or by own code, which also stands in where no library was found and on described machines"

[parameter.threads]
type = "integer"
default = [1]
min = 1
max = 1024
unit = "1"
sweep = true
help = "threads of each rank in products of blocks, by the site's BLAS; ranks with several are bound to no core"

[unit.blocks]
source = "applications/dense/blocks.cpp"
flags = ["-ffp-contract=off"]

[metric.time]
unit = "s"
help = "from the common start to the last rank's end, without the matrix's making and the check"

[figure.time]
metric = "time"
unit = "s"
better = "lower"
help = "one factorisation, for LU with the solution of the system"

[figure.rate]
metric = "time"
formula = "operations / value"
unit = "flop/s"
better = "higher"
headline = true
help = "operations as LINPACK counts them, over the time"
)record";

  struct Case {
    bool lu, single, columns, on_grid, library;
    std::int64_t size, block, grid_rows, threads;
    bool operator==(const Case&) const = default;
  };

  static constexpr std::int64_t most_small = 1000;
  static bool small(const Case& at, int ranks) { return at.size <= most_small && ranks <= most_with_data; }

  static Case at(const timing::CaseSettings& settings) {
    const bool lu = settings.at("factorisation").text == "lu";
    const std::string& layout = settings.at("layout").text;
    const bool columns = !lu && layout == "columns", on_grid = lu || layout == "grid";
    return {lu,
            settings.at("type").text == "float32",
            columns,
            on_grid,
            dense::has_library && !columns && settings.at("code").text == "library",
            settings.at("size").integer,
            columns ? 1 : settings.at("block").integer,
            on_grid ? settings.at("grid_rows").integer : 0,
            settings.at("threads").integer};
  }
  // What most of a case's work is charged as.
  static std::string_view kernel(const Case& at) {
    if (at.columns) return at.single ? "float32_cholesky" : "cholesky";
    return at.single ? "float32_gemm" : "gemm";
  }

  static double element(const Case& at) { return at.single ? sizeof(float) : sizeof(double); }
  static double bytes(const Case& at) {
    const auto n = static_cast<double>(at.size);
    return n * n * element(at);
  }

  template <ranks::Communicator C>
  static ranks::Task run(C& comm, ranks::Session& session) {
    // Of cases that differ in nothing that they use, one.
    using Integer = std::int64_t;
    std::set<std::tuple<bool, bool, bool, bool, bool, Integer, Integer, Integer, Integer>> known;
    session.keep(
        [&](const auto& each) {
          const Case one = at(each);
          return known
              .emplace(one.lu, one.single, one.columns, one.on_grid, one.library, one.size, one.block, one.grid_rows,
                       one.threads)
              .second;
        },
        "it is the same as another: LU is always on a grid, Cholesky's columns never", comm.rank() == 0);
    session.keep(
        [&](const auto& each) {
          return !comm.is_simulated() || (comm.cost_of(kernel(at(each))) && comm.cost_of("linpack"));
        },
        "the description has no rate for it", comm.rank() == 0);
    session.keep([&](const auto& each) { return at(each).grid_rows == 0 || comm.size() % at(each).grid_rows == 0; },
                 "the ranks are no multiple of grid_rows", comm.rank() == 0);
    session.keep([&](const auto& each) { return at(each).threads == 1 || (!comm.is_simulated() && at(each).library); },
                 {comm.is_simulated() ? "threads of a rank are measured, not described"
                                      : "threads are those of a BLAS library, and own code has one",
                  "threads", comm.is_simulated() ? "1" : "1, or a BLAS library, code=library and layout=blocks"},
                 comm.rank() == 0);
#ifdef ASSAY_BLAS
    session.keep(
        [&](const auto& each) {
          const Case one = at(each);
          return comm.is_simulated() || !one.library || libraries::blas_threads(static_cast<int>(one.threads));
        },
        {"the BLAS that was found does not take so many threads", "threads", "fewer"}, comm.rank() == 0);
#endif
    co_await keep_fitting(
        comm, session, "size", [](const auto& each) { return bytes(at(each)); },
        [&](double room) {
          std::int64_t most = 0;
          for (const auto& each : session.cases())
            most = std::max(most, static_cast<std::int64_t>(std::sqrt(room / element(at(each)))));
          return most;
        });
    Player<C, Dense> player{comm, session.options().verify};
    co_await ranks::sample(comm, session, player);
  }

  template <ranks::Communicator C>
  static timing::Json label(C& comm, const Case& at) {
    timing::Json json;
    json.text("factorisation", at.lu ? "lu" : "cholesky").integer("size", at.size);
    json.text("type", at.single ? "float32" : "float64").text("layout", layout(at));
    json.integer("block", at.block).integer("grid_rows", at.on_grid ? grid(comm.size(), at).rows : 1);
    json.text("code", at.library ? "library" : "ours");
    if (at.threads > 1) json.integer("threads", at.threads);
    return json.integer("operations", std::llround(operations<C>(at)));
  }
  static const char* layout(const Case& at) {
    if (at.columns) return "columns";
    return at.on_grid && !at.lu ? "grid" : "blocks";
  }
  template <ranks::Communicator C>
  static double operations(const Case& at) {
    return at.lu ? dense::Lu<C, double>::operations(at.size) : dense::Cholesky<C, double>::operations(at.size);
  }
  static dense::Grid grid(int ranks, const Case& at) {
    if (at.grid_rows == 0) return dense::square_grid(ranks);
    return {static_cast<int>(at.grid_rows), ranks / static_cast<int>(at.grid_rows)};
  }

  template <ranks::Communicator C>
  static std::unique_ptr<Application> made(C& comm, const Case& at, bool carries) {
    if (at.single) return made_of<float>(comm, at, carries);
    return made_of<double>(comm, at, carries);
  }
  template <class Real, ranks::Communicator C>
  static std::unique_ptr<Application> made_of(C& comm, const Case& at, bool carries) {
    const auto multiply = dense::multiply_by<Real>(at.library, static_cast<int>(at.threads));
    if (at.lu)
      return std::make_unique<dense::Lu<C, Real>>(comm, at.size, at.block, grid(comm.size(), at), kernel(at), "linpack",
                                                  multiply, carries);
    if (at.on_grid)
      return std::make_unique<dense::GridCholesky<C, Real>>(comm, at.size, at.block, grid(comm.size(), at), kernel(at),
                                                            multiply, carries);
    return std::make_unique<dense::Cholesky<C, Real>>(comm, at.size, at.block, kernel(at), multiply, carries);
  }
};

}  // namespace assay::applications

namespace assay::ranks {
using Program = applications::Dense;
}  // namespace assay::ranks
