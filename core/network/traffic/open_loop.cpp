#include "network/traffic/open_loop.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "network/parameters.hpp"

namespace assay::network {

namespace {

std::uint32_t bits_of(std::uint32_t nodes, const std::string& pattern) {
  if (!std::has_single_bit(nodes))
    throw ParameterError("traffic.pattern", "'" + pattern + "' permutes the bits of a node's number, and " +
                                                std::to_string(nodes) + " nodes are no power of two");
  return static_cast<std::uint32_t>(std::countr_zero(nodes));
}

/// Moves each coordinate of a grid by a number of steps that depends on its extent.
template <class Steps>
std::uint32_t shifted(std::uint32_t node, const std::vector<std::uint32_t>& extents, Steps steps) {
  std::uint32_t result = 0, stride = 1;
  for (const auto extent : extents) {
    const std::uint32_t at = node / stride % extent;
    result += (at + steps(extent)) % extent * stride;
    stride *= extent;
  }
  return result;
}

}  // namespace

std::uint32_t permuted(const std::string& pattern, std::uint32_t node, std::uint32_t nodes,
                       const std::vector<std::uint32_t>& extents) {
  if (pattern == "tornado") return shifted(node, extents, [](std::uint32_t extent) { return (extent + 1) / 2 - 1; });
  if (pattern == "neighbour") return shifted(node, extents, [](std::uint32_t) { return 1u; });
  const std::uint32_t bits = bits_of(nodes, pattern), mask = nodes - 1;
  if (pattern == "bit-complement") return ~node & mask;
  if (pattern == "shuffle") return bits == 0 ? node : ((node << 1) | (node >> (bits - 1))) & mask;
  if (pattern == "bit-reversal") {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < bits; ++i) result |= (node >> i & 1) << (bits - 1 - i);
    return result;
  }
  if (pattern == "transpose") {
    if (bits % 2 != 0)
      throw ParameterError("traffic.pattern",
                           "'transpose' needs an even number of address bits, here " + std::to_string(bits));
    return ((node << bits / 2) | (node >> bits / 2)) & mask;
  }
  throw ParameterError("traffic.pattern", "no pattern '" + pattern +
                                              "'; expected uniform, transpose, bit-complement, bit-reversal, shuffle, "
                                              "tornado, neighbour, hotspot, spherical");
}

OpenLoop::OpenLoop(const Traffic& traffic, const Neighbourhood& around, events::Random random)
    : random_(random), nodes_(around.nodes), others_(around.nodes), sending_(around.nodes) {
  if (nodes_ < 2) throw ParameterError("network", "traffic needs two nodes at least");
  if (!traffic.self) others_ = nodes_ - 1;
  uniform_ = traffic.pattern == "uniform";
  if (!uniform_) {
    auto extents = around.extents;
    if (extents.empty()) extents = {nodes_};
    fixed_.resize(nodes_);
    if (traffic.pattern == "hotspot") {
      pattern_ = Pattern::hotspot;
      hotspots_ = traffic.hotspots;
      share_ = traffic.hotspot_share;
      if (hotspots_.empty()) throw ParameterError("traffic.hotspots", "at least one node is needed");
      for (const auto node : hotspots_)
        if (node >= nodes_)
          throw ParameterError("traffic.hotspots", "node " + std::to_string(node) + " does not exist");
    } else if (traffic.pattern == "spherical") {
      pattern_ = Pattern::spherical;
      share_ = traffic.locality;
      if (!around.sphere) throw ParameterError("traffic.pattern", "'spherical' has no distances on this topology");
      for (std::uint32_t node = 0; node < nodes_; ++node) spheres_.push_back(around.sphere(node));
    } else {
      pattern_ = Pattern::fixed;
    }
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      if (pattern_ == Pattern::fixed) fixed_[node] = permuted(traffic.pattern, node, nodes_, extents);
      if (pattern_ != Pattern::fixed || fixed_[node] != node) senders_.push_back(node);
    }
    sending_ = static_cast<std::uint32_t>(senders_.size());
    if (sending_ == 0) throw ParameterError("traffic.pattern", "'" + traffic.pattern + "' maps every node to itself");
  }

  if (traffic.flits.empty()) throw ParameterError("traffic.flits", "a length is needed");
  double weights = 0, weighted = 0;
  for (const auto& [flits, weight] : traffic.flits) {
    if (flits < 1) throw ParameterError("traffic.flits", "a message has at least 1 flit");
    if (!(weight >= 0)) throw ParameterError("traffic.flits", "a weight is not negative");
    weights += weight;
    weighted += weight * flits;
  }
  if (!(weights > 0)) throw ParameterError("traffic.flits", "the weights sum to nothing");
  mean_flits_ = weighted / weights;
  flits_ = longest_ = shortest_ = traffic.flits[0].first;
  if (traffic.lengths == "geometric") {
    geometric_ = true;
    mean_flits_ = flits_;
    shortest_ = 1;
    longest_ = 64 * flits_;  // e^-64 lie beyond; longer ones are cut
    table_.push_back({1.0, flits_});
  } else if (traffic.flits.size() > 1) {
    double so_far = 0;
    for (const auto& [flits, weight] : traffic.flits) {
      so_far += weight / weights;
      table_.push_back({so_far, flits});
      longest_ = std::max(longest_, flits);
      shortest_ = std::min(shortest_, flits);
    }
  }

  if (!(traffic.load > 0)) throw ParameterError("traffic.load", "must be above 0 flits per node per cycle");
  const double rate = traffic.load / mean_flits_;  // messages per sending node per cycle
  if (traffic.arrivals == "poisson") {
    gap_ = 1 / (rate * sending_);
    time_ = random_.exponential() * gap_;
    cycle_ = static_cast<std::uint64_t>(time_);
  } else if (traffic.arrivals == "bernoulli") {
    process_ = Process::bernoulli;
    probability_ = rate;
    if (rate > 1)
      throw ParameterError("traffic.load",
                           "Bernoulli arrivals give at most one message per node per cycle, and this load wants " +
                               std::to_string(rate));
    trial_ = ~std::uint64_t{0};
    advance();
  } else if (traffic.arrivals == "burst") {
    process_ = Process::burst;
    burst_ = traffic.burst_messages;
    if (!(burst_ >= 1)) throw ParameterError("traffic.burst_messages", "a burst has at least 1 message");
    gap_ = burst_ / (rate * sending_);
    advance();
  } else {
    throw ParameterError("traffic.arrivals",
                         "no process '" + traffic.arrivals + "'; expected poisson, bernoulli, burst");
  }
  draw();
}

void OpenLoop::draw() {
  at_ = 0;
  if (uniform_ && process_ == Process::poisson && table_.empty()) return draw_uniform();
  for (auto& drawn : drawn_) {
    drawn.cycle = cycle_;
    drawn.arrival = one();
  }
}

void OpenLoop::draw_uniform() {
  events::Random random = random_;  // its address is taken nowhere below
  double time = time_;
  for (auto& [cycle, arrival] : drawn_) {
    cycle = static_cast<std::uint64_t>(static_cast<std::int64_t>(time));
    std::uint32_t source, destination;
    random.below_two(nodes_, others_, source, destination);
    arrival = {source, destination + (others_ != nodes_ && destination >= source), flits_};
    const std::uint64_t bits = random.next();
    double gap;
    if (!random.exponential_inside(bits, gap)) [[unlikely]] {
      random_ = random;
      gap = random_.exponential_edge(bits);
      random = random_;
    }
    time += gap * gap_;
  }
  random_ = random;
  time_ = time;
}

Arrival OpenLoop::one() {
  Arrival arrival;
  arrival.flits = table_.empty() ? flits_ : length();
  if (uniform_) {
    if (process_ == Process::poisson)
      random_.below_two(nodes_, others_, arrival.source, arrival.destination);
    else
      arrival.source = source_, arrival.destination = random_.below(others_);
    arrival.destination += others_ != nodes_ && arrival.destination >= arrival.source;
  } else {
    arrival.source = process_ == Process::poisson ? senders_[random_.below(sending_)] : source_;
    arrival.destination = destination(arrival.source);
  }
  if (process_ == Process::poisson) {
    time_ += random_.exponential() * gap_;
    cycle_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(time_));
  } else {
    advance();
  }
  return arrival;
}

void OpenLoop::advance() {
  const auto sender = [this](std::uint32_t index) { return senders_.empty() ? index : senders_[index]; };
  if (process_ == Process::bernoulli) {
    trial_ += random_.geometric(probability_);
    cycle_ = trial_ / sending_;
    source_ = sender(static_cast<std::uint32_t>(trial_ % sending_));
    return;
  }
  if (left_ == 0) {
    left_ = static_cast<std::uint32_t>(random_.geometric(1 / burst_));
    time_ += random_.exponential() * gap_;
    cycle_ = static_cast<std::uint64_t>(time_);
    source_ = sender(random_.below(sending_));
  }
  --left_;
}

std::uint32_t OpenLoop::length() {
  if (geometric_) return static_cast<std::uint32_t>(std::min<std::uint64_t>(random_.geometric(1.0 / flits_), longest_));
  const double drawn = random_.uniform();
  for (const auto& entry : table_)
    if (drawn < entry.up_to) return entry.flits;
  return table_.back().flits;
}

std::uint32_t OpenLoop::destination(std::uint32_t source) {
  if (pattern_ == Pattern::fixed) return fixed_[source];
  const bool special = random_.uniform() < share_;
  if (pattern_ == Pattern::hotspot && special) {
    const std::uint32_t spot = hotspots_[random_.below(static_cast<std::uint32_t>(hotspots_.size()))];
    if (spot != source || others_ == nodes_) return spot;
  }
  if (pattern_ == Pattern::spherical) {
    const auto& sphere = spheres_[source];
    if (special && !sphere.empty()) return sphere[random_.below(static_cast<std::uint32_t>(sphere.size()))];
    for (;;) {  // outside the sphere, unless all others lie within
      std::uint32_t drawn = random_.below(nodes_ - 1);
      if (drawn >= source) ++drawn;
      if (sphere.size() + 1 >= nodes_ || !std::binary_search(sphere.begin(), sphere.end(), drawn)) return drawn;
    }
  }
  std::uint32_t drawn = random_.below(others_);
  if (others_ != nodes_ && drawn >= source) ++drawn;
  return drawn;
}

}  // namespace assay::network
