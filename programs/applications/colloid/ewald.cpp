#include "applications/colloid/ewald.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay::applications::colloid {
namespace {

constexpr double accuracy = 3.8;  // erfc of it is 8e-8
constexpr double pi = std::numbers::pi;
constexpr std::size_t lanes = 8, strip = 256;

// exp(i n k x) of `lanes` particles, by number n and axis.
struct Phases {
  explicit Phases(int reach) : reach_(reach), values_(3 * static_cast<std::size_t>(2 * reach + 1) * 2 * lanes) {}

  double* at(std::size_t axis, int n) {
    return values_.data() +
           (axis * static_cast<std::size_t>(2 * reach_ + 1) + static_cast<std::size_t>(n + reach_)) * 2 * lanes;
  }
  // Particles beyond the share's end are at the origin; whoever reads them leaves them out.
  void fill(const Particles& particles, std::size_t first, std::size_t count) {
    const double unit = 2 * pi / particles.edge;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double *const one = at(axis, 1), *const none = at(axis, 0);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double angle = lane < count ? unit * particles.position[axis][first + lane] : 0;
        one[lane] = std::cos(angle), one[lanes + lane] = std::sin(angle);
        none[lane] = 1, none[lanes + lane] = 0;
      }
      for (int n = 2; n <= reach_; ++n) {
        const double* const before = at(axis, n - 1);
        double* const here = at(axis, n);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          here[lane] = before[lane] * one[lane] - before[lanes + lane] * one[lanes + lane];
          here[lanes + lane] = before[lane] * one[lanes + lane] + before[lanes + lane] * one[lane];
        }
      }
      for (int n = 1; n <= reach_; ++n) {
        const double* const here = at(axis, n);
        double* const opposite = at(axis, -n);
        for (std::size_t lane = 0; lane < lanes; ++lane)
          opposite[lane] = here[lane], opposite[lanes + lane] = -here[lanes + lane];
      }
    }
  }

 private:
  int reach_;
  std::vector<double> values_;
};

// The phases of a row's x and y together.
void in_plane(const double* x, const double* y, double (&to)[2 * lanes]) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    to[lane] = x[lane] * y[lane] - x[lanes + lane] * y[lanes + lane];
    to[lanes + lane] = x[lane] * y[lanes + lane] + x[lanes + lane] * y[lane];
  }
}

// exp(-k^2 / 4 a^2) / k^2.
double weight_of(const Waves& waves, double k2) { return std::exp(-k2 / (4 * waves.screening * waves.screening)) / k2; }

}  // namespace

Waves::Waves(double edge, std::size_t particles) {
  // Pairs take some 20 times as long as waves.
  const double by_edge = std::max(2 * accuracy, 3.28 * std::pow(static_cast<double>(particles), 1.0 / 6));
  screening = by_edge / edge;
  cut_off = accuracy / screening;
  const double furthest = accuracy * by_edge / pi;
  reach = static_cast<int>(furthest);
  for (int x = 0; x <= reach; ++x) {
    for (int y = x == 0 ? 0 : -reach; y <= reach; ++y) {
      const double left = furthest * furthest - x * x - y * y;
      if (left < 0) continue;
      const int last = static_cast<int>(std::sqrt(left)), first = x == 0 && y == 0 ? 1 : -last;
      const std::size_t here = static_cast<std::size_t>(last - first + 1);
      rows.push_back({x, y, first, count, here});
      count += here;
    }
  }
}

void pair_forces(const Particles& particles, const Waves& waves, const Share& share, Forces& forces) {
  const std::size_t all = particles.size();
  const double *const x = particles.position[0].data(), *const y = particles.position[1].data(),
                      *const z = particles.position[2].data();
  const double edge = particles.edge, half = edge / 2, a = waves.screening, most = waves.cut_off * waves.cut_off;
  const double gauss = 2 * a / std::sqrt(pi);
  forces.pairs = forces.coulomb_virial = forces.repulsion = forces.repulsion_virial = 0;
  for (std::vector<double>& each : forces.on) each.assign(share.size(), 0);
  double dx[strip], dy[strip], dz[strip], r2[strip];
  std::size_t near[strip];
  const auto nearest = [edge, half](double d) { return d > half ? d - edge : d < -half ? d + edge : d; };
  for (std::size_t i = share.first; i < share.last; ++i) {
    double fx = 0, fy = 0, fz = 0;
    for (std::size_t from = 0; from < all; from += strip) {
      const std::size_t count = std::min(strip, all - from);
      for (std::size_t j = 0; j < count; ++j) {
        dx[j] = nearest(x[i] - x[from + j]);
        dy[j] = nearest(y[i] - y[from + j]);
        dz[j] = nearest(z[i] - z[from + j]);
        r2[j] = dx[j] * dx[j] + dy[j] * dy[j] + dz[j] * dz[j];
      }
      std::size_t found = 0;
      for (std::size_t j = 0; j < count; ++j) near[found] = j, found += r2[j] < most && from + j != i;
      for (std::size_t n = 0; n < found; ++n) {
        const std::size_t j = near[n];
        const double r = std::sqrt(r2[j]), qq = particles.charge[i] * particles.charge[from + j];
        const double bare = qq * std::erfc(a * r) / r, pushed = bare + qq * gauss * std::exp(-a * a * r2[j]);
        double along = pushed;  // the force times the distance
        forces.pairs += 0.5 * bare;
        forces.coulomb_virial += 0.5 * pushed;
        // Weeks, Chandler and Andersen's repulsion, of spheres whose surfaces are so far apart.
        const double apart = r - 0.5 * (particles.diameter[i] + particles.diameter[from + j]) + 1;
        if (apart < 1.122462048309373) {
          const double inverse2 = 1 / (apart * apart), sixth = inverse2 * inverse2 * inverse2;
          const double pushing = 24 * (2 * sixth * sixth - sixth) / apart * r;
          forces.repulsion += 0.5 * (4 * (sixth * sixth - sixth) + 1);
          forces.repulsion_virial += 0.5 * pushing;
          along += pushing;
        }
        const double factor = along / r2[j];
        fx += factor * dx[j];
        fy += factor * dy[j];
        fz += factor * dz[j];
      }
    }
    forces.on[0][i - share.first] = fx;
    forces.on[1][i - share.first] = fy;
    forces.on[2][i - share.first] = fz;
  }
}

void structure(const Particles& particles, const Waves& waves, const Share& share, std::vector<double>& sums) {
  std::vector<double> by_lane(2 * waves.count * lanes);  // added up in the end, so that lanes need not meet
  Phases phases(waves.reach);
  for (std::size_t first = share.first; first < share.last; first += lanes) {
    const std::size_t count = std::min(lanes, share.last - first);
    phases.fill(particles, first, count);
    double charge[lanes] = {}, plane[2 * lanes];
    for (std::size_t lane = 0; lane < count; ++lane) charge[lane] = particles.charge[first + lane];
    for (const Row& row : waves.rows) {
      in_plane(phases.at(0, row.x), phases.at(1, row.y), plane);
      for (std::size_t lane = 0; lane < lanes; ++lane) plane[lane] *= charge[lane], plane[lanes + lane] *= charge[lane];
      for (std::size_t k = 0; k < row.count; ++k) {
        const double* const z = phases.at(2, row.z + static_cast<int>(k));
        double* const to = by_lane.data() + (row.first + k) * 2 * lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          to[lane] += plane[lane] * z[lane] - plane[lanes + lane] * z[lanes + lane];
          to[lanes + lane] += plane[lane] * z[lanes + lane] + plane[lanes + lane] * z[lane];
        }
      }
    }
  }
  sums.assign(2 * waves.count, 0);
  for (std::size_t k = 0; k < waves.count; ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[k] += by_lane[k * 2 * lanes + lane];
      sums[waves.count + k] += by_lane[k * 2 * lanes + lanes + lane];
    }
  }
}

void wave_forces(const Particles& particles, const Waves& waves, const Share& share, const std::vector<double>& sums,
                 Forces& forces, double& energy, double& virial) {
  const double unit = 2 * pi / particles.edge, volume = particles.edge * particles.edge * particles.edge;
  std::vector<double> cosines(waves.count), sines(waves.count);
  energy = virial = 0;
  for (const Row& row : waves.rows) {
    for (std::size_t k = 0; k < row.count; ++k) {
      const std::size_t at = row.first + k;
      const int z = row.z + static_cast<int>(k);
      const double k2 = unit * unit * (row.x * row.x + row.y * row.y + z * z), weight = weight_of(waves, k2);
      const double size2 = sums[at] * sums[at] + sums[waves.count + at] * sums[waves.count + at];
      energy += 4 * pi / volume * weight * size2;
      virial += 4 * pi / volume * weight * size2 * (1 - k2 / (2 * waves.screening * waves.screening));
      cosines[at] = 8 * pi / volume * weight * sums[at];
      sines[at] = 8 * pi / volume * weight * sums[waves.count + at];
    }
  }
  Phases phases(waves.reach);
  for (std::size_t first = share.first; first < share.last; first += lanes) {
    const std::size_t count = std::min(lanes, share.last - first);
    phases.fill(particles, first, count);
    double fx[lanes] = {}, fy[lanes] = {}, fz[lanes] = {}, plane[2 * lanes];
    for (const Row& row : waves.rows) {
      in_plane(phases.at(0, row.x), phases.at(1, row.y), plane);
      double row_sum[lanes] = {};
      for (std::size_t k = 0; k < row.count; ++k) {
        const int number = row.z + static_cast<int>(k);
        const double* const z = phases.at(2, number);
        const double of_cosine = cosines[row.first + k], of_sine = sines[row.first + k], along_z = number;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const double cosine = plane[lane] * z[lane] - plane[lanes + lane] * z[lanes + lane];
          const double sine = plane[lane] * z[lanes + lane] + plane[lanes + lane] * z[lane];
          const double pushed = sine * of_cosine - cosine * of_sine;
          row_sum[lane] += pushed;
          fz[lane] += along_z * pushed;
        }
      }
      for (std::size_t lane = 0; lane < lanes; ++lane)
        fx[lane] += row.x * row_sum[lane], fy[lane] += row.y * row_sum[lane];
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      const double charge = unit * particles.charge[first + lane];
      forces.on[0][first - share.first + lane] += charge * fx[lane];
      forces.on[1][first - share.first + lane] += charge * fy[lane];
      forces.on[2][first - share.first + lane] += charge * fz[lane];
    }
  }
}

double self_energy(const Particles& particles, const Waves& waves) {
  double sum = 0;
  for (const double charge : particles.charge) sum += charge * charge;
  return -waves.screening / std::sqrt(pi) * sum;
}

}  // namespace assay::applications::colloid
