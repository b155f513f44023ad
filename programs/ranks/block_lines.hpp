// The block event: what was sampled of one metric of one case in one block, as one JSON line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/session.hpp"

namespace assay::ranks {

struct BlockLine {
  std::string_view metric;
  timing::Json label;  // the case
  std::int64_t batch = 1;
  std::vector<double> values;
  std::optional<double> first = std::nullopt;  // written in the first block only
};

// What all lines of a block have in common.
struct BlockFacts {
  std::int64_t block = 0;
  std::string_view ended, cache;
};

// `from` and `to` are Unix times; `accounting` is that of all ranks between them.
void write_line(Session& session, const BlockLine& line, std::int64_t order, const BlockFacts& facts, double from,
                double to, const timing::Json& accounting);

}  // namespace assay::ranks
