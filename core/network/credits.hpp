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
  void put(Tick time) {
    if (count_ > 0 && time < near_[0]) std::swap(time, near_[0]);
    if (count_ > 1 && time < near_[1]) std::swap(time, near_[1]);
    if (count_ < 2)
      near_[count_] = time;
    else
      put_beyond(time);
    ++count_;
  }
  /// Those that have come by `now` count no more.
  void forget(Tick now) {
    while (count_ != 0 && near_[0] <= now) {
      near_[0] = near_[1];
      if (count_ > 2) {
        near_[1] = more_->front();
        more_->erase(more_->begin());
      }
      --count_;
    }
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

  Tick near_[2] = {0, 0};
  std::unique_ptr<std::vector<Tick>> more_;  // ascending, none before those two
  std::uint32_t count_ = 0;
};

}  // namespace assay::network
