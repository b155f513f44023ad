// Where a float64 function's errors are greatest: a range is cut into parts, each is looked at in a few arguments by
// the C library's long double function, and the parts that look worst are cut again. A screen errs by up to 0.005 ulp:
// what it finds is judged anew by the caller.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/intrinsics/argument.hpp"
#include "kernels/intrinsics/functions.hpp"
#include "kernels/intrinsics/ranges.hpp"
#include "kernels/intrinsics/reference.hpp"

namespace assay::kernels {

// Doubles in their order as whole numbers, neighbours one apart.
inline std::int64_t place_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
inline double at_place(std::int64_t place) {
  return std::bit_cast<double>(place >= 0 ? place : std::numeric_limits<std::int64_t>::min() - place);
}

class Screen {
 public:
  // The worst arguments found by cutting `cuts` times; none for functions of two arguments, and where long double is no
  // wider than double.
  Screen(Loop<double> loop, const Reference& of, const Range& range, int cuts) : loop_(loop), of_(of) {
    if (!of.one || !long_is_wider) return;
    const bool every = range.spacing == Spacing::every_pattern;
    const double last = std::numeric_limits<double>::max();
    const std::int64_t low = place_of(every ? -last : range.low), high = place_of(every ? last : range.high);
    const auto width =
        std::max<std::uint64_t>(1, (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) / first_parts);
    std::vector<Part> parts;
    for (std::uint64_t part = 0; part < first_parts; ++part)
      parts.push_back(look({low + static_cast<std::int64_t>(part * width), width, 0}, first_looks));
    for (int cut = 0; cut < cuts; ++cut) {
      const auto most = static_cast<std::ptrdiff_t>(std::min(parts.size(), kept_parts));
      std::partial_sort(parts.begin(), parts.begin() + most, parts.end(), [](const Part& a, const Part& b) {
        return a.worst != b.worst ? a.worst > b.worst : a.from < b.from;
      });
      std::vector<Part> finer;
      for (auto part = parts.begin(); part != parts.begin() + most; ++part)
        for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
          const std::uint64_t less = std::max<std::uint64_t>(1, part->width / 4);
          finer.push_back(look({part->from + static_cast<std::int64_t>(quarter * less), less, 0}, looks));
        }
      parts = std::move(finer);
    }
  }

  // Descending by what the screen saw.
  const std::vector<Argument>& worst() const { return worst_; }

 private:
  struct Part {
    std::int64_t from;
    std::uint64_t width;
    double worst;
  };
  static constexpr std::uint64_t first_parts = 4096;  // of all doubles: about a power of two each
  static constexpr std::size_t kept_parts = 256, kept = 64;
  static constexpr int first_looks = 16, looks = 32;

  Part look(Part part, int times) {
    double x[looks], y[looks] = {}, made[looks];
    for (int i = 0; i < looks; ++i)
      x[i] = at_place(part.from + static_cast<std::int64_t>(scattered(state_ += 0x9e3779b97f4a7c15) % part.width));
    loop_(x, y, made, looks);
    for (int i = 0; i < times; ++i) {
      const double ulp = error_of<double, long double>(made[i], of_.one_long(x[i])).ulp;
      part.worst = std::max(part.worst, ulp);
      if (worst_.size() == kept && !(ulp > worst_.back().ulp)) continue;
      const auto at = std::find_if(worst_.begin(), worst_.end(), [&](const Argument& each) { return ulp > each.ulp; });
      worst_.insert(at, {x[i], 0, ulp});
      if (worst_.size() > kept) worst_.pop_back();
    }
    return part;
  }

  Loop<double> loop_;
  const Reference& of_;
  std::uint64_t state_ = 1;
  std::vector<Argument> worst_;
};

}  // namespace assay::kernels
