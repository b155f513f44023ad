// A GOAL schedule as text (docs/traces.md): each rank's operations in order, and what each of them waits for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::described {

// `ranks`: each has `acts`, each of these `kind` (send, recv, calc), `size` (bytes or nanoseconds), `peer`, `tag` (-1
// or less: any) and `awaits`: pairs of an act's number and whether its end is waited for, else its start.
template <class Ranks>
std::string goal_text(const Ranks& ranks) {
  std::string text = "num_ranks " + std::to_string(ranks.size()) + "\n";
  const auto label = [](std::uint32_t act) { return "l" + std::to_string(act + 1); };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    text += "\nrank " + std::to_string(rank) + " {\n";
    for (std::uint32_t number = 0; number < ranks[rank].acts.size(); ++number) {
      const auto& act = ranks[rank].acts[number];
      using Kind = decltype(act.kind);
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
