// The twin's own maps: the links of a described network and the path that a message takes through them. Each topology
// is written out from its textbook definition in atlas.cpp.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plan.hpp"

namespace twin {

/// One description as it stands in a case file: `key value…` lines.
using Words = std::vector<std::string>;
using Description = std::map<std::string, Words>;

class Atlas {
 public:
  virtual ~Atlas() = default;
  std::vector<Link> links;
  int nodes = 0;
  /// Links from source to destination, injection and ejection included.
  virtual std::vector<int> path(int source, int destination) const = 0;
};

/// Throws std::runtime_error on anything that is not known.
std::unique_ptr<Atlas> atlas(const Description& description);

}  // namespace twin
