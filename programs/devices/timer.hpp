// A device's own timer and the host's clock: a batch of launches that lasts some milliseconds, by both.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "devices/device.hpp"
#include "timing/clock.hpp"

namespace assay::devices {

class Timer {
 public:
  Timer(std::shared_ptr<Device> device, std::shared_ptr<Kernel> kernel, std::int64_t groups, std::int64_t group)
      : device_(std::move(device)), kernel_(std::move(kernel)), groups_(groups), group_(group) {}

  // Seconds of a launch, by the device's timer.
  double read() {
    if (times_ == 0)  // long enough that what stands before and behind the launches does not count
      for (times_ = 1; times_ < 4096 && both() < least; times_ *= 2) {
      }
    host_ = 0, device_seconds_ = 0;
    both();
    most_ = std::max(most_, device_seconds_ / host_);
    least_ = std::min(least_, device_seconds_ / host_);
    return device_seconds_ / static_cast<double>(times_);
  }

  // What to warn of after all blocks: "" where the two clocks agree. The launches lie within what the host's clock saw,
  // so that the timer's span is never longer; it is shorter by what the host waits for a first launch and a last end,
  // little of `least`, and by more where the host is busy, which some further batches decide.
  std::string warning() {
    constexpr double slowest = 0.9;
    for (int more = 0; most_ < slowest && more < 10; ++more) read();
    if (most_ <= 1.02 && most_ >= slowest) return "";
    char text[200];
    std::snprintf(
        text, sizeof text,
        "%s: its timer runs %.3g to %.3g times as fast as the host's clock: rates rest on the host's clock, and "
        "nothing is to be made of what the timer gives",
        device_->facts().label.c_str(), least_, most_);
    return text;
  }

  std::int64_t launches() const { return launches_; }  // that it made

 private:
  static constexpr double least = 0.02;  // s
  double both() {
    launches_ += times_;
    const std::int64_t from = timing::now_ns();
    device_seconds_ = device_->timed(*kernel_, groups_, group_, times_).seconds();
    return host_ = 1e-9 * static_cast<double>(timing::now_ns() - from);
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Kernel> kernel_;
  std::int64_t groups_, group_, times_ = 0, launches_ = 0;
  double host_ = 0, device_seconds_ = 0, most_ = 0, least_ = 1e300;
};

}  // namespace assay::devices
