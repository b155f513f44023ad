// The operation that a benchmark measures first, written down as a GOAL schedule: what each rank does from the common
// start to the next meeting, and for what it waited before. A rank's place in its program is what must be over (or
// begun) there; a call requires the place it is made at.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranks/message_model.hpp"

namespace assay::described {

class Recorder {
 public:
  using Request = std::uint32_t;
  explicit Recorder(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  // The schedule as text. NotDescribed for what GOAL has no word for.
  std::string text() const;

  void sends(int rank, std::uint64_t bytes, int to, int tag) { acts(rank, {Kind::send, bytes, to, tag, {}}, true); }
  void begins_send(int rank, Request id, std::uint64_t bytes, int to, int tag) {
    under_way_[id] = acts(rank, {Kind::send, bytes, to, tag, {}}, false);
  }
  void posts(int rank, Request id, std::uint64_t room, int from, int tag) {
    under_way_[id] = acts(rank, {Kind::recv, room, from, tag, {}}, false);
  }
  void passes(int rank, Request id);  // it has waited for that
  void computes(int rank, double seconds);
  void meets(int rank);
  void lacks(const char* what) {
    if (lacks_.empty()) lacks_ = what;
  }

 private:
  enum class Kind : std::uint8_t { send, recv, calc };
  using Awaited = std::pair<std::uint32_t, bool>;  // an operation; whether its end, else its start
  struct Act {
    Kind kind;
    std::uint64_t size;
    int peer, tag;
    std::vector<Awaited> awaits;
  };
  struct Rank {
    std::vector<Act> acts;
    std::vector<Awaited> place;
    bool over = false;
  };
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t acts(int rank, Act act, bool blocking);

  std::vector<Rank> ranks_;
  std::unordered_map<Request, std::uint32_t> under_way_;
  bool begun_ = false;
  std::string lacks_;
};

}  // namespace assay::described
