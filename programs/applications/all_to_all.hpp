// A message from every rank to every other by pairwise exchange, each of its own length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "ranks/communicator.hpp"

namespace assay::applications {

inline constexpr int all_to_all_tag = 11;

// A part of what is sent or received: its place in the data and its length, in elements.
struct Part {
  std::size_t at = 0, count = 0;
};

// `out[rank]` of `from` to each rank, `in[rank]` of `into` from each. Without data both are null.
template <ranks::Communicator C, class Value>
ranks::Task all_to_all(C& comm, const Value* from, std::span<const Part> out, Value* into, std::span<const Part> in) {
  const auto me = static_cast<std::size_t>(comm.rank()), ranks = static_cast<std::size_t>(comm.size());
  if (from) std::copy_n(from + out[me].at, out[me].count, into + in[me].at);
  for (std::size_t step = 1; step < ranks; ++step) {
    const std::size_t to = (me + step) % ranks, source = (me + ranks - step) % ranks;
    co_await comm.sendrecv(from ? from + out[to].at : nullptr, out[to].count * sizeof(Value), static_cast<int>(to),
                           into ? into + in[source].at : nullptr, in[source].count * sizeof(Value),
                           static_cast<int>(source), all_to_all_tag);
  }
}

}  // namespace assay::applications
