// Who else used this host while a block ran: CPU time of all from /proc/stat, our own from getrusage, how long our
// threads waited for a processor, switches, faults, frequency, joules where they can be read. Read before and after a
// block, never inside a timed region; some 40 us per reading, and 10 us for each further thread.
#pragma once

#include "timing/clock.hpp"
#include "timing/joules.hpp"
#include "timing/output.hpp"

namespace assay::timing {

struct Accounting {   // a reading of counters, or the difference of two
  double steal = 0;   // s, taken by the hypervisor from this host's CPUs
  double busy = 0;    // s, CPU time of all processes on this host
  double own = 0;     // s, CPU time of this process and its children
  double wall = 0;    // s
  double waited = 0;  // s, sum over our threads: ready to run, on no processor; NaN where the kernel does not say
  std::int64_t involuntary = 0, voluntary = 0, minor_faults = 0, major_faults = 0;
  double frequency = 0;  // Hz of the CPU we run on, 0 where the kernel does not say
  Energy energy{};

  Accounting since(const Accounting& start) const;
  // `others` is what is busy beyond `ours` (this process alone unless the caller sums several); the kernel counts in
  // ticks of some 10 ms, so that a short block may come out below zero, which reads as zero.
  Json json(double ours) const;
  Json json() const { return json(own); }
};

Accounting read_accounting();

}  // namespace assay::timing
