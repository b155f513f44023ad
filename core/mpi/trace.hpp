// What the ranks of an MPI program do, as a GOAL schedule (docs/traces.md): sends, receives and computing in the order
// of each rank's calls.
//
// A strand is a rank's own calls, or a collective call that goes on by itself. Its place is what must be over, or must
// have begun, before its next operation. A receive is written with the source, tag and length of what it took.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi_library/shared/segment.hpp"

namespace assay::mpirun {

class Trace {
 public:
  using Awaited = std::pair<std::uint32_t, bool>;  // an act; whether its end is waited for, else its start
  struct Strand {
    int rank = 0;
    std::vector<Awaited> place;
    std::uint32_t exchange = 0;  // the receive of the sendrecv that it is in
    std::int64_t spare = 0;      // ps of computing that are no whole nanosecond
  };
  struct Took {
    int source, tag;
    std::uint64_t bytes, wide;  // the message's wide tag
  };
  // `describes_ready`: whether ready sends of the machine differ from others; `keeps_order`: whether its messages
  // arrive in the order of their sends.
  Trace(int ranks, bool describes_ready, bool keeps_order);

  Strand& main(int rank) { return *ranks_[static_cast<std::size_t>(rank)].main; }
  void plays(Strand& strand, const abi::Op& op);
  void computes(Strand& strand, std::int64_t picoseconds);
  // Behind what else happens at this time: as `calc 0`, which a replay takes for the same.
  void goes_on(Strand& strand) { acts(strand, Kind::calc, 0, 0, 0, true); }
  void exchanged(const Strand& strand, const Took& took);
  void concludes(int rank, std::uint32_t slot, const Took& took);
  std::unique_ptr<Strand> fork(const Strand& strand);
  void joins(Strand& fork, std::uint32_t slot);  // is over as that slot
  void asks_in_vain() { ++in_vain_; }

  // After the program: the schedule. `unlike`: why it takes another time than the program did, a line for each reason.
  // `lacks`: what GOAL has no word for; then there is no schedule.
  std::string text();
  std::vector<std::string> unlike() const;
  const std::string& lacks() const { return lacks_; }

 private:
  enum class Kind : std::uint8_t { send, recv, calc };
  struct Act {
    Kind kind;
    bool took;  // a receive
    int peer, tag;
    std::uint64_t size, key;  // key: context and tag, or a wide tag
    std::vector<Awaited> awaits;
  };
  struct UnderWay {
    std::uint32_t act = none;
    Strand* strand = nullptr;
    std::vector<Awaited> ended;  // what is over with it
  };
  struct Rank {
    std::vector<Act> acts;
    std::unique_ptr<Strand> main;
    std::unordered_map<std::uint32_t, UnderWay> under_way;     // by slot
    std::unordered_map<std::uint32_t, std::uint64_t> claimed;  // keys by slot
  };
  static constexpr std::uint32_t none = ~0U;
  Rank& of(const Strand& strand) { return ranks_[static_cast<std::size_t>(strand.rank)]; }
  std::uint32_t acts(Strand& strand, Kind kind, std::uint64_t size, int peer, std::uint64_t key, bool blocking);
  void sends(Strand& strand, const abi::Op& op);
  void posts(Strand& strand, const abi::Op& op, std::uint64_t key);
  void took(Act& act, const Took& message) const;

  std::vector<Rank> ranks_;
  const bool describes_ready_, keeps_order_;
  std::string lacks_;
  std::uint64_t synchronous_ = 0, ready_ = 0, any_tag_ = 0, forks_ = 0, in_vain_ = 0;
};

}  // namespace assay::mpirun
