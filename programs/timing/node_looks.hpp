// What a node did while a launch ran: looks at its counters (busy processors, memory in use, bytes through its network
// interfaces), taken where a block begins or ends, never inside a timed region, and at most one in `between` seconds;
// some 100 us each. One process of a node looks. The looks are written when the launch ends.
#pragma once

#include <string_view>
#include <vector>

#include "timing/node_counters.hpp"
#include "timing/output.hpp"

namespace assay::timing {

struct NodeLook {
  double time = 0;  // s since 1970
  NodeCounters counters;
};

class NodeLooks {
 public:
  static constexpr double between = 0.5;  // s
  void begin();                           // this process is to look; the first look
  void may_look();                        // a block begins or ends: one more look if it is due
  std::vector<NodeLook> end();            // the last look; all of them, in order of time

 private:
  bool on_ = false;
  std::vector<NodeLook> looks_;
};
NodeLooks& node_looks();  // of this process

Json node_event(std::string_view host, const NodeLook& look);

}  // namespace assay::timing
