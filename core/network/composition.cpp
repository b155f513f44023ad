#include "network/composition.hpp"

namespace assay::network {

Network with_io_network(Network, const Value&, const LinkClasses&) {
  throw ParameterError("network.io", "not here yet");
}

}  // namespace assay::network
