// When the slots of a lane's buffer are free again, as far as that is known: ascending times, of which the first two
// are kept in place, since there are seldom more.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace assay::network {

class Credits {
 public:
  using Tick = std::uint64_t;

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] Tick front() const { return near_[0]; }
  // Both without a branch for the two, since nothing foretells how many are known.
  void put(Tick time) {
    const Tick beyond_first = std::max(time, near_[0]), beyond = std::max(beyond_first, near_[1]);
    near_[0] = std::min(time, near_[0]);
    near_[1] = std::min(beyond_first, near_[1]);
    if (++count_ > 2) [[unlikely]]
      put_beyond(beyond);
  }
  /// Those that have come by `now` count no more.
  [[gnu::always_inline]] void forget(Tick now) {
    if (count_ > 2) [[unlikely]]
      return forget_of_many(now);
    const bool first = near_[0] <= now, second = near_[1] <= now;
    const Tick next = second ? never : near_[1];
    near_[0] = first ? next : near_[0];
    near_[1] = first ? never : near_[1];
    count_ -= unsigned{first} + unsigned{second};
  }
  /// How many come after `now`.
  [[nodiscard]] std::uint32_t after(Tick now) const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < std::min(count_, 2u); ++i) sum += near_[i] > now;
    if (count_ > 2)
      sum += static_cast<std::uint32_t>(more_->end() - std::upper_bound(more_->begin(), more_->end(), now));
    return sum;
  }
  [[nodiscard]] std::size_t memory() const {
    return more_ ? sizeof(std::vector<Tick>) + more_->capacity() * sizeof(Tick) : 0;
  }

 private:
  void put_beyond(Tick time) {
    if (!more_) more_ = std::make_unique<std::vector<Tick>>();
    more_->insert(std::upper_bound(more_->begin(), more_->end(), time), time);
  }

  [[gnu::noinline]] void forget_of_many(Tick now) {
    while (near_[0] <= now) {
      near_[0] = near_[1];
      near_[1] = never;
      if (count_ > 2) {
        near_[1] = more_->front();
        more_->erase(more_->begin());
      }
      --count_;
    }
  }

  static constexpr Tick never = ~Tick{0};
  Tick near_[2] = {never, never};
  std::unique_ptr<std::vector<Tick>> more_;  // ascending, none before those two
  std::uint32_t count_ = 0;
};

}  // namespace assay::network
