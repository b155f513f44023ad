// A device with its queue: accesses wait, and whenever it can begin one the policy chooses which.
//
//   FCFS  in order of arrival
//   SCAN  the nearest ahead in the arm's direction, which turns where nothing is left ahead (elevator)
//   SPTF  the one whose first byte comes soonest, seek and rotation together (shortest positioning time first)
//
// Equal ones go in order of arrival. Sources: Denning 1967 (SCAN); Jacobson and Wilkes 1991 (SPTF).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "storage/device.hpp"
#include "storage/timers.hpp"

namespace assay::storage {

enum class Order : std::uint8_t { fcfs, scan, sptf };

class Drive {
 public:
  using Done = std::function<void()>;
  Drive(Timers& timers, std::unique_ptr<Device> device, Order order);
  void submit(const Access& access, Done done);
  bool idle() const { return under_way_ == 0; }
  std::size_t waiting() const { return waiting_.size(); }
  Device& device() { return *device_; }
  Time busy() const { return busy_; }  // in which an access was under way, of those that ended
  std::uint64_t served() const { return served_; }

 private:
  struct Waiting {
    Access access;
    Done done;
  };
  std::size_t choose();
  void begin();

  Timers& timers_;
  std::unique_ptr<Device> device_;
  Order order_;
  std::deque<Waiting> waiting_;
  int under_way_ = 0;
  std::uint64_t arm_ = 0;  // cylinder of the last access
  bool inward_ = true;
  Time busy_ = 0;
  std::uint64_t served_ = 0;
};

}  // namespace assay::storage
