// A message trace as a source: messages in order of (cycle, id); a message's key is its rank by id.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "network/outcome.hpp"
#include "network/traffic/open_loop.hpp"

namespace assay::network {

class ReplaySource {
 public:
  static constexpr bool newest_last = false;
  explicit ReplaySource(const Trace& trace)
      : trace_(trace), order_(trace.id.size()), by_id_(trace.id.size()), rank_(trace.id.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    by_id_ = order_;
    std::sort(by_id_.begin(), by_id_.end(), [&](auto a, auto b) { return trace.id[a] < trace.id[b]; });
    for (std::uint32_t i = 0; i < by_id_.size(); ++i) rank_[by_id_[i]] = i;
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) {
      return trace.cycle[a] != trace.cycle[b] ? trace.cycle[a] < trace.cycle[b] : trace.id[a] < trace.id[b];
    });
  }
  [[nodiscard]] std::uint64_t next_cycle() const {
    return at_ < order_.size() ? trace_.cycle[order_[at_]] : ~std::uint64_t{0};
  }
  Arrival take() {
    const std::uint32_t row = order_[at_++];
    last_ = rank_[row];
    return {trace_.source[row], trace_.destination[row], trace_.flits[row]};
  }
  [[nodiscard]] std::uint32_t last_key() const { return last_; }
  [[nodiscard]] std::uint32_t row(std::uint32_t key) const { return by_id_[key]; }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> order_, by_id_, rank_;
  std::size_t at_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace assay::network
