// Shallow water on a doubly periodic grid (Dunigan 1995, text after Table 3.5: "low data re-use"): velocities and
// height, linear waves, by forward and backward steps on a staggered grid, each thread a band of rows, two barriers a
// step.
#include <algorithm>
#include <cmath>
#include <complex>

#include "threads/crew.hpp"

constexpr std::string_view record = R"record(
name = "shallow-water"
title = "Shallow-water kernel"
part = "kernels"
kind = "node"
from = "kernels/by_threads.hpp"
profiles = ["standard", "full"]
summary = "linear shallow-water steps on a staggered periodic grid on 1 to p threads: little re-use of data"
cost = "a point takes 11 flops per step and, past the caches, 48 bytes of traffic at least"
check = "one plane wave is an eigenvector of the step: after k steps every point against the closed form of its two amplitudes, found by complex arithmetic on the wave alone; the total mass"
source = "Dunigan 1995, section 3, text after Table 3.5; staggered grid C, Arakawa and Lamb 1977"
published = ["user.shallow-water"]

[parameter.by]
from = "threads/parameters.hpp"

[parameter.threads]
from = "threads/parameters.hpp"

[parameter.size]
type = "integer"
default = 1024
quick = 512
min = 8
max = 16384
unit = "1"
sweep = true
help = "points of a side of the grid"

[metric.time]
unit = "s"
help = "time of one step"

[roof]
figure = "rate"
flops = "11"
bytes = "48"
where = "by=threads"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of one step"

[figure.rate]
metric = "time"
formula = "11 * size * size / value"
unit = "flop/s"
better = "higher"
headline = true
help = "11 flops per point in each step"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr double courant = 0.3;  // wave speed times step over spacing

struct Water {
  explicit Water(std::int64_t side) : n(side), u(static_cast<std::size_t>(n * n)), v(u), h(u) {}
  std::size_t at(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i * n + j); }
  double phase(std::int64_t i, std::int64_t j) const {
    return 2 * M_PI * static_cast<double>(2 * i + 3 * j) / static_cast<double>(n);
  }
  void start() {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        u[at(i, j)] = v[at(i, j)] = 0;
        h[at(i, j)] = std::cos(phase(i, j));
      }
  }
  std::int64_t n;
  std::vector<double> u, v, h;
};

// u and v live on the edges before a point in i and j.
[[gnu::noinline]] void push(double* __restrict u, double* __restrict v, const double* __restrict h, std::int64_t n,
                            std::int64_t from, std::int64_t to) {
  for (std::int64_t i = from; i < to; ++i) {
    const double *own = h + i * n, *before = h + (i == 0 ? n - 1 : i - 1) * n;
    u[i * n] -= courant * (own[0] - before[0]);
    v[i * n] -= courant * (own[0] - own[n - 1]);
    for (std::int64_t j = 1; j < n; ++j) {
      u[i * n + j] -= courant * (own[j] - before[j]);
      v[i * n + j] -= courant * (own[j] - own[j - 1]);
    }
  }
}

[[gnu::noinline]] void flow(const double* __restrict u, const double* __restrict v, double* __restrict h,
                            std::int64_t n, std::int64_t from, std::int64_t to) {
  for (std::int64_t i = from; i < to; ++i) {
    const double *own = u + i * n, *after = u + (i + 1 == n ? 0 : i + 1) * n, *side = v + i * n;
    for (std::int64_t j = 0; j + 1 < n; ++j) h[i * n + j] -= courant * (after[j] - own[j] + side[j + 1] - side[j]);
    h[i * n + n - 1] -= courant * (after[n - 1] - own[n - 1] + side[0] - side[n - 1]);
  }
}

template <class Crew>
void steps(Crew& crew, Water& water, std::int64_t times) {
  crew.run([&](const auto& member) {
    const std::int64_t from = member.from(water.n), to = member.to(water.n);
    for (std::int64_t k = 0; k < times; ++k) {
      push(water.u.data(), water.v.data(), water.h.data(), water.n, from, to);
      member.together();
#ifdef ASSAY_BREAK
      flow(water.u.data(), water.v.data(), water.h.data(), water.n, from, to - 1);
#else
      flow(water.u.data(), water.v.data(), water.h.data(), water.n, from, to);
#endif
      member.together();
    }
  });
}

// The wave h = Re(H e^{i phase}): a step turns (U, V, H) by differences that are factors of 1 - e^{-ik} and e^{ik} - 1.
Check verify(const Water& water, int times) {
  using Complex = std::complex<double>;
  const double k = 2 * M_PI * 2 / static_cast<double>(water.n), l = 2 * M_PI * 3 / static_cast<double>(water.n);
  const Complex one = 1, back_i = one - std::polar(1.0, -k), back_j = one - std::polar(1.0, -l);
  Complex u = 0, v = 0, h = 1;
  for (int step = 0; step < times; ++step) {
    u -= courant * back_i * h;
    v -= courant * back_j * h;
    h -= courant * ((std::polar(1.0, k) - one) * u + (std::polar(1.0, l) - one) * v);
  }
  double worst = 0, mass = 0;
  for (std::int64_t i = 0; i < water.n; ++i)
    for (std::int64_t j = 0; j < water.n; ++j) {
      const Complex wave = std::polar(1.0, water.phase(i, j));
      mass += water.h[water.at(i, j)];
      worst = std::max({worst, std::abs(water.h[water.at(i, j)] - (h * wave).real()),
                        std::abs(water.u[water.at(i, j)] - (u * wave).real()),
                        std::abs(water.v[water.at(i, j)] - (v * wave).real())});
    }
  const bool kept = std::abs(mass) < 1e-9 * static_cast<double>(water.n * water.n);
  return {worst < 1e-11 && kept, "worst error " + Json::write(worst) + " after " + std::to_string(times) + " steps"};
}

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  return run_program(record, argc, argv, [&](Case& at) {
    threads::with_crew(at, team, [&](const auto& crew) {
      auto water = std::make_shared<Water>(at.integer("size"));
      water->start();
      at.measure("time", [=](std::int64_t times) { steps(*crew, *water, times); }, {.reading = threads::least_reading});
      at.check([=] {
        water->start();
        steps(*crew, *water, 40);
        return verify(*water, 40);
      });
    });
  });
}
