#include "applications/slalom/room.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace assay::applications::slalom {
namespace {

double times_log(double factor, double of) { return of > 0 ? factor * std::log(of) : 0; }
double times_angle(double rise, double run) { return run > 0 ? rise * run * std::atan(rise / run) : 0; }

// The double integral's primitive: x and y run over one rectangle, xi and eta over the other.
double facing(double x, double y, double distance) {
  const double square = distance * distance;
  return times_angle(y, std::sqrt(x * x + square)) + times_angle(x, std::sqrt(y * y + square)) -
         times_log(square / 2, x * x + y * y + square);
}
double at_right_angles(double x, double xi, double y) {
  const double square = x * x + xi * xi;
  return times_angle(y, std::sqrt(square)) - times_log((square - y * y) / 4, square + y * y);
}

// The primitive at all corners, with signs.
template <class Primitive>
double over(Primitive primitive) {
  double sum = 0;
  for (int corner = 0; corner < 16; ++corner) {
    const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2 & 1, l = corner >> 3 & 1;
    const double value = primitive(i, j, k, l);
    sum += (i + j + k + l) % 2 == 0 ? value : -value;
  }
  return sum / (2 * std::numbers::pi);
}

}  // namespace

double coupling(const Scene& scene, const Patch& a, const Patch& b) {
  if (a.face == b.face) return 0;
  const double* a_ends[2] = {a.low, a.high};
  const double* b_ends[2] = {b.low, b.high};
  if (a.axis == b.axis)
    return over([&](int i, int j, int k, int l) {
      return facing(a_ends[i][0] - b_ends[k][0], a_ends[j][1] - b_ends[l][1], scene.edge[a.axis]);
    });
  // Along the edge where their planes meet (the third axis), and away from it.
  const std::size_t third = 3 - a.axis - b.axis;
  const auto along = [](std::size_t axis, const Patch& patch) { return (axis + 2 - patch.axis) % 3; };
  const std::size_t a_away = along(b.axis, a), b_away = along(a.axis, b), a_third = along(third, a),
                    b_third = along(third, b);
  // Distances grow as coordinates do, or the other way round: with both ends' order the sign turns, too.
  const double turn = (b.place > 0) == (a.place > 0) ? 1 : -1;
  return turn * over([&](int i, int j, int k, int l) {
           return at_right_angles(std::abs(a_ends[i][a_away] - b.place), std::abs(b_ends[k][b_away] - a.place),
                                  a_ends[j][a_third] - b_ends[l][b_third]);
         });
}

Scene furnished() {
  return {{13.5, 9, 8},
          {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0.1, 0.1, 0.1}, {2.4, 2.2, 1.9}},
          {{0.6, 0.5, 0.4}, {0.3, 0.5, 0.7}, {0.7, 0.7, 0.7}, {0.5, 0.6, 0.5}, {0.4, 0.3, 0.2}, {0.8, 0.8, 0.9}}};
}
Scene uniform_room() {
  Scene scene{{13.5, 9, 8}, {}, {}};
  for (std::size_t face = 0; face < faces; ++face)
    for (std::size_t band = 0; band < bands; ++band) {
      scene.emission[face][band] = 1.0 + static_cast<double>(band);
      scene.reflected[face][band] = 0.3 + 0.2 * static_cast<double>(band);
    }
  return scene;
}

std::vector<Patch> divided(const Scene& scene, std::size_t patches) {
  double areas[faces], all = 0;
  for (std::size_t face = 0; face < faces; ++face) {
    const std::size_t axis = face / 2;
    areas[face] = scene.edge[(axis + 1) % 3] * scene.edge[(axis + 2) % 3];
    all += areas[face];
  }
  std::vector<Patch> made;
  double seen = 0;
  std::size_t before = 0;
  for (std::size_t face = 0; face < faces; ++face) {
    seen += areas[face];
    const auto share = static_cast<std::size_t>(std::lround(seen / all * static_cast<double>(patches)));
    const std::size_t until = face + 1 == faces ? patches : std::clamp(share, before + 1, patches - (faces - 1 - face));
    const std::size_t count = until - before, axis = face / 2;
    before = until;
    const double wide = scene.edge[(axis + 1) % 3], high = scene.edge[(axis + 2) % 3];
    // Strips across, each with as many patches as it has of the area.
    const auto near = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count) * wide / high)));
    const std::size_t strips = std::clamp<std::size_t>(near, 1, count);
    for (std::size_t strip = 0; strip < strips; ++strip) {
      const std::size_t from = count * strip / strips, to = count * (strip + 1) / strips, in = to - from;
      const auto at = [&](std::size_t patch) { return wide * static_cast<double>(patch) / static_cast<double>(count); };
      for (std::size_t i = 0; i < in; ++i) {
        const auto up = [&](std::size_t step) { return high * static_cast<double>(step) / static_cast<double>(in); };
        made.push_back({face, axis, face % 2 == 0 ? 0 : scene.edge[axis], {at(from), up(i)}, {at(to), up(i + 1)}});
      }
    }
  }
  return made;
}

}  // namespace assay::applications::slalom
