// Barriers: by dissemination (Hensgen, Finkel, Manber 1988), by recursive doubling with the surplus ranks folded onto
// the first ones, and by rank 0.
#pragma once

#include <bit>

#include "mpi_library/collectives/steps.hpp"

namespace assay::abi {

inline void barrier_dissemination(Steps& s) {
  for (int step = 1; step < s.size(); step *= 2)
    s.sendrecv(0, 0, (s.rank() + step) % s.size(), 0, 0, (s.rank() - step + s.size()) % s.size());
}

inline void barrier_doubling(Steps& s) {
  const int cube = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size()))), me = s.rank();
  if (me >= cube) {
    s.send(0, 0, me - cube);
    s.recv(0, 0, me - cube);
    return;
  }
  if (me + cube < s.size()) s.recv(0, 0, me + cube);
  for (int step = 1; step < cube; step *= 2) s.sendrecv(0, 0, me ^ step, 0, 0, me ^ step);
  if (me + cube < s.size()) s.send(0, 0, me + cube);
}

inline void barrier_linear(Steps& s) {
  if (s.rank() != 0) {
    s.send(0, 0, 0);
    s.recv(0, 0, 0);
    return;
  }
  for (int other = 1; other < s.size(); ++other) s.recv(0, 0, other);
  for (int other = 1; other < s.size(); ++other) s.send(0, 0, other);
}

}  // namespace assay::abi
