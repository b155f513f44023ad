// The measured loop. One reading covers `batch` operations and, where the operation has a part to subtract (an empty
// loop), a second reading of that part right after it. The loop does nothing but run, read the clock and store into
// memory that was touched before; rules are asked between readings, at their fixed looks.
#pragma once

#include <algorithm>
#include <functional>
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
  static constexpr std::size_t most = std::size_t{1} << 14;  // samples of a block that are kept
  static constexpr double surely = 0.02;                     // s, more than a scheduler's interruption

  explicit Sampler(Reading clock = now_ns) : clock_(std::move(clock)), main_(most, 1), part_(most, 1) {}

  // One reading, s.
  double once(const Work& work, std::int64_t operations) const {
    const std::int64_t from = clock_();
    work(operations);
    return 1e-9 * static_cast<double>(clock_() - from);
  }

  // The least power of two times `unit` whose reading lasts `target` seconds, so that the clock's own cost and tick
  // are negligible; also warms the operation up. A reading disturbed once cannot end the search: the least of two
  // counts, but where one was so long that a second would be waste. `before`: what `unit` took before, s, which is the
  // second where it was about as long: no cost of a first call is in it then.
  std::int64_t calibrate(const Work& work, std::int64_t unit, double target, double before = 0) const {
    std::int64_t batch = unit;
    for (; batch < (std::int64_t{1} << 50); batch *= 2, before = 0) {
      const double first = once(work, batch);
      const bool twice = before >= target && before <= 2 * first;
      if (first >= target && (twice || first >= std::max(8 * target, surely) || once(work, batch) >= target)) break;
    }
    return batch;
  }

  Samples block(const Work& work, const Work& part, std::int64_t batch, const StoppingRule& rule) {
    Samples samples;
    std::size_t count = 0;
    std::size_t look = 1;
    std::int64_t spent = 0;
    std::optional<std::string> why;
    do {
      for (; count < look; ++count) {
        const std::int64_t start = clock_();
        work(batch);
        const std::int64_t between = clock_();
        if (part) {
          part(batch);
          const std::int64_t end = clock_();
          part_[count] = end - between;
          spent += end - between;
        }
        main_[count] = between - start;
        spent += between - start;
      }
      look = std::min(next_look(count), most);
      why = rule.stop(count, 1e-9 * static_cast<double>(spent));
      if (!why && count == most) why = "sample store full";
    } while (!why);
    samples.ended = *why;
    const double scale = 1e9 * static_cast<double>(batch);  // a quotient rounds once, so that values print short
    for (std::size_t at = 0; at < count; ++at) {
      samples.values.push_back(static_cast<double>(main_[at] - (part ? part_[at] : 0)) / scale);
      if (part) samples.subtracted.push_back(static_cast<double>(part_[at]) / scale);
    }
    return samples;
  }

 private:
  Reading clock_;
  std::vector<std::int64_t> main_, part_;  // ns
};

}  // namespace assay::timing
