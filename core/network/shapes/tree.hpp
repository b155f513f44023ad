// Extended generalised fat trees (Ohring et al. 1995): h levels of switches over the nodes; a switch of level i has m_i
// children and each part of level i - 1 has w_i parents. Switch (level l, A, B): A counts the subtrees of level l from
// the left, B the copies within one: B = b_1 + w_1 (b_2 + w_2 (...)). Parent b of (l, A, B) is (l + 1, A / m_{l+1}, B +
// W_l b) with W_l = w_1 ... w_l; child a of (l, A, B) is (l - 1, a + m_l A, B mod W_{l-1}). Routers are numbered level
// by level from the leaves, within a level B + W_l A.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "network/registry.hpp"

namespace assay::network {

struct Tree : Shape {
  std::vector<std::uint32_t> children;  // m_1..m_h, index 0 unused
  std::vector<std::uint32_t> parents;   // w_1..w_h, w_1 = 1
  std::vector<std::uint32_t> below;     // M_l: nodes under a switch of level l
  std::vector<std::uint32_t> copies;    // W_l
  std::vector<std::uint32_t> first;     // first router of a level, and one past the last
  std::vector<std::uint32_t> up, down;  // link by [offset of the router + index of the parent or child]
  std::vector<std::uint32_t> up_at, down_at;

  [[nodiscard]] unsigned levels() const { return static_cast<unsigned>(children.size()) - 1; }
  [[nodiscard]] unsigned level(std::uint32_t router) const {
    unsigned at = 1;
    while (router >= first[at + 1]) ++at;
    return at;
  }
  /// A of a router.
  [[nodiscard]] std::uint32_t subtree(std::uint32_t router, unsigned at) const {
    return (router - first[at]) / copies[at];
  }
};

/// `channels` by level from the leaves (index 0: between leaf switches and the next level); missing ones as in
/// `classes`.
Fabric build_tree(const std::string& topology, const std::vector<std::uint32_t>& children,
                  const std::vector<std::uint32_t>& parents, const std::vector<std::int64_t>& channels,
                  const LinkClasses& classes);

}  // namespace assay::network
