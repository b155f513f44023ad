// What a program on a described machine gave: the lines of its launch, as a launch on a real machine writes them, and
// the same events as columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ranks/message_model.hpp"
#include "ranks/session.hpp"
#include "ranks/world.hpp"

namespace assay::described {

// Where the time of a block's messages went, seconds per message on the average.
struct Account {
  std::int64_t messages = 0;
  double startup = 0, copying = 0, waiting = 0, transport = 0, protocol = 0;
};

struct Block {
  std::string metric, label;  // label: the case, as JSON
  std::int64_t number = 0, order = 0, batch = 1;
  std::optional<double> first;
  std::vector<double> values;
  std::optional<Account> account;  // where the model counts it
};

struct FailedCheck {
  std::string label, detail;
};

struct Launch {
  std::string lines;
  std::vector<Block> blocks;
  std::vector<FailedCheck> failed;
  std::vector<Waiting> waiting;  // of a deadlock
  Time stopped = 0;              // when that was

  // Adds an event. What the model has counted of messages goes with a block, and is forgotten behind every event;
  // without a model it is not asked.
  void add(const ranks::Event& event, MessageModel* model);
  void add(const timing::Json& json) { lines += json.str() + "\n"; }
  // Adds the last event of a program that ends, or of one that waits forever.
  void end(std::vector<Waiting> waits, Time now);
};

}  // namespace assay::described
