// One call or kernel of a rank over time, and the event that a run's first ones are written as:
//
//   {"event":"timeline","case":{…},"ranks":P,"names":["send",…,"cg",…],
//    "nodes":[…],"own_clock":[…],"passed":[…],  by rank: its node; whether it counts from its own start; calls not kept
//    "spans":[[rank,name,from,to,to_rank,to_tag,sent,from_rank,from_tag,received],…]}
//
// Times in ns, lengths in bytes.
// Times count from rank 0's start where ranks have its clock. A rank of -1: none, or one that is not known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/output.hpp"

namespace assay::applications {

struct Span {
  std::int64_t from, to;  // ticks
  std::int64_t sent, received;
  std::int32_t name;  // a Call, or behind these a kernel by its place in the rank's account
  std::int32_t to_rank, to_tag, from_rank, from_tag;
};

// How many of each rank are kept: a timeline of more is of no use to a person.
inline constexpr std::size_t most_spans = 60000, least_spans_of_rank = 16;
constexpr std::size_t spans_of_rank(int ranks) {
  return std::max(least_spans_of_rank, most_spans / static_cast<std::size_t>(ranks));
}

struct Account;

// What rank 0 gathered of one rank: its kept spans, ticks from the start they count from.
struct RankTimeline {
  const Account* account;
  const Span* spans;
  std::size_t kept;
  std::int64_t passed;
  int node;
  bool own_clock;
};

timing::Json timeline_event(const timing::Json& label, const std::vector<RankTimeline>& ranks, double ticks_a_second);

}  // namespace assay::applications
