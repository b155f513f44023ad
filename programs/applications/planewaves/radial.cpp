#include "applications/planewaves/radial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::applications::planewaves {
namespace {

constexpr double reach = 14;  // bohr
constexpr int highest_l = 3;

struct Level {
  int l;
  double energy;
  std::vector<double> u;  // r times the wave function, at h, 2 h, ...
};

// -u''/2 + (l (l + 1) / 2 r^2 + V) u = E u by differences of second order: a tridiagonal matrix.
class Equation {
 public:
  Equation(const std::vector<double>& potential, double h, int l) : h_(h), diagonal_(potential) {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      const double r = h * static_cast<double>(i + 1);
      diagonal_[i] += 1 / (h * h) + 0.5 * l * (l + 1) / (r * r);
    }
  }
  // By bisection: the number of eigenvalues below a value is that of negative pivots (Sturm).
  double level(std::size_t which) const {
    double low = -20, high = 60;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (below(middle) > which ? high : low) = middle;
    }
    return 0.5 * (low + high);
  }
  // By inverse iteration, normalised.
  std::vector<double> vector(double energy) const {
    const std::size_t n = diagonal_.size();
    const double side = -0.5 / (h_ * h_), shifted = energy + 1e-9;
    std::vector<double> u(n, 1.0), factor(n);
    for (int turn = 0; turn < 3; ++turn) {
      double pivot = diagonal_[0] - shifted;
      factor[0] = side / pivot;
      u[0] /= pivot;
      for (std::size_t i = 1; i < n; ++i) {
        pivot = diagonal_[i] - shifted - side * factor[i - 1];
        factor[i] = side / pivot;
        u[i] = (u[i] - side * u[i - 1]) / pivot;
      }
      for (std::size_t i = n - 1; i-- > 0;) u[i] -= factor[i] * u[i + 1];
      double norm = 0;
      for (const double each : u) norm += each * each;
      for (double& each : u) each /= std::sqrt(norm * h_);
    }
    return u;
  }

 private:
  std::size_t below(double value) const {
    const double squared = 0.25 / (h_ * h_ * h_ * h_);
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      pivot = diagonal_[i] - value - (i == 0 ? 0 : squared / pivot);
      if (pivot == 0) pivot = 1e-300;
      count += pivot < 0;
    }
    return count;
  }
  double h_;
  std::vector<double> diagonal_;
};

std::vector<Level> levels(const std::vector<double>& potential, double h, std::size_t count) {
  std::vector<Level> found;
  for (int l = 0; l <= highest_l; ++l) {
    const Equation equation(potential, h, l);
    for (std::size_t which = 0; which < 2; ++which) found.push_back({l, equation.level(which), {}});
  }
  std::sort(found.begin(), found.end(), [](const Level& a, const Level& b) { return a.energy < b.energy; });
  std::size_t places = 0, kept = 0;
  while (kept < found.size() && places < count) places += static_cast<std::size_t>(2 * found[kept++].l + 1);
  found.resize(kept);
  for (Level& each : found) each.u = Equation(potential, h, each.l).vector(each.energy);
  return found;
}

std::vector<double> on_grid(Problem problem, std::size_t count, std::size_t points) {
  const double h = reach / static_cast<double>(points);
  std::vector<double> outside(points - 1), density(points - 1);
  for (std::size_t i = 0; i < outside.size(); ++i) outside[i] = external(problem, h * static_cast<double>(i + 1));
  std::vector<Level> found;
  const int turns = coupling(problem) > 0 ? 40 : 1;
  for (int turn = 0; turn < turns; ++turn) {
    std::vector<double> potential = outside;
    for (std::size_t i = 0; i < potential.size(); ++i) potential[i] += coupling(problem) * density[i];
    found = levels(potential, h, count);
    for (double& each : density) each *= 0.5;
    for (const Level& level : found)
      for (std::size_t i = 0; i < density.size(); ++i) {
        const double r = h * static_cast<double>(i + 1);
        density[i] += 0.5 * 2 * (2 * level.l + 1) * level.u[i] * level.u[i] / (4 * std::numbers::pi * r * r);
      }
  }
  std::vector<double> all;
  for (const Level& level : found) all.insert(all.end(), static_cast<std::size_t>(2 * level.l + 1), level.energy);
  all.resize(count);
  return all;
}

}  // namespace

// Two grids, whose errors are as 4 to 1.
std::vector<double> radial_levels(Problem problem, std::size_t count) {
  const std::vector<double> coarse = on_grid(problem, count, 700);
  std::vector<double> fine = on_grid(problem, count, 1400);
  for (std::size_t i = 0; i < count; ++i) fine[i] += (fine[i] - coarse[i]) / 3;
  return fine;
}

}  // namespace assay::applications::planewaves
