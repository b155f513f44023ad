#include "ranks/recorder.hpp"

#include <algorithm>
#include <cmath>

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
  std::string text = "num_ranks " + std::to_string(ranks_.size()) + "\n";
  const auto label = [](std::uint32_t act) { return "l" + std::to_string(act + 1); };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    text += "\nrank " + std::to_string(rank) + " {\n";
    for (std::uint32_t number = 0; number < ranks_[rank].acts.size(); ++number) {
      const Act& act = ranks_[rank].acts[number];
      text += label(number) + ": ";
      if (act.kind == Kind::calc) {
        text += "calc " + std::to_string(act.size) + "\n";
      } else {
        text += (act.kind == Kind::send ? "send " : "recv ") + std::to_string(act.size) + "b ";
        text += (act.kind == Kind::send ? "to " : "from ") + std::to_string(std::max(act.peer, -1));
        text += " tag " + std::to_string(std::max(act.tag, -1)) + "\n";
      }
      for (const auto& [awaited, end] : act.awaits)
        text += label(number) + (end ? " requires " : " irequires ") + label(awaited) + "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace assay::described
