#include "timing/sampler.hpp"

#include <algorithm>
#include <optional>

namespace assay::timing {

double Sampler::once(const Work& work, std::int64_t operations) const {
  const std::int64_t from = clock_();
  work(operations);
  return 1e-9 * static_cast<double>(clock_() - from);
}

std::int64_t Sampler::calibrate(const Work& work, std::int64_t unit, double target, double before) const {
  std::int64_t batch = unit;
  for (; batch < (std::int64_t{1} << 50); batch *= 2, before = 0) {
    const double first = once(work, batch);
    const bool twice = before >= target && before <= 2 * first;
    if (first >= target && (twice || first >= std::max(8 * target, surely) || once(work, batch) >= target)) break;
  }
  return batch;
}

Samples Sampler::block(const Work& work, const Work& part, std::int64_t batch, const StoppingRule& rule) {
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

}  // namespace assay::timing
