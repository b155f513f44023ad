// What is kept of a run while it goes: means, variances and quantiles of whole numbers of cycles, batch means for
// intervals (the run cut into equal stretches of time, each message counted in the stretch in which its head arrives),
// and the backlog at the end of each stretch, by which saturation is judged.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::network {

/// Counts of whole numbers: exact below 1024, then 64 bins an octave (a quantile is right to 1.6%).
class Histogram {
 public:
  void add(std::uint32_t value) { ++bins_[bin(value)]; }
  [[nodiscard]] double quantile(double share) const {
    std::uint64_t total = 0;
    for (const auto count : bins_) total += count;
    if (total == 0) return std::nan("");
    const double wanted = share * static_cast<double>(total);
    double seen = 0;
    for (std::uint32_t i = 0; i < bins; ++i)
      if (bins_[i] != 0 && (seen += static_cast<double>(bins_[i])) >= wanted) return middle(i);
    return middle(bins - 1);
  }
  /// Calls with (value, count) of every bin that is not empty, a bin's middle standing for it.
  template <class Call>
  void each(Call call) const {
    for (std::uint32_t i = 0; i < bins; ++i)
      if (bins_[i] != 0) call(middle(i), bins_[i]);
  }

 private:
  static constexpr std::uint32_t exact = 1024, bins = exact + 22 * 64;
  static std::uint32_t bin(std::uint32_t value) {
    if (value < exact) return value;
    const auto top = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
    return exact + (top - 10) * 64 + ((value >> (top - 6)) & 63);
  }
  static double middle(std::uint32_t bin) {
    if (bin < exact) return bin;
    const std::uint32_t top = (bin - exact) / 64 + 10, step = (bin - exact) % 64;
    return std::ldexp(64.0 + step + 0.5, static_cast<int>(top) - 6);
  }
  std::vector<std::uint64_t> bins_ = std::vector<std::uint64_t>(bins, 0);
};

/// A stream of whole numbers: count, mean, standard deviation.
struct Moments {
  std::uint64_t count = 0, sum = 0;
  double squares = 0;  // sums of whole numbers: exact up to 2^53
  void add(std::uint32_t value) {
    ++count;
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  [[nodiscard]] double mean() const {
    return count == 0 ? std::nan("") : static_cast<double>(sum) / static_cast<double>(count);
  }
  [[nodiscard]] double deviation() const {
    if (count < 2) return std::nan("");
    const double n = static_cast<double>(count), total = static_cast<double>(sum);
    return std::sqrt(std::max(0.0, (squares - total * total / n) / (n - 1)));
  }
};

/// One kind of latency: moments, quantiles, and the means of the batches. Values wait in a small buffer, so that the
/// engine spends one store on each.
struct Latency {
  Moments all;
  Histogram histogram;
  std::vector<Moments> batches;
  void add(std::uint32_t value) {
    buffer_[filled_] = value;
    if (++filled_ == buffer_.size()) [[unlikely]]
      flush();
  }
  void begin(std::size_t count) { batches.assign(count, {}); }
  void turn(std::size_t to) {
    flush();
    batch_ = to;
  }
  /// Once, at the end: the batches' sums are the whole's.
  void finish() {
    flush();
    for (const auto& part : batches) all.count += part.count, all.sum += part.sum;
  }

 private:
  [[gnu::noinline]] void flush() {
    if (filled_ == 0) return;
    std::uint64_t sum = 0;
    double squares = 0;
    for (std::uint32_t i = 0; i < filled_; ++i) {
      sum += buffer_[i];
      squares += static_cast<double>(buffer_[i]) * buffer_[i];
      histogram.add(buffer_[i]);
    }
    batches[batch_].count += filled_;
    batches[batch_].sum += sum;
    all.squares += squares;
    filled_ = 0;
  }
  std::size_t batch_ = 0;
  std::uint32_t filled_ = 0;
  std::array<std::uint32_t, 256> buffer_;
};

/// Saturation within one run: the backlog of the last quarter lies above that of the second by more than half and by
/// more than either's scatter explains. (Surer, and the front's: a run four times as long.)
inline bool grows(const std::vector<std::uint64_t>& backlog) {
  const std::size_t n = backlog.size();
  if (n < 8) return false;
  Moments early, late;
  for (std::size_t i = n / 4; i < n / 2; ++i) early.add(static_cast<std::uint32_t>(backlog[i]));
  for (std::size_t i = n - n / 4; i < n; ++i) late.add(static_cast<std::uint32_t>(backlog[i]));
  const double rise = late.mean() - early.mean();
  const double share = static_cast<double>(late.count);
  const double scatter = std::sqrt((early.deviation() * early.deviation() + early.mean()) / share);
  return rise > 0.3 * early.mean() + 8 * scatter + 8;
}

}  // namespace assay::network
