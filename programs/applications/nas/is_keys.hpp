// The measured loops of IS, compiled apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::applications::nas {

using Key = std::int32_t;

// Keys `first` to `first` + keys.size() of the sequence: each the mean of four numbers, below `limit`.
void is_make(std::span<Key> keys, std::uint64_t first, Key limit);

// How many keys each bucket holds, by key >> shift.
void is_count(std::span<const Key> keys, int shift, std::span<std::int64_t> buckets);

// Keys in the order of their buckets; `next` is where each bucket begins, and is moved to its end.
void is_distribute(std::span<const Key> keys, int shift, std::span<std::size_t> next, Key* into);

// For each key from `least` on how many keys are below the next one: `ranks` has one element for each.
void is_rank(std::span<const Key> keys, Key least, std::span<std::int32_t> ranks);

}  // namespace assay::applications::nas
