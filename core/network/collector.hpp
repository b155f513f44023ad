// What the engines keep of the messages that they deliver after the warm-up: latencies, flits, what each source got
// through. Whatever is delivered counts, whenever it was generated: to leave out what was generated before the warm-up
// ended, or what is still under way at the end, would leave out the longest latencies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/outcome.hpp"
#include "network/parts.hpp"
#include "network/traffic/trace.hpp"

namespace assay::network {

/// A header latency runs from a message's generation to its head's arrival inside the destination: A(H) + h(H) -
/// generation, h(H) the head ticks of its ejection link (`entry`, alike for all of a described network).
class Collector {
 public:
  Collector(std::uint32_t nodes, std::uint32_t entry) : sent_(nodes, 0), entry_(entry) {}

  template <class Engine, class Message>
  void delivered(const Engine&, const Message& m, decltype(m.born) head, std::uint32_t) {
    ++all_;
    if (!measuring_) return;
    ++messages_;
    flits_ += m.flits;
    sent_[m.source] += m.flits;
    header_.add(static_cast<std::uint32_t>(head + entry_ - m.born));
    network_.add(static_cast<std::uint32_t>(head + entry_ - m.entered));
    queueing_.add(static_cast<std::uint32_t>(m.entered - m.born));
  }
  void moved_base(std::uint32_t) {}

  void measure(std::size_t batches) {
    measuring_ = true;
    header_.begin(batches);
    network_.begin(batches);
    queueing_.begin(batches);
  }
  void turn(std::size_t batch) {
    header_.turn(batch);
    network_.turn(batch);
    queueing_.turn(batch);
  }
  [[nodiscard]] std::uint64_t all() const { return all_; }
  void report(Outcome& outcome) {
    outcome.messages = messages_;
    outcome.simulated_messages = all_;
    const double cycles = static_cast<double>(outcome.measured_cycles), nodes = static_cast<double>(sent_.size());
    outcome.throughput = static_cast<double>(flits_) / cycles / nodes;
    outcome.worst_node = static_cast<double>(*std::min_element(sent_.begin(), sent_.end())) / cycles;
    header_.finish();
    network_.finish();
    queueing_.finish();
    outcome.latencies["header"] = std::move(header_);
    outcome.latencies["network"] = std::move(network_);
    outcome.latencies["queueing"] = std::move(queueing_);
  }

 private:
  Latency header_, network_, queueing_;
  std::uint64_t all_ = 0, messages_ = 0, flits_ = 0;
  std::vector<std::uint64_t> sent_;
  std::uint32_t entry_;
  bool measuring_ = false;
};

/// Writes down when each message of a trace arrived; messages are known by key, their rank by id.
class Recorder {
 public:
  Recorder(const ReplaySource& source, Delivered& out) : source_(source), out_(out) {}
  template <class Engine, class Message>
  void delivered(const Engine& engine, const Message& m, decltype(m.born) head, std::uint32_t hops) {
    const std::uint32_t row = source_.row(static_cast<std::uint32_t>(m.key));
    out_.head[row] = static_cast<std::int64_t>(engine.absolute(head));
    out_.tail[row] = static_cast<std::int64_t>(engine.tail(m, head));
    out_.hops[row] = static_cast<std::int32_t>(hops);
    ++count_;
  }
  /// The message and packet of `key` on a channel of a link (see Crossing).
  void crossed(std::uint64_t key, std::uint64_t link, std::uint64_t channel, std::uint64_t head, std::uint64_t tail) {
    if (!out_.wants_crossings) return;
    const auto row = source_.row(static_cast<std::uint32_t>(key >> Parts::packet_bits));
    out_.crossings.push_back({row, key & ((1u << Parts::packet_bits) - 1), link, channel, head, tail});
  }
  void moved_base(std::uint32_t) {}
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  const ReplaySource& source_;
  Delivered& out_;
  std::uint64_t count_ = 0;
};

}  // namespace assay::network
