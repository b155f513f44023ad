// The twin's own maps: the links of a described network and the path that a message takes through them. Each topology
// is written out from its textbook definition in atlas.cpp.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace twin {

/// One description as it stands in a case file: `key value…` lines, the keys as in NETWORK.toml.
using Words = std::vector<std::string>;
class Description {
 public:
  std::map<std::string, Words> words;
  // `unlike network FROM TO key=value…`, `unlike injection NODE …`, `unlike ejection NODE …`; with topology `given`
  // `unlike link FROM TO key=value…` for each link and `unlike path LINK…` for each message
  std::vector<Words> unlike;

  int number(const std::string& key, int otherwise) const;
  std::string word(const std::string& key, const std::string& otherwise) const;
  std::vector<int> numbers(const std::string& key) const;
};

/// Routers by whatever number a topology gives them; links between routers, and from and to nodes.
class Atlas {
 public:
  using Router = std::int64_t;
  virtual ~Atlas() = default;
  int nodes = 0;
  std::vector<Link> links;
  /// Links from source to destination, injection and ejection included.
  virtual std::vector<int> path(int source, int destination) const;
  /// Of the message in this row of the case: the same, where a message's path hangs on its ends only.
  virtual std::vector<int> path_of(std::size_t row, int source, int destination) const {
    (void)row;
    return path(source, destination);
  }
  /// The lane that is asked for on each link of that path.
  virtual std::vector<int> lanes_of(int source, int destination) const {
    return std::vector<int>(path(source, destination).size(), 0);
  }
  virtual void finish(const Description& description);

 protected:
  /// One more link: like the others of its kind but for what `unlike` says; `channels` is the key that gives its width.
  int add(const Description& description, const std::string& kind, Router from, Router to, const std::string& channels,
          int otherwise = 1);
  virtual Router enters(int node) const { return node; }
  virtual Router leaves(int node) const { return node; }
  /// The routers that the routing visits after the one where the source enters.
  virtual std::vector<Router> route(int source, int destination) const = 0;
  /// A wire in one direction.
  void wire(Router from, Router to) { wires_.emplace(std::pair(from, to), 0); }

  /// A link of which everything is said.
  int add_given(const Description& description, const Words& words);

  int lanes_ = 1;  // of links between routers

 private:
  std::map<std::pair<Router, Router>, int> wires_;
  std::vector<int> inject_, eject_;
};

/// Throws std::runtime_error on anything that is not known.
std::unique_ptr<Atlas> atlas(const Description& description);

}  // namespace twin
