// Rings, sorting by place, and the agenda made of them, against the standard library's stable sort and a plain list.
#include "events/agenda.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

struct Item {
  std::uint64_t at;
  std::uint32_t place, order;
};

bool sorts(std::uint64_t seed, std::size_t count, std::uint32_t most) {
  std::mt19937_64 dice(seed);
  assay::events::LargeVector<Item> items, room;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back({0, static_cast<std::uint32_t>(dice() % (std::uint64_t{most} + 1)), static_cast<std::uint32_t>(i)});
  auto wanted = items;
  std::stable_sort(wanted.begin(), wanted.end(), [](const Item& a, const Item& b) { return a.place < b.place; });
  assay::events::radix_sort(items, room, most, [](const Item& item) { return item.place; });
  return std::equal(items.begin(), items.end(), wanted.begin(), wanted.end(),
                    [](const Item& a, const Item& b) { return a.place == b.place && a.order == b.order; });
}

// Everything comes once, in order of time; what was there when a time began comes by place where that is worth it.
bool agrees(std::uint64_t seed, std::uint64_t spread, std::uint64_t burst, int steps) {
  std::mt19937_64 dice(seed);
  assay::events::Agenda<Item, 3> agenda;
  std::vector<Item> plain;
  std::uint64_t now = 0, last_batch = 0;
  std::uint32_t order = 0, last_place = 0;
  std::size_t before = 0;  // items of the present time that were there when it began, still to come
  bool sorted = false;
  for (int step = 0; step < steps; ++step) {
    const auto first = [&] {
      std::uint64_t least = assay::events::Agenda<Item, 3>::never;
      for (const Item& item : plain) least = std::min(least, item.at);
      return least;
    };
    if (plain.empty() || (plain.size() < 2 * burst && dice() % 4 == 0))
      for (std::uint64_t i = dice() % burst + 1; i > 0; --i) {
        const Item item{now + dice() % spread, static_cast<std::uint32_t>(dice() % 5000), order++};
        agenda.push(item, dice() % 3);
        plain.push_back(item);
      }
    if (agenda.first() != first()) return false;
    if (before == 0) {
      last_batch = first();
      before = static_cast<std::size_t>(
          std::count_if(plain.begin(), plain.end(), [&](const Item& item) { return item.at == last_batch; }));
      sorted = before >= 1024;
      last_place = 0;
    }
    const Item seen = agenda.pop([] { return 5000; }, [](const Item& item) { return item.place; });
    if (seen.at != last_batch || (sorted && seen.place < last_place)) return false;
    last_place = seen.place;
    --before;
    now = seen.at;
    const auto found =
        std::find_if(plain.begin(), plain.end(), [&](const Item& item) { return item.order == seen.order; });
    if (found == plain.end()) return false;
    plain.erase(found);
  }
  return true;
}

}  // namespace

int main() {
  int failures = 0;
  const auto hold = [&](bool right, const char* what) {
    if (!right) std::fprintf(stderr, "%s\n", what), ++failures;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const std::uint32_t most : {0U, 1U, 2047U, 2048U, 1U << 20, ~0U})
      hold(sorts(seed, seed * seed, most), "radix_sort is no stable sort");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    hold(agrees(seed, 50, 8, 3000), "an agenda of few events");
    if (seed < 6) hold(agrees(seed, 2, 2500, 8000), "an agenda of many at one time");
  }
  return failures;
}
