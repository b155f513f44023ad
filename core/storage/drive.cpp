#include "storage/drive.hpp"

#include <limits>

namespace assay::storage {

Drive::Drive(Timers& timers, std::unique_ptr<Device> device, Order order)
    : timers_(timers), device_(std::move(device)), order_(order) {}

void Drive::submit(const Access& access, Done done) {
  waiting_.push_back({access, std::move(done)});
  begin();
}

std::size_t Drive::choose() {
  if (order_ == Order::fcfs) return 0;
  for (int turn = 0; turn < 2; ++turn) {
    std::size_t best = waiting_.size();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      std::uint64_t far;
      if (order_ == Order::sptf) {
        far = static_cast<std::uint64_t>(device_->positioning(timers_.now(), waiting_[i].access));
      } else {
        const std::uint64_t at = device_->cylinder(waiting_[i].access.address);
        if (inward_ ? at < arm_ : at > arm_) continue;
        far = inward_ ? at - arm_ : arm_ - at;
      }
      if (far < least) {
        least = far;
        best = i;
      }
    }
    if (best < waiting_.size()) return best;
    inward_ = !inward_;  // nothing is left ahead
  }
  return 0;
}

void Drive::begin() {
  while (!waiting_.empty() && under_way_ < device_->at_once()) {
    const auto which = waiting_.begin() + static_cast<std::ptrdiff_t>(choose());
    Waiting next = std::move(*which);
    waiting_.erase(which);
    ++under_way_;
    arm_ = device_->cylinder(next.access.address + (next.access.bytes > 0 ? next.access.bytes - 1 : 0));
    const Time began = timers_.now(), ends = device_->serve(began, next.access);
    timers_.at(ends, [this, began, ends, done = std::move(next.done)] {
      --under_way_;
      busy_ += ends - began;
      ++served_;
      begin();
      done();
    });
  }
}

}  // namespace assay::storage
