// A job of a batch system: what was asked for, and what became of it. Times in whole seconds.
#pragma once
#include <cstdint>

namespace assay::batch {

using Seconds = std::int64_t;
constexpr Seconds never = -1;

struct Job {
  Seconds submitted = 0, runs = 0, requested = 0;  // a job never outlives what it requested: runs <= requested
  std::int32_t processors = 1;
  std::int32_t user = 0;
  double priority = 0;  // of two jobs submitted together, the higher goes first where the policy knows priorities
  Seconds started = never;
  std::int32_t group = 0;  // which limits apply to it (limits.hpp)
};

}  // namespace assay::batch
