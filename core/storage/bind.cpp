// The storage room gives the simulated network its I/O nodes.
#include "network/simulate.hpp"
#include "storage/io_nodes.hpp"

void bind_storage() { assay::network::io_model = &assay::storage::simulate_io; }
