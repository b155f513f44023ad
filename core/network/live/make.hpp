// The Live networks that are made for one kind of network alone; null where the keys describe another.
#pragma once
#include <optional>

#include "network/live/live.hpp"

namespace assay::network {

std::unique_ptr<Live> make_circuit_cube(const Table& keys, const Switching& how);
/// How many nodes it would have; nothing where the keys describe another network.
std::optional<std::uint32_t> circuit_cube_nodes(const Table& keys, const Switching& how);

}  // namespace assay::network
