// Fabrics whose links are all alike, for the engine of alike.hpp: where it is exact, the links as it wants them, and
// the engine as a run has it.
#pragma once
#include <cstdint>
#include <vector>

#include "events/random.hpp"
#include "network/outcome.hpp"
#include "network/registry.hpp"
#include "network/settings.hpp"
#include "network/worm/alike.hpp"

namespace assay::network {

/// Whether the engine's rules hold for messages of up to `longest` flits: links alike whose buffers cover the way of a
/// credit; one way for each pair, short and without deadlock; times that stay within 32 bits.
bool all_alike(const Network& network, const Switching& switching, std::uint64_t longest);

/// A fabric's links, in the numbers that they have there.
class AlikeFabric {
 public:
  AlikeFabric(const Fabric& fabric, const Routing& routing, std::uint32_t sink) : routing_(&routing) {
    const Link& one = fabric.links.front();
    times_ = {one.flit, one.body, one.head, one.credit, one.buffer, sink};
    for (const auto& link : fabric.links) words_ += link.channels == 1 ? 1 : link.channels + 1u;
    for (std::uint32_t node = 0; node < fabric.nodes; ++node) injection_.push_back(fabric.injection(node).front());
    if (words_ == fabric.links.size()) return;
    for (std::uint32_t first = 0; const auto& link : fabric.links) {
      channels_.push_back({first, link.channels});
      first += link.channels == 1 ? 1 : link.channels + 1u;
    }
  }

  [[nodiscard]] LinkTimes times() const { return times_; }
  [[nodiscard]] std::uint32_t injection(std::uint32_t node) const { return injection_[node]; }
  [[nodiscard]] std::uint64_t words() const { return words_; }
  [[nodiscard]] std::uint32_t singles() const { return channels_.empty() ? ~std::uint32_t{0} : 0; }
  [[nodiscard]] std::uint32_t word(std::uint32_t link) const { return channels_[link].first; }
  [[nodiscard]] std::uint32_t channels(std::uint32_t link) const { return channels_[link].channels; }
  [[nodiscard]] static bool open(std::uint32_t) { return false; }
  template <class Call>
  void several(Call call) const {
    for (const auto& link : channels_)
      if (link.channels > 1) call(link.first, link.channels);
  }
  template <class Put>
  void route(std::uint32_t source, std::uint32_t destination, Put put) {
    routing_->way(source, destination, way_);
    for (const std::uint32_t link : way_) put(link);
  }
  [[nodiscard]] std::size_t memory() const {
    return (injection_.capacity() + way_.capacity()) * 4 + channels_.capacity() * sizeof(Channels);
  }

 private:
  struct Channels {
    std::uint32_t first, channels;  // words
  };
  const Routing* routing_;
  LinkTimes times_;
  std::uint64_t words_ = 0;
  std::vector<std::uint32_t> injection_;  // by node
  std::vector<Channels> channels_;        // by link; empty where every link has one: then its number is its word's
  std::vector<std::uint32_t> way_;        // the last one that was asked for
};

template <class Source, class Observer>
class AlikeFabricEngine : public AlikeEngine<AlikeFabric, Source, Observer> {
 public:
  static constexpr const char* name = "worm";
  AlikeFabricEngine(const Fabric& fabric, const Routing& routing, const Switching& switching, Source& source,
                    Observer& observer, events::Random, std::uint32_t span)
      : AlikeEngine<AlikeFabric, Source, Observer>(AlikeFabric(fabric, routing, switching.sink_ticks), source, observer,
                                                   span) {}
  [[nodiscard]] static std::uint64_t unroutable() { return 0; }
  static void report_standing() {}
  static void find_deadlock(Outcome&) {}
  [[nodiscard]] static std::vector<std::uint64_t> flits_by_link() { return {}; }
};

}  // namespace assay::network
