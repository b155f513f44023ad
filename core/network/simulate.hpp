// One run of a described network, or a replay of a trace through it: chooses the engine that is exact there.
#pragma once
#include "network/outcome.hpp"
#include "network/settings.hpp"

namespace assay::network {

/// `config`: the tables [network], [traffic], [io] and [method]. ParameterError where they are wrong.
Outcome simulate(const Table& config);
/// With `crossings`: also when each packet crossed each link.
Delivered replay(const Table& config, const Trace& trace, bool crossings = false);

/// What plays [io] traffic on a cube of this dimension: set by core/storage, which stands on this room.
using IoModel = Outcome (*)(std::uint32_t dimension, const InputOutput& io, const Method& method);
inline IoModel io_model = nullptr;

}  // namespace assay::network
