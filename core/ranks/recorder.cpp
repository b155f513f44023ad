#include "ranks/recorder.hpp"

#include <cmath>

#include "ranks/goal_text.hpp"

namespace assay::described {

std::uint32_t Recorder::acts(int rank, Act act, bool blocking) {
  if (static_cast<std::size_t>(rank) >= ranks_.size()) return none;  // an I/O node serves
  if (act.peer >= static_cast<int>(ranks_.size())) {
    lacks("a host or I/O nodes");
    return none;
  }
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  if (mine.over) return none;
  begun_ = begun_ || act.kind != Kind::calc;
  const auto number = static_cast<std::uint32_t>(mine.acts.size());
  act.awaits = std::move(mine.place);
  mine.place = {{number, blocking}};
  mine.acts.push_back(std::move(act));
  return number;
}

void Recorder::passes(int rank, Request id) {
  const auto found = under_way_.find(id);
  if (found == under_way_.end()) return;
  const std::uint32_t act = found->second;
  under_way_.erase(found);
  if (act == none || static_cast<std::size_t>(rank) >= ranks_.size()) return;
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  if (mine.over) return;
  std::erase(mine.place, Awaited{act, false});
  mine.place.emplace_back(act, true);
}

void Recorder::computes(int rank, double seconds) {
  acts(rank, {Kind::calc, static_cast<std::uint64_t>(std::llround(seconds * 1e9)), 0, 0, {}}, true);
}

void Recorder::meets(int rank) {
  if (begun_ && static_cast<std::size_t>(rank) < ranks_.size()) ranks_[static_cast<std::size_t>(rank)].over = true;
}

std::string Recorder::text() const {
  if (!lacks_.empty()) throw NotDescribed(lacks_);
  return goal_text(ranks_);
}

}  // namespace assay::described
