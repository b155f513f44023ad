#include "atlas.hpp"

#include <stdexcept>
#include <tuple>

namespace twin {
namespace {

int number(const Description& description, const std::string& key, int otherwise) {
  const auto found = description.find(key);
  return found == description.end() ? otherwise : std::stoi(found->second.at(0));
}

std::string word(const Description& description, const std::string& key, const std::string& otherwise) {
  const auto found = description.find(key);
  return found == description.end() ? otherwise : found->second.at(0);
}

std::vector<int> numbers(const Description& description, const std::string& key) {
  std::vector<int> all;
  if (const auto found = description.find(key); found != description.end())
    for (const auto& text : found->second) all.push_back(std::stoi(text));
  return all;
}

/// A link like the class it belongs to: `link network buffer=2 flit=1` and so on.
Link like(const Description& description, const std::string& kind) {
  Link link;
  const auto found = description.find("link " + kind);
  if (found == description.end()) return link;
  for (const auto& setting : found->second) {
    const auto at = setting.find('=');
    const std::string key = setting.substr(0, at);
    const int value = std::stoi(setting.substr(at + 1));
    if (key == "channels")
      link.channels = value;
    else if (key == "slots")
      link.slots = value;
    else if (key == "buffer")
      link.buffer = value;
    else if (key == "flit")
      link.flit = value;
    else if (key == "body")
      link.body = value;
    else if (key == "head")
      link.head = value;
    else if (key == "credit")
      link.credit = value;
    else if (key == "acknowledge")
      link.acknowledge = value;
    else
      throw std::runtime_error("link setting " + key);
  }
  return link;
}

/// A network with one router for each node; a path is the list of routers that the routing visits.
class Direct : public Atlas {
 public:
  Direct(const Description& description, int count) : description_(description) {
    nodes = count;
    for (int node = 0; node < count; ++node) {
      inject_.push_back(add("injection", "in " + std::to_string(node)));
      eject_.push_back(add("ejection", "out " + std::to_string(node)));
    }
  }
  std::vector<int> path(int source, int destination) const override {
    std::vector<int> links_taken{inject_.at(static_cast<std::size_t>(source))};
    int here = source;
    for (const auto& [next, tag] : steps(source, destination)) {
      links_taken.push_back(wires_.at({here, next, tag}));
      here = next;
    }
    if (here != destination) throw std::runtime_error("the route ends elsewhere");
    links_taken.push_back(eject_.at(static_cast<std::size_t>(destination)));
    return links_taken;
  }

 protected:
  /// (router, which of several wires to it)
  using Steps = std::vector<std::pair<int, int>>;
  virtual Steps steps(int source, int destination) const = 0;
  void wire(int from, int to, int tag = 0) {
    wires_[{from, to, tag}] = add("network", std::to_string(from) + ">" + std::to_string(to));
  }
  int add(const std::string& kind, const std::string& name) {
    links.push_back(like(description_, kind));
    links.back().name = name;
    return static_cast<int>(links.size()) - 1;
  }

 private:
  Description description_;
  std::vector<int> inject_, eject_;
  std::map<std::tuple<int, int, int>, int> wires_;
};

/// Node numbers are binary addresses; neighbours differ in one bit; e-cube corrects the highest differing bit first.
class Hypercube : public Direct {
 public:
  explicit Hypercube(const Description& d)
      : Direct(d, 1 << number(d, "dimension", 0)),
        dimension_(number(d, "dimension", 0)),
        highest_first_(word(d, "order", "highest") == "highest") {
    for (int node = 0; node < nodes; ++node)
      for (int bit = 0; bit < dimension_; ++bit) wire(node, node ^ (1 << bit));
  }

 protected:
  Steps steps(int source, int destination) const override {
    Steps all;
    int here = source;
    for (int i = 0; i < dimension_; ++i) {
      const int bit = 1 << (highest_first_ ? dimension_ - 1 - i : i);
      if ((here & bit) != (destination & bit)) all.emplace_back(here ^= bit, 0);
    }
    return all;
  }

 private:
  int dimension_;
  bool highest_first_;
};

/// Node x0 + e0 (x1 + e1 (x2 + …)) of a grid without wrap-around; dimension order corrects x0 first.
class Mesh : public Direct {
 public:
  explicit Mesh(const Description& d) : Direct(d, volume(numbers(d, "extents"))), extents_(numbers(d, "extents")) {
    int stride = 1;
    for (const int extent : extents_) {
      for (int node = 0; node < nodes; ++node) {
        const int x = node / stride % extent;
        if (x + 1 < extent) {
          wire(node, node + stride);
          wire(node + stride, node);
        }
      }
      stride *= extent;
    }
  }
  static int volume(const std::vector<int>& extents) {
    int product = 1;
    for (const int extent : extents) product *= extent;
    return product;
  }

 protected:
  Steps steps(int source, int destination) const override {
    Steps all;
    int here = source, stride = 1;
    for (const int extent : extents_) {
      const int wanted = destination / stride % extent;
      while (here / stride % extent != wanted) {
        here += here / stride % extent < wanted ? stride : -stride;
        all.emplace_back(here, 0);
      }
      stride *= extent;
    }
    return all;
  }

 private:
  std::vector<int> extents_;
};

}  // namespace

std::unique_ptr<Atlas> atlas(const Description& description) {
  const std::string topology = word(description, "topology", "");
  if (topology == "hypercube") return std::make_unique<Hypercube>(description);
  if (topology == "mesh") return std::make_unique<Mesh>(description);
  throw std::runtime_error("topology " + topology);
}

}  // namespace twin
