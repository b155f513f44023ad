#include "storage/solid_state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace assay::storage {

Time Passage::pass(Time now, Time ready, Time takes) {
  if (takes == 0) return ready;
  while (!taken_.empty() && taken_.front().until <= now) taken_.pop_front();
  Time from = ready;
  auto at = taken_.begin();
  for (; at != taken_.end(); ++at) {
    if (at->until <= from) continue;
    if (from + takes <= at->from) break;  // the gap before it
    from = at->until;
  }
  Taken made{from, from + takes};
  if (at != taken_.begin() && std::prev(at)->until == made.from) {
    at = std::prev(at);
    made.from = at->from;
    at = taken_.erase(at);
  }
  if (at != taken_.end() && at->from == made.until)
    at->from = made.from;
  else
    taken_.insert(at, made);
  return from + takes;
}

SolidState::SolidState(const SolidStateParameters& parameters)
    : device_(parameters), channels_(parameters.channels), dies_(std::size_t{parameters.channels} * parameters.dies) {}

Time SolidState::read(Time now, Time ready, std::uint64_t page, std::uint64_t bytes) {
  const std::size_t channel = page % device_.channels, die = page / device_.channels % device_.dies;
  Time& free = dies_[channel * device_.dies + die];
  const Time moving = std::llround(device_.channel_per_byte * static_cast<double>(bytes));
  free = channels_[channel].pass(now, std::max(ready, free) + device_.read, moving);
  return link_.pass(now, free, std::llround(device_.per_byte * static_cast<double>(bytes)));
}

Time SolidState::write(Time now, Time ready, std::uint64_t page, std::uint64_t bytes) {
  const std::size_t channel = page % device_.channels, die = page / device_.channels % device_.dies;
  Time& free = dies_[channel * device_.dies + die];
  const Time moving = std::llround(device_.channel_per_byte * static_cast<double>(bytes));
  const Time here = link_.pass(now, ready, std::llround(device_.per_byte * static_cast<double>(bytes)));
  const Time kept = bytes < device_.page ? device_.read : 0;  // the rest of the page, into the die's register
  return free = channels_[channel].pass(now, std::max(here, free) + kept, moving) + device_.program;
}

Time SolidState::serve(Time now, const Access& access) {
  const std::uint64_t end = access.address + std::max<std::uint64_t>(access.bytes, 1);
  const Time ready = now + device_.overhead;
  Time last = ready;
  for (std::uint64_t at = access.address; at < end;) {
    const std::uint64_t page = at / device_.page, bytes = std::min(end, (page + 1) * device_.page) - at;
    last = std::max(last, access.write ? write(now, ready, page, bytes) : read(now, ready, page, bytes));
    at += bytes;
  }
  return last;
}

}  // namespace assay::storage
