// The check of programs whose ranks meet in pairs: in each turn a rank exchanges a message with whom it meets, and
// every byte that comes is compared with a pattern of its sender and its place.
#pragma once

#include <string>
#include <string_view>

#include "ranks/buffers.hpp"
#include "ranks/collectives.hpp"

namespace assay::ranks {

// `partner(turn)`: whom this rank meets, or below 0 nobody; `called`: what a turn is, in the verdict's words.
template <Communicator C, class Partner>
Task verify_pairs(C& comm, Buffers& buffers, std::size_t bytes, int turns, std::string_view called, int tag,
                  Partner partner, Verdict& verdict) {
  if (!buffers.hold(bytes)) {
    verdict = {true, not_carried};
    co_return;
  }
  std::byte *const out = buffers.out(bytes).next(), *const in = buffers.in(bytes).next();
  std::int64_t wrong = 0, theirs = 0;
  const auto salt = [](int rank) { return static_cast<std::uint64_t>(rank); };
  for (int turn = 0; turn < turns; ++turn) {
    const int other = partner(turn);
    if (other < 0) continue;
    write_pattern(out, bytes, salt(comm.rank()), true);
    poison(in, bytes);
    const auto arrived = co_await comm.sendrecv(out, bytes, other, in, bytes, other, tag);
    wrong += wrong_bytes(in, bytes, salt(other), true) + (arrived.bytes() == bytes ? 0 : 1);
  }
  co_await reduce(comm, comm.size(), &wrong, &theirs, 1, [](auto& mine, auto others) { mine += others; });
  verdict.passed = wrong == 0;
  verdict.detail = std::to_string(bytes) + " bytes, " + std::to_string(turns) + " " + std::string(called);
  if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
}

}  // namespace assay::ranks
