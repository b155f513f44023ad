#include "devices/state_watch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "timing/clock.hpp"
#include "timing/launch.hpp"

namespace assay::devices {
namespace {

constexpr auto between = std::chrono::milliseconds(50);

}  // namespace

StateWatch::StateWatch(std::shared_ptr<Device> device) : device_(std::move(device)) {
  if (!device_->state()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex asleep;
    std::condition_variable_any woken;
    while (!stop.stop_requested()) {
      look();
      std::unique_lock lock(asleep);
      woken.wait_for(lock, stop, between, [] { return false; });
    }
  });
}

StateWatch::~StateWatch() = default;  // the thread is stopped, and joined

void StateWatch::look() {
  const auto state = device_->state();
  if (!state) return;
  seen_.emplace_back(timing::unix_time(), *state);
}

std::optional<timing::Json> StateWatch::end() {
  if (!looks()) return std::nullopt;
  thread_ = {};  // stopped and joined
  std::vector<double> times, clocks;
  std::vector<std::string> powers, others, limits;  // JSON values: null where it is not known
  double most = 0;
  for (const auto& [time, state] : seen_) {
    times.push_back(time);
    clocks.push_back(state.clock);
    powers.push_back(state.power ? timing::Json::write(*state.power) : "null");
    others.push_back(state.others ? std::to_string(*state.others) : "null");
    limits.push_back(state.limits ? timing::Json::quote(*state.limits) : "null");
    most = std::max(most, state.most);
  }
  timing::Json line;
  line.text("event", "device").text("host", timing::here(0).host).text("device", device_->facts().label);
  line.text("name", device_->facts().name).number("most", most).numbers("time", times).numbers("clock", clocks);
  return line.list("power", powers).list("others", others).list("limits", limits);
}

}  // namespace assay::devices
