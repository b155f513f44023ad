// A set of nodes, 64 to a word: what is free of machines whose jobs hold nodes wholly, and how it is searched.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::batch {

class NodeSet {
 public:
  static constexpr std::int32_t none = -1;

  explicit NodeSet(std::int32_t nodes = 0, bool all = false)
      : nodes_(nodes), words_((static_cast<std::size_t>(nodes) + 63) / 64, all ? ~std::uint64_t{0} : 0) {
    if (all && nodes % 64 != 0) words_.back() = (std::uint64_t{1} << (nodes % 64)) - 1;
  }

  bool has(std::int32_t node) const { return words_[word(node)] >> (node % 64) & 1; }
  void put(std::int32_t node, bool in) {
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    words_[word(node)] = in ? words_[word(node)] | bit : words_[word(node)] & ~bit;
  }
  std::int32_t count() const {
    std::int32_t sum = 0;
    for (const std::uint64_t each : words_) sum += std::popcount(each);
    return sum;
  }

  NodeSet& operator&=(const NodeSet& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] &= other.words_[at];
    return *this;
  }

  /// The first that is in it (or, with `in` false, is not) from a node on; the number of nodes where there is none.
  std::int32_t next(std::int32_t from, bool in) const {
    for (std::int32_t at = from; at < nodes_; at = (at / 64 + 1) * 64) {
      const std::uint64_t here = (in ? words_[word(at)] : ~words_[word(at)]) >> (at % 64);
      if (here != 0) return std::min(nodes_, at + std::countr_zero(here));
    }
    return nodes_;
  }

  /// Of each node from which on `count` nodes, `stride` apart, are in it. Beyond the last node nothing is.
  NodeSet runs(std::int32_t count, std::int32_t stride) const {
    NodeSet made = *this;
    for (std::int32_t had = 1; had < count;) {  // of `had`, doubled
      const std::int32_t more = std::min(had, count - had);
      made &= made.down(more * stride);
      had += more;
    }
    return made;
  }

 private:
  static std::size_t word(std::int32_t node) { return static_cast<std::size_t>(node) / 64; }

  // Node n of it is node n + `by` of this.
  NodeSet down(std::int32_t by) const {
    NodeSet made(nodes_);
    const std::size_t whole = word(by), rest = static_cast<std::size_t>(by) % 64;
    for (std::size_t at = 0; at + whole < words_.size(); ++at) {
      made.words_[at] = words_[at + whole] >> rest;
      if (rest != 0 && at + whole + 1 < words_.size()) made.words_[at] |= words_[at + whole + 1] << (64 - rest);
    }
    return made;
  }

  std::int32_t nodes_;
  std::vector<std::uint64_t> words_;
};

}  // namespace assay::batch
