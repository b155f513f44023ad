#include "applications/slalom/physics.hpp"

#include <cmath>
#include <cstdio>

namespace assay::applications::slalom {
namespace {

constexpr double tolerance =
    1e-9;  // where logarithms and angles of near patches cancel, 1e-13 is left with 400 patches

bool is_uniform(const Scene& scene) {
  bool same = true;
  for (std::size_t face = 1; face < faces; ++face)
    for (std::size_t band = 0; band < bands; ++band)
      same &= scene.emission[face][band] == scene.emission[0][band] &&
              scene.reflected[face][band] == scene.reflected[0][band];
  return same;
}

}  // namespace

void Together::operator()(Physics& mine, const Physics& theirs) const {
  mine.closure = std::max(mine.closure, theirs.closure);
  mine.reciprocity = std::max(mine.reciprocity, theirs.reciprocity);
  mine.residual = std::max(mine.residual, theirs.residual);
  mine.uniform = std::max(mine.uniform, theirs.uniform);
  mine.emitted += theirs.emitted;
  mine.absorbed += theirs.absorbed;
  for (std::size_t band = 0; band < bands; ++band) mine.leaving[band] += theirs.leaving[band];
}

Physics physics(const Scene& scene, const std::vector<Patch>& patches, const std::vector<double>& radiosity,
                std::size_t from, std::size_t step) {
  Physics found;
  double greatest = 0;
  const auto worse = [](double& worst, double seen) { worst = seen <= worst ? worst : seen; };  // NaN is the worst
  for (const double each : radiosity) worse(greatest, std::abs(each));
  for (std::size_t i = from; i < patches.size(); i += step) {
    const Patch& patch = patches[i];
    double all = 0, arriving[bands] = {};
    for (std::size_t j = 0; j < patches.size(); ++j) {
      const double share = coupling(scene, patch, patches[j]) / patch.area();
      if (j % 7 == i % 7) worse(found.reciprocity, std::abs(share - coupling(scene, patches[j], patch) / patch.area()));
      all += share;
      for (std::size_t band = 0; band < bands; ++band) arriving[band] += share * radiosity[band * patches.size() + j];
    }
    worse(found.closure, std::abs(all - 1));
    for (std::size_t band = 0; band < bands; ++band) {
      const double own = radiosity[band * patches.size() + i], emits = scene.emission[patch.face][band];
      const double reflected = scene.reflected[patch.face][band];
      worse(found.residual, std::abs(own - emits - reflected * arriving[band]) / greatest);
      worse(found.uniform, std::abs(own * (1 - reflected) / emits - 1));
      found.emitted += patch.area() * emits;
      found.absorbed +=
          patch.area() * (own - emits) * (1 - reflected) / reflected;  // of what the solution says arrives
      found.leaving[band] += patch.area() * own;
    }
  }
  return found;
}

ranks::Verdict judged(const Physics& found, const Scene& scene, std::size_t patches, bool written) {
  const double unbalanced = std::abs(found.absorbed / found.emitted - 1);
  const bool uniform = is_uniform(scene);
  const bool right = written && found.closure <= tolerance && found.reciprocity <= tolerance &&
                     found.residual <= tolerance && unbalanced <= tolerance && (!uniform || found.uniform <= tolerance);
  char text[400], closed[60] = "";
  if (uniform) std::snprintf(closed, sizeof closed, ", closed answer within %.1e", found.uniform);
  std::snprintf(
      text, sizeof text,
      "%zu patches: form factors add up to 1 within %.1e, reciprocity %.1e, residual %.1e, emitted and absorbed "
      "light differ by %.1e%s; leaving %.12e, %.12e, %.12e%s",
      patches, found.closure, found.reciprocity, found.residual, unbalanced, closed, found.leaving[0], found.leaving[1],
      found.leaving[2], written ? "" : "; the answer's file differs");
  return {right, text};
}

}  // namespace assay::applications::slalom
