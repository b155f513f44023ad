// Requests for a next link in one cycle. They are served in order of key, and mostly come nearly so.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::network {

struct LinkRequest {
  std::uint64_t key;
  std::uint32_t index;
};

/// By insertion while little is out of place. No two keys are equal.
inline void put_in_order(std::vector<LinkRequest>& all) {
  std::size_t moves = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].key < all[i].key) [[likely]]
      continue;
    const LinkRequest one = all[i];
    std::size_t at = i;
    for (; at > 0 && all[at - 1].key > one.key; --at) all[at] = all[at - 1];
    all[at] = one;
    moves += i - at;
    if (moves <= 8 * all.size()) continue;
    std::sort(all.begin(), all.end(), [](const LinkRequest& a, const LinkRequest& b) { return a.key < b.key; });
    return;
  }
}

}  // namespace assay::network
