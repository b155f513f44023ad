#include "applications/nas/is_keys.hpp"

#include <algorithm>

#include "applications/nas/random.hpp"

namespace assay::applications::nas {

void is_make(std::span<Key> keys, std::uint64_t first, Key limit) {
  Random random(314159265);
  random.skip(4 * first);
  const double quarter = limit / 4;
  for (Key& key : keys) {
    double sum = random.next();
    for (int i = 0; i < 3; ++i) sum += random.next();
    key = static_cast<Key>(quarter * sum);
  }
}

void is_count(std::span<const Key> keys, int shift, std::span<std::int64_t> buckets) {
  std::fill(buckets.begin(), buckets.end(), 0);
  for (const Key key : keys) ++buckets[static_cast<std::size_t>(key >> shift)];
}

void is_distribute(std::span<const Key> keys, int shift, std::span<std::size_t> next, Key* into) {
  for (const Key key : keys) into[next[static_cast<std::size_t>(key >> shift)]++] = key;
}

void is_rank(std::span<const Key> keys, Key least, std::span<std::int32_t> ranks) {
  std::fill(ranks.begin(), ranks.end(), 0);
  for (const Key key : keys) ++ranks[static_cast<std::size_t>(key - least)];
  for (std::size_t i = 1; i < ranks.size(); ++i) ranks[i] += ranks[i - 1];
}

}  // namespace assay::applications::nas
