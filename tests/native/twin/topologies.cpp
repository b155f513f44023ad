// The topologies of the twin, each with one deterministic routing.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "atlas.hpp"

namespace twin {
namespace {

using Router = Atlas::Router;
using Routers = std::vector<Router>;

int product(const std::vector<int>& factors) {
  int all = 1;
  for (const int factor : factors) all *= factor;
  return all;
}

/// Node numbers are binary addresses; neighbours differ in one bit; e-cube corrects one bit after the other.
class Hypercube : public Atlas {
 public:
  explicit Hypercube(const Description& d)
      : dimension_(d.number("dimension", 0)), highest_first_(d.word("order", "highest-first") == "highest-first") {
    nodes = d.number("nodes", 1 << dimension_);
    for (int node = 0; node < nodes; ++node)
      for (int bit = 0; bit < dimension_; ++bit)
        if (const int other = node ^ (1 << bit); other < nodes) wire(node, other);
  }

 protected:
  Routers route(int source, int destination) const override {
    Routers all;
    int here = source;
    while (here != destination) {
      // An incomplete cube lacks some addresses: the first bit in order that leads to one that is there.
      for (int i = 0; i < dimension_; ++i) {
        const int bit = 1 << (highest_first_ ? dimension_ - 1 - i : i);
        if ((here & bit) == (destination & bit) || (here ^ bit) >= nodes) continue;
        all.push_back(here ^= bit);
        break;
      }
    }
    return all;
  }

 private:
  int dimension_;
  bool highest_first_;
};

/// Node x0 + e0 (x1 + e1 (x2 + …)), with or without wrap-around; one dimension after the other, the shorter way round.
class Grid : public Atlas {
 public:
  Grid(const Description& d, std::vector<int> extents, bool wraps)
      : extents_(std::move(extents)),
        wraps_(wraps),
        highest_first_(d.word("order", "lowest-first") == "highest-first"),
        tie_(d.word("tie", "plus")) {
    nodes = product(extents_);
    if (wraps && d.word("dateline", "wrap") != "none") lanes_ = 2;
    for (int node = 0; node < nodes; ++node)
      for (std::size_t i = 0; i < extents_.size(); ++i)
        for (const int way : {-1, 1})
          if (const int other = step(node, i, way); other >= 0 && other != node) wire(node, other);
  }

  /// In each dimension lane 0 up to and over the wrap-around link, lane 1 after it.
  std::vector<int> lanes_of(int source, int destination) const override {
    std::vector<int> all{0};
    int here = source, lane = 0;
    std::size_t ring = extents_.size();
    for (const Router next : route(source, destination)) {
      const int there = static_cast<int>(next);
      std::size_t i = 0;
      while (coordinate(here, i) == coordinate(there, i)) ++i;
      if (i != ring) lane = 0;
      ring = i;
      all.push_back(lane);
      if (lanes_ == 2 && std::abs(coordinate(here, i) - coordinate(there, i)) > 1) lane = 1;
      here = there;
    }
    all.push_back(0);
    return all;
  }

 protected:
  Routers route(int source, int destination) const override {
    Routers all;
    int here = source, parity = 0;
    for (std::size_t i = 0; i < extents_.size(); ++i) parity += coordinate(source, i);
    for (std::size_t turn = 0; turn < extents_.size(); ++turn) {
      const std::size_t i = highest_first_ ? extents_.size() - 1 - turn : turn;
      const int extent = extents_[i], from = coordinate(here, i), to = coordinate(destination, i);
      int way = to > from ? 1 : -1;
      if (wraps_) {
        const int ahead = ((to - from) % extent + extent) % extent, behind = extent - ahead;
        way = ahead < behind ? 1 : -1;
        if (ahead == behind) way = tie_ == "plus" ? 1 : tie_ == "minus" ? -1 : parity % 2 == 0 ? 1 : -1;
      }
      while (coordinate(here, i) != to) all.push_back(here = step(here, i, way));
    }
    return all;
  }

 private:
  int stride(std::size_t i) const { return product({extents_.begin(), extents_.begin() + static_cast<long>(i)}); }
  int coordinate(int node, std::size_t i) const { return node / stride(i) % extents_[i]; }
  int step(int node, std::size_t i, int way) const {  // -1: there is nothing
    const int x = coordinate(node, i) + way, extent = extents_[i];
    if (!wraps_ && (x < 0 || x >= extent)) return -1;
    return node + ((x + extent) % extent - coordinate(node, i)) * stride(i);
  }
  std::vector<int> extents_;
  bool wraps_, highest_first_;
  std::string tie_;
};

/// Everything by way of node 0.
class Star : public Atlas {
 public:
  explicit Star(const Description& d) {
    nodes = d.number("nodes", 0);
    for (int node = 1; node < nodes; ++node) wire(0, node), wire(node, 0);
  }

 protected:
  Routers route(int source, int destination) const override {
    if (source == destination) return {};
    if (source == 0 || destination == 0) return {destination};
    return {0, destination};
  }
};

class Crossbar : public Atlas {
 public:
  explicit Crossbar(const Description& d) { nodes = d.number("nodes", 0); }

 protected:
  Router enters(int) const override { return 0; }
  Router leaves(int) const override { return 0; }
  Routers route(int, int) const override { return {}; }
};

/// One wire from where all enter to where all leave.
class Bus : public Atlas {
 public:
  explicit Bus(const Description& d) {
    nodes = d.number("nodes", 0);
    wire(0, 1);
  }

 protected:
  Router enters(int) const override { return 0; }
  Router leaves(int) const override { return 1; }
  Routers route(int, int) const override { return {1}; }
};

/// Lines of n digits of radix k; each stage's switches set one digit of the line to the destination's. In a butterfly
/// the switch of stage i joins the lines that differ in digit n-1-i only; in an omega network the digits are first
/// rotated left by one, and a switch joins the lines that differ in the last digit only.
class Multistage : public Atlas {
 public:
  Multistage(const Description& d, bool omega)
      : radix_(d.number("radix", 2)), stages_(d.number("stages", 0)), omega_(omega) {
    nodes = 1;
    for (int i = 0; i < stages_; ++i) nodes *= radix_;
    for (int line = 0; line < nodes; ++line)  // a line that leaves stage i enters stage i + 1
      for (int stage = 0; stage + 1 < stages_; ++stage) wire(after(stage, line), before(stage + 1, line));
  }

 protected:
  Router enters(int node) const override { return before(0, node); }
  Router leaves(int node) const override { return after(stages_ - 1, node); }
  Routers route(int source, int destination) const override {
    Routers all;
    int line = source;
    for (int stage = 0; stage < stages_; ++stage) {
      if (stage > 0) all.push_back(before(stage, line));
      int weight = 1;
      for (int i = stage + 1; i < stages_; ++i) weight *= radix_;
      const int digit = destination / weight % radix_;
      if (omega_)
        line = rotated(line) / radix_ * radix_ + digit;
      else
        line += (digit - line / weight % radix_) * weight;
    }
    if (line != destination) throw std::runtime_error("multistage: ends on the wrong line");
    return all;
  }

 private:
  int rotated(int line) const { return line * radix_ % nodes + line * radix_ / nodes; }
  /// A switch is named by its stage and by the line that it shares with the others, the digit that it sets put to 0.
  Router named(int stage, int line, int weight) const {
    return static_cast<Router>(stage) * 1'000'000 + line - line / weight % radix_ * weight;
  }
  int weight_of(int stage) const {
    int weight = 1;
    for (int i = stage + 1; i < stages_ && !omega_; ++i) weight *= radix_;
    return weight;
  }
  Router before(int stage, int line) const { return named(stage, omega_ ? rotated(line) : line, weight_of(stage)); }
  Router after(int stage, int line) const { return named(stage, line, weight_of(stage)); }
  int radix_, stages_;
  bool omega_;
};

/// Extended generalised fat tree (Ohring 1995): a switch of level l has children[l-1] children; parts of level l have
/// parents[l-1] parents each above them. A switch is (level, subtree A, copy B).
class Tree : public Atlas {
 public:
  Tree(const Description& d, std::vector<int> children, std::vector<int> parents)
      : children_(std::move(children)), parents_(std::move(parents)), by_source_(d.word("up", "d-mod-k") == "s-mod-k") {
    nodes = product(children_);
    for (int level = 1; level < levels(); ++level)
      for (int subtree = 0; subtree < nodes / below(level); ++subtree)
        for (int copy = 0; copy < copies(level); ++copy)
          for (int parent = 0; parent < parents_[static_cast<std::size_t>(level)]; ++parent) {
            const Router low = named(level, subtree, copy);
            const Router high = named(level + 1, subtree / child_count(level + 1), copy + copies(level) * parent);
            wire(low, high);
            wire(high, low);
          }
  }

 protected:
  Router enters(int node) const override { return named(1, node / child_count(1), 0); }
  Router leaves(int node) const override { return enters(node); }
  Routers route(int source, int destination) const override {
    Routers all;
    int level = 1, subtree = source / below(1), copy = 0;
    for (; subtree != destination / below(level);
         ++level) {  // up by a digit of the destination's number, or the source's
      const int digit = (by_source_ ? source : destination) / copies(level) % parents_[static_cast<std::size_t>(level)];
      copy += copies(level) * digit;
      subtree /= child_count(level + 1);
      all.push_back(named(level + 1, subtree, copy));
    }
    for (; level > 1; --level) {
      copy %= copies(level - 1);
      all.push_back(named(level - 1, destination / below(level - 1), copy));
    }
    return all;
  }

 private:
  int levels() const { return static_cast<int>(children_.size()); }
  int child_count(int level) const { return children_[static_cast<std::size_t>(level) - 1]; }
  int below(int level) const { return product({children_.begin(), children_.begin() + level}); }
  int copies(int level) const { return product({parents_.begin(), parents_.begin() + level}); }
  static Router named(int level, int subtree, int copy) {
    return (static_cast<Router>(level) * 1'000'000 + subtree) * 1'000'000 + copy;
  }
  std::vector<int> children_, parents_;  // parents_[0] is 1: a node has one switch
  bool by_source_;
};

/// Routers whose coordinates differ in one place are joined; dimension 0 is corrected first.
class HyperX : public Atlas {
 public:
  explicit HyperX(const Description& d) : extents_(d.numbers("extents")), concentration_(d.number("concentration", 1)) {
    const int routers = product(extents_);
    nodes = routers * concentration_;
    for (int from = 0; from < routers; ++from)
      for (std::size_t i = 0; i < extents_.size(); ++i)
        for (int x = 0; x < extents_[i]; ++x)
          if (const int to = with(from, i, x); to != from) wire(from, to);
  }

 protected:
  Router enters(int node) const override { return node / concentration_; }
  Router leaves(int node) const override { return node / concentration_; }
  Routers route(int source, int destination) const override {
    Routers all;
    int here = source / concentration_;
    const int goal = destination / concentration_;
    for (std::size_t i = 0; i < extents_.size(); ++i)
      if (const int next = with(here, i, goal / stride(i) % extents_[i]); next != here) all.push_back(here = next);
    return all;
  }

 private:
  int stride(std::size_t i) const { return product({extents_.begin(), extents_.begin() + static_cast<long>(i)}); }
  int with(int router, std::size_t i, int x) const {
    return router + (x - router / stride(i) % extents_[i]) * stride(i);
  }
  std::vector<int> extents_;
  int concentration_;
};

/// A hypercube with I/O nodes at some of its elements (Ghosh, Goveas and Draper, figure 2), and where b > 0 a hypercube
/// of their own between the I/O routers. Nodes: the elements, then the I/O nodes by address.
class WithIo : public Hypercube {
 public:
  explicit WithIo(const Description& d)
      : Hypercube(d), elements_(nodes), at_(d.numbers("io_nodes")), b_(d.number("io_b", 1)) {}
  void finish(const Description& d) override {
    Hypercube::finish(d);
    const int count = static_cast<int>(at_.size()), wide = 4 * b_;
    for (int a = 0; a < count; ++a) {
      m_in_.push_back(add(d, "m", a, 0, "io_m", 8));
      m_out_.push_back(add(d, "m", 0, a, "io_m", 8));
      if (b_ == 0) continue;
      r_in_.push_back(add(d, "r", a, 0, "io_r", wide));
      r_out_.push_back(add(d, "r", 0, a, "io_r", wide));
      n_.push_back(add(d, "n", a, 0, "io_n", wide));
      for (int bit = 1; bit < count; bit *= 2)
        if ((a ^ bit) < count) b_wires_[{a, a ^ bit}] = add(d, "b", a, a ^ bit, "io_b", 1);
    }
    nodes = elements_ + count;
  }
  std::vector<int> path(int source, int destination) const override {
    const bool from_io = source >= elements_, to_io = destination >= elements_;
    if (!from_io && !to_io) return Hypercube::path(source, destination);
    const auto address = [this](int node) { return node - elements_; };
    const auto element = [&](int node) {
      return node < elements_ ? node : at_[static_cast<std::size_t>(address(node))];
    };
    const auto by_own_network = from_io && b_ > 0 && (to_io || nearest(destination) != address(source));
    std::vector<int> taken;
    if (!by_own_network) {  // through the processor network, in or out by m at an I/O node
      taken = Hypercube::path(element(source), element(destination));
      if (from_io) taken.front() = m_in_[static_cast<std::size_t>(address(source))];
      if (to_io) taken.back() = m_out_[static_cast<std::size_t>(address(destination))];
      return taken;
    }
    const int last = to_io ? address(destination) : nearest(destination);
    int here = address(source);
    taken.push_back(r_in_[static_cast<std::size_t>(here)]);
    while (here != last)
      for (int bit = 1 << 20; bit > 0; bit /= 2)
        if (const int next = here ^ bit; ((here ^ last) & bit) != 0 && next < static_cast<int>(at_.size())) {
          taken.push_back(b_wires_.at({here, next}));
          here = next;
          break;
        }
    if (to_io) {
      taken.push_back(r_out_[static_cast<std::size_t>(last)]);
    } else {
      taken.push_back(n_[static_cast<std::size_t>(last)]);
      const auto rest = Hypercube::path(at_[static_cast<std::size_t>(last)], destination);
      taken.insert(taken.end(), rest.begin() + 1, rest.end());
    }
    return taken;
  }

 private:
  int nearest(int element) const {
    int best = 0;
    for (int a = 1; a < static_cast<int>(at_.size()); ++a)
      if (apart(element, a) < apart(element, best) ||
          (apart(element, a) == apart(element, best) && different(element, a) < different(element, best)))
        best = a;
    return best;
  }
  int different(int element, int a) const { return element ^ at_[static_cast<std::size_t>(a)]; }
  int apart(int element, int a) const {
    int bits = 0;
    for (int left = different(element, a); left != 0; left /= 2) bits += left % 2;
    return bits;
  }
  int elements_;
  std::vector<int> at_;
  int b_;
  std::vector<int> m_in_, m_out_, r_in_, r_out_, n_;
  std::map<std::pair<int, int>, int> b_wires_;
};

/// Dragonfly (Kim 2008): groups of fully joined routers, one link between every two groups; over it at most once, local
/// links before it on lane 0, after it on lane 1.
class Dragonfly : public Atlas {
 public:
  explicit Dragonfly(const Description& d)
      : p_(d.number("p", 1)),
        a_(d.number("a", 1)),
        h_(d.number("h", 1)),
        relative_(d.word("arrangement", "absolute") == "relative") {
    groups_ = a_ * h_ + 1;
    nodes = groups_ * a_ * p_;
    lanes_ = 2;
    for (int group = 0; group < groups_; ++group) {
      for (int from = 0; from < a_; ++from)
        for (int to = 0; to < a_; ++to)
          if (from != to) wire(group * a_ + from, group * a_ + to);
      for (int other = 0; other < groups_; ++other)
        if (other != group) wire(door(group, other), door(other, group));
    }
  }
  std::vector<int> lanes_of(int source, int destination) const override {
    std::vector<int> all{0};
    int group = source / p_ / a_;
    const int first = group;
    for (const Router next : route(source, destination)) {
      const int there = static_cast<int>(next) / a_;
      all.push_back(there == group && group != first ? 1 : 0);
      group = there;
    }
    all.push_back(0);
    return all;
  }

 protected:
  Router enters(int node) const override { return node / p_; }
  Router leaves(int node) const override { return node / p_; }
  Routers route(int source, int destination) const override {
    Routers all;
    Router here = source / p_;
    const Router goal = destination / p_;
    const auto go = [&](Router next) {
      if (next != here) all.push_back(here = next);
    };
    const int from = static_cast<int>(here) / a_, to = static_cast<int>(goal) / a_;
    if (from != to) {
      go(door(from, to));
      go(door(to, from));
    }
    go(goal);
    return all;
  }

 private:
  /// The router of a group that has the link to another one.
  Router door(int group, int other) const {
    const int port = relative_ ? (other - group - 1 + groups_) % groups_ : other < group ? other : other - 1;
    return group * a_ + port / h_;
  }
  int p_, a_, h_, groups_ = 0;
  bool relative_;
};

/// Links and each message's path as the case gives them: where routes are drawn or adapt to what they meet, the twin
/// cannot find them and judges the times alone. A path must hang together.
class Given : public Atlas {
 public:
  explicit Given(const Description& d) {
    for (const auto& words : d.unlike) {
      if (words.at(0) == "link") {
        ends_.emplace_back(words.at(1), words.at(2));
        add_given(d, words);
      } else {
        paths_.emplace_back();
        for (std::size_t i = 1; i < words.size(); ++i) paths_.back().push_back(std::stoi(words[i]));
      }
    }
  }
  void finish(const Description&) override {}
  std::vector<int> path_of(std::size_t row, int, int) const override {
    const auto& path = paths_.at(row);
    for (std::size_t i = 1; i < path.size(); ++i)
      if (ends_.at(static_cast<std::size_t>(path[i - 1])).second != ends_.at(static_cast<std::size_t>(path[i])).first)
        throw std::runtime_error("the path of message " + std::to_string(row) + " is torn");
    return path;
  }
  std::vector<int> lanes_of(int, int) const override { return {}; }

 protected:
  Routers route(int, int) const override { return {}; }

 private:
  std::vector<std::pair<std::string, std::string>> ends_;
  std::vector<std::vector<int>> paths_;
};

std::unique_ptr<Atlas> made(const Description& d) {
  const std::string topology = d.word("topology", "");
  if (topology == "given") return std::make_unique<Given>(d);
  if (topology == "hypercube" && d.words.contains("io_nodes")) return std::make_unique<WithIo>(d);
  if (topology == "hypercube") return std::make_unique<Hypercube>(d);
  if (topology == "mesh") return std::make_unique<Grid>(d, d.numbers("extents"), false);
  if (topology == "torus") return std::make_unique<Grid>(d, d.numbers("extents"), true);
  if (topology == "ring") return std::make_unique<Grid>(d, std::vector<int>{d.number("nodes", 0)}, true);
  if (topology == "star") return std::make_unique<Star>(d);
  if (topology == "crossbar") return std::make_unique<Crossbar>(d);
  if (topology == "bus") return std::make_unique<Bus>(d);
  if (topology == "butterfly") return std::make_unique<Multistage>(d, false);
  if (topology == "omega") return std::make_unique<Multistage>(d, true);
  if (topology == "dragonfly") return std::make_unique<Dragonfly>(d);
  if (topology == "hyperx") return std::make_unique<HyperX>(d);
  if (topology == "k-ary-n-tree") {
    const int radix = d.number("radix", 0), levels = d.number("levels", 0);
    std::vector<int> children(static_cast<std::size_t>(levels), radix), parents = children;
    parents[0] = 1;
    return std::make_unique<Tree>(d, children, parents);
  }
  if (topology == "fat-tree") {
    auto parents = d.numbers("parents");
    parents.insert(parents.begin(), 1);
    return std::make_unique<Tree>(d, d.numbers("children"), parents);
  }
  throw std::runtime_error("topology " + topology);
}

}  // namespace

std::unique_ptr<Atlas> atlas(const Description& description) {
  auto found = made(description);
  found->finish(description);
  return found;
}

}  // namespace twin
