// Bytes that memory really moved, by the memory controllers' own counters where the kernel shows them (uncore_imc,
// Intel) and lets this process read them (perf_event_paranoid, or CAP_PERFMON). Elsewhere there are none, and `why`
// says so.
#pragma once

#include <string>
#include <vector>

#include "timing/kernel_counters.hpp"

namespace assay::memory {

struct Traffic {
  double read = 0, written = 0;  // bytes, of the whole machine
};

class TrafficCounters {
 public:
  // `system` is "/" but in tests.
  explicit TrafficCounters(const std::string& system = "/", const timing::OpenCounter& open = {});
  ~TrafficCounters();
  TrafficCounters(const TrafficCounters&) = delete;
  TrafficCounters& operator=(const TrafficCounters&) = delete;

  bool readable() const { return why_.empty(); }
  const std::string& why() const { return why_; }  // there is nothing to read; "" where there is
  Traffic read() const;                            // since they were opened

 private:
  struct Counter {
    int file;
    double bytes;  // a count
    bool writes;
  };
  std::vector<Counter> counters_;
  std::string why_;
};

}  // namespace assay::memory
