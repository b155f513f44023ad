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

inline constexpr std::size_t few_requests = 64;
/// Up to few_requests. As many as have smaller keys stand before each: to compare all with all takes fewer cycles than
/// a processor loses by guessing wrong which of two is smaller.
inline void put_few_in_order(std::vector<LinkRequest>& all) {
  using Four = std::int64_t __attribute__((vector_size(32)));
  constexpr std::int64_t last = ~std::uint64_t{0} >> 1;
  const std::size_t count = all.size();
  LinkRequest* const first = all.data();
  alignas(32) std::int64_t keys[few_requests + 3];
  LinkRequest sorted[few_requests + 1];
  for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::int64_t>(first[i].key ^ std::uint64_t{1} << 63);
  std::fill_n(keys + count, 3, last);
  for (std::size_t i = 0; i < count; i += 4) {
    const Four of = {keys[i], keys[i + 1], keys[i + 2], keys[i + 3]};
    Four smaller = {0, 0, 0, 0};
    for (std::size_t j = 0; j < count; j += 4)
      for (std::size_t k = 0; k < 4; ++k) smaller -= Four{} + keys[j + k] < of;  // -1 where it is
    // Of those that fill up the last four none is kept.
    for (std::size_t k = 0; k < 4; ++k)
      sorted[static_cast<std::size_t>(smaller[k])] = first[std::min(i + k, count - 1)];
  }
  for (std::size_t i = 0; i < count; ++i) first[i] = sorted[i];
}

/// Two to four, by as many comparisons whatever the order.
inline void put_four_in_order(std::vector<LinkRequest>& all) {
  constexpr LinkRequest last = {~std::uint64_t{0}, 0};
  const std::size_t count = all.size();
  LinkRequest a = all[0], b = all[1], c = count > 2 ? all[2] : last, d = count > 3 ? all[3] : last;
  const auto put = [](LinkRequest& one, LinkRequest& other) {
    const LinkRequest first = one, second = other;
    const bool turned = second.key < first.key;
    one = {turned ? second.key : first.key, turned ? second.index : first.index};
    other = {turned ? first.key : second.key, turned ? first.index : second.index};
  };
  put(a, b), put(c, d), put(a, c), put(b, d), put(b, c);
  all[0] = a, all[1] = b;
  if (count > 2) all[2] = c;
  if (count > 3) all[3] = d;
}

/// No two keys are equal. Many: by insertion while little is out of place.
inline void put_in_order(std::vector<LinkRequest>& all) {
  if (all.size() <= few_requests) {
    if (all.size() > 4)
      put_few_in_order(all);
    else if (all.size() > 1)
      put_four_in_order(all);
    return;
  }
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
