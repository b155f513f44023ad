// The measured loop. One reading covers `batch` operations and, where the operation has a part to subtract (an empty
// loop), a second reading of that part right after it. The loop does nothing but run, read the clock and store into
// memory that was touched before; rules are asked between readings, at their fixed looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "timing/clock.hpp"
#include "timing/stopping.hpp"

namespace assay::timing {

using Work = std::function<void(std::int64_t)>;  // performs so many operations

// Readings of the clock, injected so that tests run without one.
using Reading = std::function<std::int64_t()>;  // ns

struct Samples {
  std::vector<double> values;      // s per operation, the subtracted part taken off
  std::vector<double> subtracted;  // s per operation, of that part; empty where there is none
  std::string ended;
};

class Sampler {
 public:
  static constexpr std::size_t most = std::size_t{1} << 14;  // samples of a block that are written
  static constexpr double surely = 0.02;                     // s, more than a scheduler's interruption

  explicit Sampler(Reading clock = now_ns) : clock_(std::move(clock)), main_(most, 1), part_(most, 1) {}

  // One reading, s.
  double once(const Work& work, std::int64_t operations) const;

  // The least power of two times `unit` whose reading lasts `target` seconds, so that the clock's own cost and tick
  // are negligible; also warms the operation up. A reading disturbed once cannot end the search: the least of two
  // counts, but where one was so long that a second would be waste. `before`: what `unit` took before, s, which is the
  // second where it was about as long: no cost of a first call is in it then.
  std::int64_t calibrate(const Work& work, std::int64_t unit, double target, double before = 0) const;

  Samples block(const Work& work, const Work& part, std::int64_t batch, const StoppingRule& rule);

 private:
  Reading clock_;
  std::vector<std::int64_t> main_, part_;  // ns
};

}  // namespace assay::timing
