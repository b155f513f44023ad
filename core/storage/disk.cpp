#include "storage/disk.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace assay::storage {

Disk::Disk(const DiskParameters& parameters) : disk_(parameters) {}

std::uint64_t Disk::capacity() const {
  return std::uint64_t{disk_.cylinders} * disk_.heads * disk_.sectors * disk_.sector;
}

Time Disk::seek(std::uint32_t cylinders) const {
  if (cylinders == 0) return 0;
  const double distance = cylinders;
  return cylinders < disk_.split ? disk_.short_base + std::llround(disk_.short_root * std::sqrt(distance))
                                 : disk_.long_base + std::llround(disk_.long_slope * distance);
}

Disk::Place Disk::place(std::uint64_t address) const {
  const std::uint64_t sector = address / disk_.sector, track = sector / disk_.sectors;
  return {static_cast<std::uint32_t>(track / disk_.heads), static_cast<std::uint32_t>(track % disk_.heads),
          static_cast<std::uint32_t>(sector % disk_.sectors)};
}

std::uint64_t Disk::slot(const Place& at) const {
  const std::uint64_t track = std::uint64_t{at.cylinder} * disk_.heads + at.head;
  return (at.sector + disk_.track_skew * (track - at.cylinder) + std::uint64_t{disk_.cylinder_skew} * at.cylinder) %
         disk_.sectors;
}

Time Disk::arrived(Time now, const Place& at) const {
  const std::uint32_t distance = at.cylinder > at_cylinder_ ? at.cylinder - at_cylinder_ : at_cylinder_ - at.cylinder;
  const Time moving = distance > 0 ? seek(distance) : at.head != at_head_ ? disk_.head_switch : 0;
  return now + disk_.overhead + moving;
}

Time Disk::wait(Time from, const Place& at) const {
  if (disk_.revolution == 0) return 0;
  const auto begins = static_cast<Time>(static_cast<double>(disk_.revolution) * static_cast<double>(slot(at)) /
                                        static_cast<double>(disk_.sectors));
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
    const std::uint64_t here = std::min<std::uint64_t>(left, disk_.sectors - at.sector);
    time = there + wait(there, at) +
           std::llround(static_cast<double>(disk_.revolution) * static_cast<double>(here) / disk_.sectors);
    left -= here;
    sector += here;
  }
  return time;
}

}  // namespace assay::storage
