// A network used on line: whoever owns the clock hands messages in as they come and serves the network's cycles one by
// one; the network tells ahead of time when a message's tail will have left its source and when all of it will be at
// its destination. The engines are those of simulate() and replay(): the same messages in the same cycles give the same
// heads and tails (tests/test_live_network.py), ties of one cycle going by order of submission.
//
// A report of a cycle lies in that cycle or later; an arrival always later, as a head takes at least a tick per link.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/registry.hpp"
#include "network/settings.hpp"

namespace assay::network {

struct Report {
  enum class What : std::uint8_t {
    left,
    arrived,
    through,
    passes
  } what;                // through: left and arrived, both reported at once
  std::uint32_t cookie;  // as submitted
  std::uint64_t time;    // the tail has left the source; all is at the destination; the head goes on from the node
  std::uint64_t left;    // through: when the tail has left the source
  std::uint64_t born;    // arrived: the cycle of its submission
  std::uint32_t hops;    // arrived: links crossed, injection and ejection among them; passes: the node passed
  std::uint32_t flits;
};

class Live {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  static constexpr std::uint32_t most_flits = 0x7fffffff;  // of a message
  Live() = default;
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;
  virtual ~Live() = default;

  [[nodiscard]] virtual std::uint32_t nodes() const = 0;
  /// Network links between two nodes, as the routing goes when nobody is in the way.
  [[nodiscard]] virtual std::uint32_t hops(std::uint32_t from, std::uint32_t to) const = 0;
  /// Ticks from submission to arrival over so many links in an empty network.
  [[nodiscard]] virtual std::uint64_t unloaded(std::uint32_t links, std::uint32_t flits) const = 0;
  /// Whether the heads of two messages between the same nodes arrive in the order of submission.
  [[nodiscard]] virtual bool keeps_order() const = 0;
  /// `cycle`: not before any cycle served so far.
  virtual void submit(std::uint64_t cycle, std::uint32_t source, std::uint32_t destination, std::uint32_t flits,
                      std::uint32_t cookie) = 0;
  /// Something will soon be submitted at this node: what that touches may be fetched.
  virtual void fetch(std::uint32_t) const {}
  /// The next cycle in which anything happens, or `never`.
  [[nodiscard]] virtual std::uint64_t next() const = 0;
  /// Serves the cycle `next()`, or a part of it; adds to `reports`. Whether there is more of it: then this comes next.
  virtual bool serve(std::vector<Report>& reports) = 0;
  /// What can never move again, once `next()` is never: a line for people, or nothing.
  [[nodiscard]] virtual std::string stuck() const = 0;
  [[nodiscard]] virtual std::size_t memory() const = 0;
  [[nodiscard]] virtual const char* engine() const = 0;
};

/// From the keys of [network]. `passing`: messages that go through a node's router are reported as they pass.
/// ParameterError as everywhere.
std::unique_ptr<Live> make_live(const Table& network, bool passing);
/// How many nodes that network would have, without its engine; refuses what make_live refuses.
std::uint32_t live_nodes(const Table& network);

}  // namespace assay::network
