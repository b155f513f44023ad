// A hypercube multicomputer with I/O nodes: Ghosh, Goveas and Draper, sections 4 and 5, figure 2 and Table 1.
//
// Some processing elements (class I) have an I/O node. Links, in parallel channels: k between an element and its
// router, m between an I/O node and its element's router, r between an I/O node and its I/O router, b between I/O
// routers (a binary hypercube of I/O addresses), n from an I/O router to its element's router. b = 0: no I/O network,
// and no r and n. An element generates messages as a Poisson process. A read is a chain: request to the nearest I/O
// node; where the block is elsewhere, a forward to its I/O node after a start-up; a reply after access and start-up,
// and a disk access on a miss. A local reply leaves by the m link, a remote one crosses the I/O network and leaves by
// the n link at the nearest I/O node, past that node. A write is one message to the nearest I/O node. Node latency is a
// pure delay, counted from the tail's arrival; with io.service an I/O node serves one access at a time before it
// (node_service.hpp). The overall latency of a transaction is the sum of its stages' header latencies.
//
// Of failed I/O nodes (section 3) the routers go on, and the devices behind them: elements ask the nearest I/O node
// that works, and the working one nearest in the I/O network serves the blocks of a failed one, whose way from those
// devices is not simulated.
#pragma once
#include <cstdint>
#include <vector>

#include "events/random.hpp"
#include "network/outcome.hpp"
#include "network/settings.hpp"

namespace assay::storage {

/// ParameterError where the I/O nodes do not fit: [io].nodes not a power of two of different elements.
network::Outcome simulate_io(std::uint32_t dimension, const network::InputOutput& io, const network::Method& method);

/// One message of a run, for those who play it again elsewhere. Nodes: the elements, then the I/O nodes by address.
/// `id` is the order among requests of one cycle; the stages of a transaction share id / 4.
struct Sent {
  std::uint64_t id = 0, born = 0, head = 0;  // cycles: generated, head over the last link
  std::uint32_t source = 0, destination = 0, flits = 0, hops = 0;
};
/// All messages of the first `transactions` transactions, until the network is empty again.
std::vector<Sent> trace_io(std::uint32_t dimension, const network::InputOutput& io, std::uint64_t seed,
                           std::uint64_t transactions);

}  // namespace assay::storage
