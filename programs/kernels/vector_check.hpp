// What the vector kernels' inputs and outputs hold, and the comparison of what a kernel left with what it should have:
// every element, and every place that is no element. In blocks, so that the inputs' values are found once an element
// and only those that the kernel reads: the check of 3.2 million elements costs about as much as a pass over them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/vector_kernels.hpp"

namespace assay::kernels {

// The whole numbers 1 to 7 by their place in the inputs; they come again after 77 places.
class InputValues {
 public:
  static constexpr std::int64_t period = 77;
  constexpr InputValues() {
    for (std::int64_t place = 0; place < period; ++place)
      values_[static_cast<std::size_t>(place)] = 1 + (3 * place + place / 11) % 7;
  }
  constexpr std::int64_t operator()(std::int64_t place) const {
    return values_[static_cast<std::uint64_t>(place) % period];
  }

 private:
  std::array<std::int64_t, period> values_{};
};
inline constexpr InputValues input_value;

// What the output holds before a kernel runs: numbers that it adds to, or one that nothing computes.
class OutputBefore {
 public:
  explicit constexpr OutputBefore(bool adds_to) : adds_to_(adds_to) {}
  constexpr std::int64_t whole(std::int64_t place) const {
    return adds_to_ ? 8 + static_cast<std::int64_t>(static_cast<std::uint64_t>(place) % 5) : 0;
  }
  constexpr double operator()(std::int64_t place) const {
    return adds_to_ ? static_cast<double>(whole(place)) : -77.25;
  }
  void fill(double* z, std::int64_t places) const {
    for (std::int64_t place = 0; place < std::min<std::int64_t>(5, places); ++place) z[place] = (*this)(place);
    for (std::int64_t place = 5; place < places; ++place) z[place] = z[place - 5];
  }

 private:
  bool adds_to_;
};

// Whether an element is the quotient that is expected of it: exactly but for a quotient's last bit.
inline bool is_quotient(double found, const Ratio& expected) {
  if (expected.under == 1) return found == static_cast<double>(expected.over);
  const long double over = static_cast<long double>(expected.over), under = static_cast<long double>(expected.under);
  const long double off = static_cast<long double>(found) * under - over;
  return std::abs(off) <= std::abs(over) * 0x1p-52L;
}

// Where the elements of a case lie: `index` of n + 2 places, each once, else 0, stride, 2 stride, …
struct Places {
  std::int64_t n, stride, all;  // elements, doubles between two of them, doubles of the output
  const std::int32_t* index;
  std::int64_t operator()(std::int64_t i) const { return index ? index[i] : stride * i; }
};

// How many elements and other places of the output `z` are not as they must be after one pass; `result`: what the
// kernel returned. `offsets`: the first place of each input, by its number in the order x, y, u, v of those there are.
inline std::int64_t count_wrong(const Kernel& kernel, const Places& at, const double* z, double result,
                                const std::array<std::int64_t, 4>& offsets) {
  const OutputBefore before(kernel.adds_to);
  std::int64_t wrong = 0;
  Past past;
  Expected expected{};
  Inputs in{};
  const auto take = [&](bool reads, std::int64_t offset, std::int64_t from, std::int64_t count, Inputs::Values& out) {
    for (std::int64_t k = 0; reads && k < count; ++k)
      out[static_cast<std::size_t>(k)] = input_value(offset + at(from + k));
  };
  for (std::int64_t from = 0, count = 0; from < at.n; from += count) {
    count = std::min(Inputs::block, at.n - from);
    take(kernel.x, offsets[0], from, count + 2, in.x);
    take(kernel.y, offsets[kernel.x], from, count, in.y);
    take(kernel.uv, offsets[2], from, count, in.u);
    take(kernel.uv, offsets[3], from, count, in.v);
    for (std::int64_t k = 0; kernel.adds_to && k < count; ++k)
      in.z[static_cast<std::size_t>(k)] = before.whole(at(from + k));
    kernel.expect(in, from, count, past, expected);
    for (std::int64_t k = 0; kernel.writes && k < count; ++k)
      wrong += !is_quotient(z[at(from + k)], expected[static_cast<std::size_t>(k)]);
    if (!kernel.writes && from + count == at.n)
      wrong += !is_quotient(result, expected[static_cast<std::size_t>(count - 1)]);
  }
  const auto must_be_kept = [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t place = first; place < end; ++place) wrong += z[place] != before(place);
  };
  if (!kernel.writes) {
    must_be_kept(0, at.all);
  } else if (at.index) {
    for (const std::int64_t i : {at.n, at.n + 1}) must_be_kept(at(i), at(i) + 1);
    must_be_kept(at.n + 2, at.all);
  } else {
    for (std::int64_t i = 0; i < at.n; ++i) must_be_kept(at(i) + 1, at(i + 1));
    must_be_kept(at(at.n), at.all);
  }
  return wrong;
}

}  // namespace assay::kernels
