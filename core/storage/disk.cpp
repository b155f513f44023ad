#include "storage/disk.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace assay::storage {

Disk::Disk(const DiskParameters& parameters) : disk_(parameters), begins_{0} {
  for (std::size_t zone = 0; zone < disk_.zones.size(); ++zone) {
    const std::uint32_t end = zone + 1 < disk_.zones.size() ? disk_.zones[zone + 1].first : disk_.cylinders;
    begins_.push_back(begins_.back() +
                      std::uint64_t{end - disk_.zones[zone].first} * disk_.heads * disk_.zones[zone].sectors);
  }
}

std::uint64_t Disk::capacity() const { return begins_.back() * disk_.sector; }

Time Disk::seek(std::uint32_t cylinders) const {
  if (cylinders == 0) return 0;
  const double distance = cylinders;
  return cylinders < disk_.split ? disk_.short_base + std::llround(disk_.short_root * std::sqrt(distance))
                                 : disk_.long_base + std::llround(disk_.long_slope * distance);
}

Disk::Place Disk::place(std::uint64_t address) const {
  const std::uint64_t sector = std::min(address / disk_.sector, begins_.back() - 1);
  const auto beyond = std::upper_bound(begins_.begin() + 1, begins_.end() - 1, sector);
  const auto at = static_cast<std::size_t>(beyond - begins_.begin()) - 1;
  const Zone& zone = disk_.zones[at];
  const std::uint64_t within = sector - begins_[at], track = within / zone.sectors;
  return {zone.first + static_cast<std::uint32_t>(track / disk_.heads), static_cast<std::uint32_t>(track % disk_.heads),
          static_cast<std::uint32_t>(within % zone.sectors), zone.sectors};
}

std::uint64_t Disk::slot(const Place& at) const {
  const std::uint64_t track = std::uint64_t{at.cylinder} * disk_.heads + at.head;
  return (at.sector + disk_.track_skew * (track - at.cylinder) + std::uint64_t{disk_.cylinder_skew} * at.cylinder) %
         at.sectors;
}

Time Disk::arrived(Time now, const Place& at) const {
  const std::uint32_t distance = at.cylinder > at_cylinder_ ? at.cylinder - at_cylinder_ : at_cylinder_ - at.cylinder;
  const Time moving = distance > 0 ? seek(distance) : at.head != at_head_ ? disk_.head_switch : 0;
  return now + disk_.overhead + moving;
}

Time Disk::wait(Time from, const Place& at) const {
  if (disk_.revolution == 0) return 0;
  const auto begins = static_cast<Time>(static_cast<double>(disk_.revolution) * static_cast<double>(slot(at)) /
                                        static_cast<double>(at.sectors));
  const Time left = (begins - from % disk_.revolution) % disk_.revolution;
  return left < 0 ? left + disk_.revolution : left;
}

Time Disk::positioning(Time now, const Access& access) const {
  const Place at = place(access.address);
  const Time there = arrived(now, at);
  return there + wait(there, at) - now;
}

Time Disk::serve(Time now, const Access& access) {
  if (access.bytes > capacity() || access.address > capacity() - access.bytes)
    throw std::out_of_range("an access to bytes " + std::to_string(access.address) + " to " +
                            std::to_string(access.address + access.bytes) + " of a disk of " +
                            std::to_string(capacity()));
  const std::uint64_t first = access.address / disk_.sector;
  std::uint64_t left =
      (access.address + std::max<std::uint64_t>(access.bytes, 1) + disk_.sector - 1) / disk_.sector - first;
  std::uint64_t sector = first;
  Time time = now;
  for (bool begun = false; left > 0; begun = true) {
    const Place at = place(sector * disk_.sector);
    // The controller's part comes once; going on to the next track is a switch, to the next cylinder a seek.
    const Time there = arrived(time, at) - (begun ? disk_.overhead : 0);
    at_cylinder_ = at.cylinder;
    at_head_ = at.head;
    const std::uint64_t here = std::min<std::uint64_t>(left, at.sectors - at.sector);
    time = there + wait(there, at) +
           std::llround(static_cast<double>(disk_.revolution) * static_cast<double>(here) / at.sectors);
    left -= here;
    sector += here;
  }
  return time;
}

}  // namespace assay::storage
