// What must hold of the radiosities of a closed room, whatever they were computed by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "applications/slalom/room.hpp"
#include "ranks/session.hpp"

namespace assay::applications::slalom {

// Of some patches: greatest departures, and sums of light over bands and area.
struct Physics {
  double closure = 0;      // of a patch's form factors' sum from 1
  double reciprocity = 0;  // of area * form factor in one direction from that in the other, over the area
  double residual = 0;     // of radiosity from emission and reflected light, over the greatest radiosity
  double uniform = 0;      // of radiosity from emission / (1 - reflected), relative
  double emitted = 0, absorbed = 0;
  double leaving[bands] = {};  // from all faces
};
struct Together {
  void operator()(Physics& mine, const Physics& theirs) const;
};

// Of patches `from`, `from` + `step` and so on.
Physics physics(const Scene& scene, const std::vector<Patch>& patches, const std::vector<double>& radiosity,
                std::size_t from, std::size_t step);
ranks::Verdict judged(const Physics& found, const Scene& scene, std::size_t patches, bool written);

}  // namespace assay::applications::slalom
