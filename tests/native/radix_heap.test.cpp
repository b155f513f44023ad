// The radix heap against a binary heap of (time, order of putting in): the same items in the same order, whatever is
// put in between, and `first()` never commits to anything.
#include "events/radix_heap.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <random>
#include <vector>

namespace {

struct Item {
  std::uint64_t at;
  std::uint64_t order;
  bool operator>(const Item& other) const { return at != other.at ? at > other.at : order > other.order; }
};

bool agrees(std::uint64_t seed, std::uint64_t spread, int steps) {
  std::mt19937_64 dice(seed);
  assay::events::RadixHeap<Item> heap;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> plain;
  std::uint64_t now = 0, order = 0;
  for (int step = 0; step < steps; ++step) {
    if (plain.empty() != heap.empty() || plain.size() != heap.size()) return false;
    if (plain.empty() || dice() % 5 < 2) {
      const int many = 1 + static_cast<int>(dice() % 6);
      for (int i = 0; i < many; ++i) {
        // Also before what first() has just said, and at the present time.
        const Item item{now + (dice() % 3 == 0 ? 0 : dice() % spread), order++};
        heap.push(item);
        plain.push(item);
      }
    }
    if (heap.first() != plain.top().at) return false;
    if (dice() % 3 == 0) continue;
    const Item expected = plain.top(), seen = heap.pop();
    plain.pop();
    if (seen.at != expected.at || seen.order != expected.order) return false;
    now = seen.at;
  }
  while (!plain.empty()) {
    if (heap.pop().order != plain.top().order) return false;
    plain.pop();
  }
  return heap.empty() && heap.first() == heap.never;
}

}  // namespace

int main() {
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    for (const std::uint64_t spread : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{9}, std::uint64_t{1000},
                                       std::uint64_t{1} << 20, std::uint64_t{1} << 45})
      if (!agrees(seed, spread, 400)) {
        std::fprintf(stderr, "seed %d, spread %llu\n", static_cast<int>(seed), static_cast<unsigned long long>(spread));
        return EXIT_FAILURE;
      }
  return EXIT_SUCCESS;
}
