// Whoever plays the storage gives it a clock and calls it back: the described machine, or a test's own list of events.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "storage/device.hpp"

namespace assay::storage {

class Timers {
 public:
  virtual ~Timers() = default;
  virtual Time now() const = 0;
  // Calls back at that time, not before; those of one time in the order of asking.
  virtual void at(Time time, std::function<void()> then) = 0;
};

// A list of events in order of time, for storage that is played by itself.
class OwnTimers final : public Timers {
 public:
  Time now() const override { return now_; }
  void at(Time time, std::function<void()> then) override { events_.emplace(time, std::move(then)); }
  void run() {
    while (!events_.empty()) {
      auto first = events_.extract(events_.begin());
      now_ = first.key();
      first.mapped()();
    }
  }

 private:
  Time now_ = 0;
  std::multimap<Time, std::function<void()>> events_;
};

}  // namespace assay::storage
