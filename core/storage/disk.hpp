// A mechanical disk: seek by a curve of two pieces, rotation by the clock, transfer sector by sector.
//
//   seek(d) = short_base + short_root sqrt(d)   for 0 < d < split cylinders
//           = long_base + long_slope d          beyond
//
// The platters turn all the time: sector s of a track passes the heads once a revolution, and an access waits for its
// first sector after the arm has come to rest. Tracks are skewed so that what runs on over a track's or a cylinder's
// end loses no revolution where the skew covers the switch. Outer tracks may have more sectors than
// inner ones: a zone is of cylinders whose tracks have equally many, and passes them all in a revolution. The drive has
// no buffer: a sequential access that begins late waits for the sector to come round again. Source: Ruemmler and
// Wilkes, An introduction to disk drive modeling (1994).
#pragma once

#include <vector>

#include "storage/device.hpp"

namespace assay::storage {

struct Zone {
  std::uint32_t first = 0, sectors = 1;  // its first cylinder; sectors of a track
};

struct DiskParameters {
  std::uint32_t cylinders = 1, heads = 1;
  std::vector<Zone> zones = {Zone{}};  // from cylinder 0 on
  std::uint64_t sector = 512;          // bytes
  Time revolution = 0;
  Time short_base = 0, long_base = 0;               // of the seek curve
  double short_root = 0, long_slope = 0;            // ps
  std::uint32_t split = 0;                          // cylinders
  Time head_switch = 0, overhead = 0;               // overhead: of the controller, before each access
  std::uint32_t track_skew = 0, cylinder_skew = 0;  // sectors
};

class Disk final : public Device {
 public:
  explicit Disk(const DiskParameters& parameters);
  Time serve(Time now, const Access& access) override;
  Time positioning(Time now, const Access& access) const override;
  std::uint64_t cylinder(std::uint64_t address) const override { return place(address).cylinder; }
  std::uint64_t capacity() const override;
  Time seek(std::uint32_t cylinders) const;

 private:
  struct Place {
    std::uint32_t cylinder, head, sector, sectors;  // sectors: of the track
  };
  Place place(std::uint64_t address) const;
  // When the heads are where the access begins, and when its first sector comes by after that.
  Time arrived(Time now, const Place& at) const;
  Time wait(Time from, const Place& at) const;
  // Where in a revolution the sector begins, of `sectors` equal parts.
  std::uint64_t slot(const Place& at) const;

  DiskParameters disk_;
  std::vector<std::uint64_t> begins_;  // the number of each zone's first sector, and of one beyond the last
  std::uint32_t at_cylinder_ = 0, at_head_ = 0;
};

}  // namespace assay::storage
