// Jacobi iteration for Laplace's equation on a square grid (Dunigan 1995, section 3, Table 3.4): every point becomes
// the mean of its four neighbours, each thread a band of rows, a barrier a sweep.
#include <algorithm>
#include <cmath>

#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "jacobi"
title = "Jacobi iteration"
part = "kernels"
kind = "node"
from = "kernels/by_threads.hpp"
first_look = true
summary = "five-point sweeps over a square grid on 1 to p threads"
cost = "a point takes 4 flops and, past the caches, 16 bytes of traffic"
check = "a mode of the grid is an eigenvector: after k sweeps it is itself times (cos(pi/(n+1)))^k, at every point"
source = "Dunigan 1995, section 3, Table 3.4"
published = ["kernel.jacobi-c"]

[parameter.by]
from = "threads/parameters.hpp"
described = "threads"

[parameter.threads]
from = "threads/parameters.hpp"

[parameter.size]
type = "integer"
default = 512
min = 4
max = 32768
unit = "1"
sweep = true
help = "inner points of a side of the grid"

[described]
kernel = "jacobi"
memory = "16 * size ** 2"
only = { by = ["threads"] }
metric = { time = "unit * 4 * size ** 2" }

[metric.time]
unit = "s"
help = "time of one sweep"

[roof]
figure = "rate"
flops = "4"
bytes = "16"
where = "by=threads"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of one sweep"

[figure.rate]
metric = "time"
formula = "4 * size * size / value"
unit = "flop/s"
better = "higher"
headline = true
help = "4 flops per point"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct Grid {  // (n + 2) x (n + 2) points, the border zero
  explicit Grid(std::int64_t side) : n(side), now(static_cast<std::size_t>((n + 2) * (n + 2))), next(now) {}
  double mode(std::int64_t i) const { return std::sin(M_PI * static_cast<double>(i) / static_cast<double>(n + 1)); }
  void start() {  // the lowest mode: smooth, and zero on the border
    for (std::int64_t i = 1; i <= n; ++i)
      for (std::int64_t j = 1; j <= n; ++j) now[static_cast<std::size_t>(i * (n + 2) + j)] = mode(i) * mode(j);
  }
  std::int64_t n;
  std::vector<double> now, next;
};

[[gnu::noinline]] void sweep(const double* __restrict now, double* __restrict next, std::int64_t n, std::int64_t from,
                             std::int64_t to) {
  const std::int64_t row = n + 2;
  for (std::int64_t i = from; i < to; ++i)
    for (std::int64_t j = 1; j <= n; ++j) {
      const double* at = now + i * row + j;
      next[i * row + j] = 0.25 * (at[-row] + at[row] + at[-1] + at[1]);
    }
}

template <class Crew>
void sweeps(Crew& crew, Grid& grid, std::int64_t times) {
  crew.run([&](const auto& member) {
    double *now = grid.now.data(), *next = grid.next.data();
    for (std::int64_t k = 0; k < times; ++k) {
#ifdef ASSAY_BREAK
      sweep(now, next, grid.n, 1 + member.from(grid.n), member.to(grid.n));
#else
      sweep(now, next, grid.n, 1 + member.from(grid.n), 1 + member.to(grid.n));
#endif
      std::swap(now, next);
      member.together();
    }
  });
  if (times % 2) std::swap(grid.now, grid.next);
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  return run_program(record, argc, argv, [&](Case& at) __attribute__((cold)) {
    threads::with_crew(at, team, [&](const auto& crew) __attribute__((cold)) {
      auto grid = std::make_shared<Grid>(at.integer("size"));
      grid->start();
      at.measure("time", [=](std::int64_t times) { sweeps(*crew, *grid, times); }, {.reading = threads::least_reading});
      at.check([=]() __attribute__((cold)) {
        grid->start();
        constexpr int times = 25;
        sweeps(*crew, *grid, times);
        const double factor = std::pow(std::cos(M_PI / static_cast<double>(grid->n + 1)), times);
        double worst = 0;
        for (std::int64_t i = 0; i < grid->n + 2; ++i)
          for (std::int64_t j = 0; j < grid->n + 2; ++j) {
            const bool inside = i > 0 && j > 0 && i <= grid->n && j <= grid->n;
            const double exact = inside ? factor * grid->mode(i) * grid->mode(j) : 0;
            worst = std::max(worst, std::abs(grid->now[static_cast<std::size_t>(i * (grid->n + 2) + j)] - exact));
          }
        return Check{worst < 1e-12, "25 sweeps of the lowest mode, worst error " + Json::write(worst)};
      });
    });
  });
}
