// IS, integer sort: ten times the ranks of keys whose values are drawn from a bell-shaped distribution. Each rank puts
// its keys into buckets, all ranks learn how many each bucket holds, buckets are dealt out so that all have about as
// many keys, and each rank counts those that it received. Source: RNR-94-007, section 2.2.5.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "applications/all_to_all.hpp"
#include "applications/nas/is_keys.hpp"
#include "applications/nas/kernel.hpp"

namespace assay::applications::nas {

// A key by its place in the sequence, its official rank, and by how much that moves with each iteration: by
// `moves` (1 or -1) times the iteration plus `offset`.
struct TestKey {
  std::int64_t index, rank;
  int moves, offset;
};
inline constexpr std::size_t test_keys = 5;
struct IsClass {
  int log_keys, log_limit;
  std::array<TestKey, test_keys> tests;
};
inline constexpr std::array<IsClass, classes> is_classes{{
    {16, 11, {{{48427, 0, 1, 0}, {17148, 18, 1, 0}, {23627, 346, 1, 0}, {62548, 64917, -1, 0}, {4431, 65463, -1, 0}}}},
    {20,
     16,
     {{{357773, 1249, 1, -2},
       {934767, 11698, 1, -2},
       {875723, 1039987, -1, 0},
       {898999, 1043896, -1, 0},
       {404505, 1048018, -1, 0}}}},
    {23,
     19,
     {{{2112377, 104, 1, -1},
       {662041, 17523, 1, -1},
       {5336171, 123928, 1, -1},
       {3642833, 8288932, -1, -1},
       {4250760, 8388264, -1, -1}}}},
    {25,
     21,
     {{{41869, 33422937, -1, 0},
       {812306, 10244, 1, 0},
       {5102857, 59149, 1, 0},
       {18232239, 33135281, -1, 0},
       {26860214, 99, 1, 0}}}},
    {27,
     23,
     {{{44172927, 61147, 1, 0},
       {72999161, 882988, 1, 0},
       {74326391, 266290, 1, 0},
       {129606274, 133997595, -1, 0},
       {21736814, 133525895, -1, 0}}}},
}};

template <ranks::Communicator C>
class Is final : public Charged<C> {
  using Charged<C>::comm_, Charged<C>::carries_, Charged<C>::work, Charged<C>::data;

 public:
  static constexpr int iterations = 10;
  static constexpr std::size_t buckets = 1024;

  Is(C& comm, Class size, bool carries)
      : Charged<C>(comm, "is", carries), size_(is_classes[place(size)]), keys_(std::size_t{1} << size_.log_keys) {
    ranks::needs(is_power_of_two(comm.size()) && comm.size() <= static_cast<int>(buckets),
                 "a power of two of ranks, at most 1024", comm.size());
  }
  // As NPB counts: a key is ranked in each iteration.
  static double operations(Class size) { return iterations * std::ldexp(1, is_classes[place(size)].log_keys); }

  ranks::Task prepare() override {
    const auto ranks = static_cast<std::size_t>(comm_.size());
    out_.assign(ranks, {});
    in_.assign(ranks, {});
    right_ = 0;
    if (carries_) {
      own_.resize(keys_ / ranks);
      sorted_.resize(own_.size());
      is_make(own_, own_.size() * static_cast<std::size_t>(comm_.rank()), limit());
      counts_.assign(ranks, 0);
      theirs_.assign(ranks, 0);
    }
    co_return;
  }

  ranks::Task run() override {
    for (int iteration = 1; iteration <= iterations; ++iteration) co_await rank_keys(iteration);
  }

  // The official ranks of five keys in each iteration; and of all keys in the last one that they are in order.
  ranks::Task check(ranks::Verdict& verdict) override {
    double found[2] = {static_cast<double>(right_), 0}, room[2];
    co_await sum_of_all(comm_, found, room, 1);
    std::sort(received_.begin(), received_.end());
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const auto at = static_cast<std::size_t>(received_[i] - least_);
      const std::size_t below = at > 0 ? static_cast<std::size_t>(ranks_[at - 1]) : 0;
      found[1] += i >= below && i < static_cast<std::size_t>(ranks_[at]);
    }
    double ordered[1] = {found[1]};
    co_await sum_of_all(comm_, ordered, room, 1);
    const double all = static_cast<double>(keys_);
    verdict.passed = found[0] == iterations * test_keys && ordered[0] == all;
    verdict.detail = std::to_string(static_cast<int>(found[0])) + " of " + std::to_string(iterations * test_keys) +
                     " official ranks; " + std::to_string(static_cast<std::int64_t>(all - ordered[0])) +
                     " keys out of order";
  }

 private:
  Key limit() const { return Key{1} << size_.log_limit; }
  int shift() const { return std::max(size_.log_limit - 10, 0); }

  ranks::Task rank_keys(int iteration) {
    const std::size_t own = keys_ / static_cast<std::size_t>(comm_.size());
    co_await work(static_cast<double>(own), [&] { into_buckets(iteration); });
    co_await ranks::reduce(comm_, comm_.size(), totals_.data(), room_.data(), totals_.size(), Sum());
    co_await ranks::broadcast(comm_, totals_.data(), totals_.size() * sizeof(std::int64_t));
    if (carries_) {
      deal();
    } else {  // a described machine's ranks have equal parts of each other's keys
      for (std::size_t rank = 0; rank < out_.size(); ++rank) in_[rank] = out_[rank] = {0, own / out_.size()};
    }
    co_await all_to_all<C, std::int64_t>(comm_, data(counts_), single(), data(theirs_), single());
    if (carries_) make_room();
    co_await all_to_all<C, Key>(comm_, data(sorted_), out_, data(received_), in_);
    co_await work(static_cast<double>(own), [&] { count_received(iteration); });
  }

  // One element for each rank.
  const std::vector<Part>& single() {
    if (single_.empty())
      for (std::size_t rank = 0; rank < out_.size(); ++rank) single_.push_back({rank, 1});
    return single_;
  }

  void into_buckets(int iteration) {
    if (comm_.rank() == 0) {  // two keys change in each iteration
      own_[static_cast<std::size_t>(iteration)] = iteration;
      own_[static_cast<std::size_t>(iteration + iterations)] = limit() - iteration;
    }
    const std::span<std::int64_t> counts(totals_.data(), buckets);
    is_count(own_, shift(), counts);
    std::array<std::size_t, buckets> next;
    std::size_t at = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      next[bucket] = mine_[bucket] = at;
      at += static_cast<std::size_t>(counts[bucket]);
    }
    mine_[buckets] = at;
    is_distribute(own_, shift(), next, sorted_.data());
    const auto first = static_cast<std::int64_t>(own_.size()) * comm_.rank();
    for (std::size_t i = 0; i < test_keys; ++i) {  // whoever has a tested key says its value
      const std::int64_t place = size_.tests[i].index - first;
      const bool here = place >= 0 && place < static_cast<std::int64_t>(own_.size());
      totals_[buckets + i] = here ? own_[static_cast<std::size_t>(place)] : 0;
    }
  }

  // Buckets to ranks, as many in turn as hold a rank's share of all keys.
  void deal() {
    const auto ranks = static_cast<std::size_t>(comm_.size()), me = static_cast<std::size_t>(comm_.rank());
    const std::int64_t share = static_cast<std::int64_t>(keys_ / ranks);
    std::size_t bucket = 0;
    std::int64_t before = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::size_t from = bucket;
      if (rank == me) least_ = static_cast<Key>(from << shift()), lesser_ = before;
      const auto until = share * static_cast<std::int64_t>(rank + 1);
      while (bucket < buckets && (before < until || rank + 1 == ranks)) before += totals_[bucket++];
      if (rank == me) beyond_ = static_cast<Key>(bucket << shift());
      out_[rank] = {mine_[from], mine_[bucket] - mine_[from]};
      counts_[rank] = static_cast<std::int64_t>(out_[rank].count);
    }
  }
  void make_room() {
    std::size_t all = 0;
    for (std::size_t rank = 0; rank < in_.size(); ++rank) {
      in_[rank] = {all, static_cast<std::size_t>(theirs_[rank])};
      all += in_[rank].count;
    }
    received_.resize(all);
  }

  void count_received(int iteration) {
    ranks_.resize(static_cast<std::size_t>(beyond_ - least_));
    is_rank(received_, least_, ranks_);
    for (std::size_t i = 0; i < test_keys; ++i) {
      const TestKey& test = size_.tests[i];
      const auto key = static_cast<Key>(totals_[buckets + i]);
      if (key < least_ || key >= beyond_) continue;
      const std::int64_t below = key > least_ ? ranks_[static_cast<std::size_t>(key - least_ - 1)] : 0;
      right_ += lesser_ + below == test.rank + test.moves * (iteration + test.offset);
    }
  }

  IsClass size_;
  std::size_t keys_;  // of all ranks
  std::vector<Key> own_, sorted_, received_;
  std::array<std::int64_t, buckets + test_keys> totals_{};
  std::vector<std::int64_t> room_ = std::vector<std::int64_t>(buckets + test_keys), counts_{}, theirs_{};
  std::array<std::size_t, buckets + 1> mine_{};  // where each bucket of this rank begins
  std::vector<Part> out_, in_, single_;
  std::vector<std::int32_t> ranks_;
  Key least_ = 0, beyond_ = 0;  // the keys that this rank counts
  std::int64_t lesser_ = 0;     // keys of all ranks below `least_`
  int right_ = 0;
};

}  // namespace assay::applications::nas
