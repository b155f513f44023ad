// A solid-state device of channels: pages lie round robin over the channels, and on each over its dies.
//
//   read   controller: overhead | a die reads the page | its channel moves the bytes | the link moves them | done
//   write  controller: overhead | the link | the channel moves the bytes | the die programs the page | done
//
// A die keeps the page in its one register: it begins the next page when the one before has left by the channel, or has
// been programmed. A page of which only a part is written is read first. A channel, and the link to the host, pass one
// page at a time, whichever comes first. An access is done when its last page is. There is no garbage collection:
// what is written over costs what new pages do. After Agrawal et al., Design tradeoffs for SSD performance (2008), and
// Dirik and Jacob, The performance of PC solid-state disks (2009).
#pragma once

#include <deque>
#include <vector>

#include "storage/device.hpp"

namespace assay::storage {

struct SolidStateParameters {
  std::uint32_t channels = 1, dies = 1;       // dies: of a channel
  std::uint64_t page = 4096;                  // bytes
  Time read = 0, program = 0;                 // of a page, by a die
  double channel_per_byte = 0, per_byte = 0;  // ps; per_byte: of the link
  Time overhead = 0;                          // of the controller, before each access
  int at_once = 1;
  std::uint64_t capacity = std::uint64_t{1} << 50;  // bytes
};

// What passes one thing at a time: each takes the first gap that is long enough once it is ready.
class Passage {
 public:
  // When it has passed; `now`: no one will ask for a time before it any more.
  Time pass(Time now, Time ready, Time takes);

 private:
  struct Taken {
    Time from, until;
  };
  std::deque<Taken> taken_;  // in order of time, none touching the next
};

class SolidState final : public Device {
 public:
  explicit SolidState(const SolidStateParameters& parameters);
  Time serve(Time now, const Access& access) override;
  int at_once() const override { return device_.at_once; }
  Time positioning(Time, const Access&) const override { return device_.overhead; }
  std::uint64_t cylinder(std::uint64_t address) const override { return address; }
  std::uint64_t capacity() const override { return device_.capacity; }

 private:
  Time read(Time now, Time ready, std::uint64_t page, std::uint64_t bytes);
  Time write(Time now, Time ready, std::uint64_t page, std::uint64_t bytes);

  SolidStateParameters device_;
  std::vector<Passage> channels_;
  std::vector<Time> dies_;  // when each is free, channel by channel
  Passage link_;
};

}  // namespace assay::storage
