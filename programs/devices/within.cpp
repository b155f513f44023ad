#include "devices/within.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace assay::devices {
namespace {

using Clock = std::chrono::steady_clock;

struct Watch {
  std::mutex mutex;
  std::string doing;  // "" while nothing is waited for
  Clock::time_point end;
  double times = 1;
};

// It looks ten times per second instead of being woken: a wait of some microseconds is measured meanwhile.
Watch& watch() {  // lives as long as the process: its thread is never joined
  static Watch* const only = [] {
    auto* made = new Watch;
    std::thread([made] {
      for (;; std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
        const std::lock_guard lock(made->mutex);
        if (made->doing.empty() || Clock::now() < made->end) continue;
        std::fprintf(stderr, "%s: timed out after %g s\n", made->doing.c_str(), made->times * Within::seconds());
        std::fflush(stderr);
        std::_Exit(1);
      }
    }).detach();
    return made;
  }();
  return *only;
}

}  // namespace

double Within::seconds() {
  static const double limit = [] {
    const char* stated = std::getenv("ASSAY_DEVICE_WITHIN");
    const double seconds = stated == nullptr ? 0 : std::atof(stated);
    return seconds > 0 && seconds < 3600 ? seconds : 20;
  }();
  return limit;
}

Within::Within(const std::string& doing, double times) : times_before_(times) {
  const std::lock_guard lock(watch().mutex);
  before_.swap(watch().doing);
  end_before_ = watch().end;
  std::swap(times_before_, watch().times);
  watch().doing = doing;
  watch().end = begun_ + std::chrono::microseconds(static_cast<long long>(1e6 * times * seconds()));
}

Within::~Within() {
  const std::lock_guard lock(watch().mutex);
  watch().doing.swap(before_);
  watch().end = end_before_ + (Clock::now() - begun_);
  watch().times = times_before_;
}

}  // namespace assay::devices
