// Blocks of the rank's arena, which the simulator reads and writes: what is sent lies in one, and what is received.
#pragma once

#include <cstdint>

#include "mpi_library/transport/process.hpp"

namespace assay::abi {

using Place = std::uint64_t;  // an offset in the arena; 0: no bytes

Place take(std::uint64_t bytes);  // 0 for none; a multiple of 16
void give(Place place);           // back; 0 is passed over
inline std::byte* at(Place place) { return place == 0 ? nullptr : process.arena + place; }
template <class T>
T& in_arena(Place place) {
  return *reinterpret_cast<T*>(process.arena + place);
}

}  // namespace assay::abi
