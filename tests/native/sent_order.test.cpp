// The order of sends of each pair against plain lists in a map, through random sends and arrivals.
#include "ranks/sent_order.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "expect.hpp"

using assay::described::SentOrder;

namespace {

std::vector<std::uint32_t> listed(const SentOrder& order, std::uint64_t pair) {
  std::vector<std::uint32_t> found;
  for (auto id = order.first(pair); id != SentOrder::absent; id = order.after(id)) found.push_back(id);
  return found;
}

// `pairs` of ranks below `ranks`, messages' numbers used again, up to `most` under way.
void trial(std::uint64_t seed, std::uint64_t ranks, std::size_t most) {
  std::mt19937_64 random(seed);
  SentOrder order;
  std::map<std::uint64_t, std::vector<std::uint32_t>> lists;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> under_way;
  std::vector<std::uint32_t> free;
  std::uint32_t made = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const bool fills = turn / 4000 % 2 == 0;
    if (under_way.empty() || (under_way.size() < most && random() % 8 < (fills ? 6 : 2))) {
      const std::uint64_t pair = (random() % ranks) << 32 | random() % ranks;
      std::uint32_t id = made;
      if (free.empty()) {
        ++made;
      } else {
        id = free.back();
        free.pop_back();
      }
      order.add(pair, id);
      lists[pair].push_back(id);
      under_way.emplace_back(pair, id);
    } else {
      const std::size_t which = random() % under_way.size();
      const auto [pair, id] = under_way[which];
      under_way[which] = under_way.back();
      under_way.pop_back();
      order.take(pair, id);
      auto& list = lists[pair];
      list.erase(std::ranges::find(list, id));
      if (list.empty()) lists.erase(pair);
      free.push_back(id);
      expect(listed(order, pair) == (lists.contains(pair) ? lists[pair] : std::vector<std::uint32_t>{}),
             "a pair's list");
    }
    expect(order.size() == lists.size(), "pairs");
    if (turn % 500 == 0)
      for (const auto& [pair, list] : lists) expect(listed(order, pair) == list, "every pair's list");
  }
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    trial(seed, 3, 40);       // few pairs, long lists
    trial(seed, 1000, 2000);  // many pairs, mostly of one
    trial(seed, 1U << 20, 300);
  }
  return failures == 0 ? 0 : 1;
}
