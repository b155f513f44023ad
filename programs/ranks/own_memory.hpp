// Work of a rank in its own memory. A real machine does it; a simulated one charges its [compute] for the bytes, by
// kernel, or nothing where its description states none:
//
//   pack       strided words, before and after a message
//   maximum    of two arrays of words of 8 bytes, the greater of each two; their sums are charged as it, as both load
//              two words and store one
//   copy       what a rank passes to itself
//   rearrange  the blocks of a transposition, before and after
//   gather     what the root of a collect, or a rank of a gather, spends on each byte that it receives
#pragma once

#include <cstddef>
#include <string_view>

#include "ranks/algorithms/table.hpp"
#include "ranks/communicator.hpp"

namespace assay::ranks {

// `data`: null where data are not carried; the body is left out then.
template <class C, class Body>
auto own_memory(C& comm, std::string_view kernel, std::size_t bytes, const void* data, Body body) {
  return comm.compute(comm.cost_of(kernel).value_or(0) * static_cast<double>(bytes), [=] {
    if (data) body();
  });
}

// Adds words of 8 bytes to others, each to its own.
template <class C>
auto sum(C& comm, std::byte* to, const std::byte* from, std::size_t bytes) {
  return own_memory(comm, "maximum", bytes, to, [=] { add_words(to, from, bytes); });
}

}  // namespace assay::ranks
