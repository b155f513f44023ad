// Latencies in log-linear buckets: each octave in 64 equal parts, so that a bucket's middle is within 1% of all that is
// in it (1/128); below 128 ns each nanosecond has a bucket. Histograms of several seconds, processes and launches merge
// by adding up. After HdrHistogram (G. Tene).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "timing/output.hpp"

namespace assay::timing {

class Histogram {
 public:
  static constexpr int parts = 64;  // of an octave

  static std::size_t bucket_of(std::int64_t ns) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns));
    if (value < 2 * parts) return static_cast<std::size_t>(value);
    const int octave = std::bit_width(value) - std::bit_width(static_cast<unsigned>(parts));  // from 1 on
    return static_cast<std::size_t>(octave * parts) + static_cast<std::size_t>(value >> octave);
  }
  // The middle of a bucket, ns.
  static double middle(std::size_t bucket) {
    if (bucket < 2 * parts) return static_cast<double>(bucket);
    const int octave = static_cast<int>(bucket) / parts - 1;
    const auto low = static_cast<double>(bucket % parts + parts);
    return std::ldexp(low + 0.5, octave) - 0.5;
  }

  void add(std::int64_t ns, std::int64_t times = 1) {
    const std::size_t bucket = bucket_of(ns);
    if (bucket >= counts_.size()) counts_.resize(bucket + 1);
    counts_[bucket] += times;
    count_ += times;
    most_ = std::max(most_, ns);
  }
  void merge(const Histogram& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t at = 0; at < other.counts_.size(); ++at) counts_[at] += other.counts_[at];
    count_ += other.count_;
    most_ = std::max(most_, other.most_);
  }
  std::int64_t count() const { return count_; }
  std::int64_t most() const { return most_; }  // ns, exact

  // The least value that a share `q` of all are not above, s; NaN of none.
  double quantile(double q) const {
    const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(q * static_cast<double>(count_))));
    std::int64_t seen = 0;
    for (std::size_t at = 0; at < counts_.size(); ++at)
      if ((seen += counts_[at]) >= rank) return 1e-9 * middle(at);
    return std::numeric_limits<double>::quiet_NaN();
  }
  // {"buckets": [...], "counts": [...]} of those that hold any.
  Json json() const {
    std::vector<std::string> buckets, counts;
    for (std::size_t at = 0; at < counts_.size(); ++at)
      if (counts_[at] > 0) {
        buckets.push_back(std::to_string(at));
        counts.push_back(std::to_string(counts_[at]));
      }
    return Json().list("buckets", buckets).list("counts", counts);
  }

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0, most_ = 0;
};

}  // namespace assay::timing
