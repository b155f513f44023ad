// The factors of a matrix product on a device, and how the host checks it. Nothing here is shared with what multiplies:
//
// - Numbers from -1 to 1, rounded to the type: rows of the result against a float64 product, each element
//   within (n + 2) u_s + 3 u_t of |a| |b| (Higham 2002, section 3.5): u_s of the type that sums are added up in, u_t of
//   the type of the result, where that is another one.
// - Whole numbers from -2 to 2, whose products every type adds up without error: with x of random signs, c x = a (b x)
//   exactly (Freivalds 1977), which one wrong element in all of c breaks.
//
// No matrix is in the host's memory: an element of a factor follows from its place and the seed, and what goes to the
// device and back does so in pieces.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "devices/numbers.hpp"
#include "devices/pieces.hpp"
#include "timing/program.hpp"

namespace assay::devices {

inline Element result_of(Element type) {
  return type == Element::int8 ? Element::int32 : type == Element::float8 ? Element::bfloat16 : type;
}

class ProductCheck {
 public:
  ProductCheck(std::shared_ptr<Device> device, Element type, std::int64_t n, std::uint64_t seed)
      : device_(std::move(device)), type_(type), n_(n), seed_(seed) {
    a = device_->allocate(n * n * bytes_of(type));
    b = device_->allocate(n * n * bytes_of(type));
    c = device_->allocate(n * n * bytes_of(result_of(type)));
    put_factors(false);
  }

  // The greatest error as a share of its bound, over some rows of a product made now.
  double error(const std::function<void()>& multiply) {
    make_product(multiply, false);
    const double sums = type_ == Element::float64 ? 0x1p-53 : type_ == Element::int8 ? 0 : 0x1p-24;
    // Hopper's matrix engines add up products of float8 with about 14 bits (DeepSeek-V3 technical report, arXiv
    // 2412.19437, section 3.5.2): together with the result's rounding within 3 units of bfloat16.
    const bool same = type_ == Element::float64 || type_ == Element::float32;
    const double rounded = same ? 0 : unit_roundoff(result_of(type_));
    const double relative = static_cast<double>(n_ + 2) * sums + 3 * rounded;
    const std::vector<std::int64_t> rows = chosen_rows();
    const auto n = static_cast<std::size_t>(n_);
    std::vector<std::vector<double>> sum(rows.size(), std::vector<double>(n)), size = sum;
    std::vector<double> right(n);
    for (std::int64_t k = 0; k < n_; ++k) {
      for (std::size_t j = 0; j < n; ++j) right[j] = factor(1, k, static_cast<std::int64_t>(j));
      for (std::size_t at = 0; at < rows.size(); ++at) {
        const double left = factor(0, rows[at], k);
        for (std::size_t j = 0; j < n; ++j) {
          sum[at][j] += left * right[j];
          size[at][j] += std::abs(left * right[j]);
        }
      }
    }
    worst_ = 0, compared_ = 0;
    each_result([&](std::int64_t row, std::int64_t column, double found) {
      const auto at = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
      if (at == rows.size() || rows[at] != row) return;
      const auto j = static_cast<std::size_t>(column);
      const double off = std::abs(found - sum[at][j]), allowed = relative * size[at][j];
      const double share = off == 0 ? 0 : allowed > 0 ? off / allowed : INFINITY;
      worst_ = std::isnan(share) ? INFINITY : std::max(worst_, share);
      ++compared_;
    });
    return std::min(worst_, 1e30);
  }

  timing::Check within_bound() const {
    char words[120];
    std::snprintf(words, sizeof words, "%lld elements compared, the worst at %.3g of its bound",
                  static_cast<long long>(compared_), worst_);
    return {worst_ <= 1, words};
  }

  timing::Check whole_numbers(const std::function<void()>& multiply) {
    make_product(multiply, true);
    const auto n = static_cast<std::size_t>(n_);
    std::uint64_t state = seed_ + 9;
    std::int64_t bad = 0;
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<double> signs(n), right(n), expected(n), found(n);
      for (double& each : signs) each = timing::random_bits(state) & 1 ? 1 : -1;
      for (const auto& [which, from, to] : {std::tuple{1, &signs, &right}, std::tuple{0, &right, &expected}})
        for (std::int64_t row = 0; row < n_; ++row)
          for (std::size_t k = 0; k < n; ++k)
            (*to)[static_cast<std::size_t>(row)] += factor(which, row, static_cast<std::int64_t>(k)) * (*from)[k];
      each_result([&](std::int64_t row, std::int64_t column, double value) {
        found[static_cast<std::size_t>(row)] += value * signs[static_cast<std::size_t>(column)];
      });
      for (std::size_t row = 0; row < n; ++row) bad += found[row] != expected[row];
    }
    return {bad == 0, "of a product of whole numbers " + std::to_string(bad) + " row sums wrong"};
  }

  std::shared_ptr<Memory> a, b, c;

 private:
  static constexpr int most_rows = 16;
  std::vector<std::int64_t> chosen_rows() const {  // the first, the last and some others, in order
    std::vector<std::int64_t> rows{0, n_ - 1};
    std::uint64_t state = seed_ + 5;
    while (rows.size() < most_rows)
      rows.push_back(static_cast<std::int64_t>(timing::random_bits(state) % static_cast<std::uint64_t>(n_)));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
  }
  // An element of the left factor (0) or of the right one (1), as it is on the device; its bytes in `to`, at place
  // `at`.
  double put_factor(std::vector<char>& to, std::size_t at, int which, std::int64_t row, std::int64_t column) const {
    constexpr std::uint64_t step = 0x9e3779b97f4a7c15;  // of random_bits from a number to the next
    std::uint64_t state = seed_ + step * static_cast<std::uint64_t>((which * n_ + row) * n_ + column);
    const std::uint64_t bits = timing::random_bits(state);
    // from -2 to 2, in short types from -1 to 1 and mostly 0, so that sums stay where whole numbers are exact
    const double number = !small_                           ? std::ldexp(static_cast<double>(bits >> 11), -52) - 1
                          : bytes_of(result_of(type_)) == 2 ? (bits % 64 == 0   ? 1
                                                               : bits % 64 == 1 ? -1
                                                                                : 0)
                                                            : static_cast<double>(bits % 5) - 2;
    return put(to, type_, at, number);
  }
  double factor(int which, std::int64_t row, std::int64_t column) { return put_factor(one_, 0, which, row, column); }
  void put_factors(bool whole) {
    small_ = whole || type_ == Element::int8;
    for (const int which : {0, 1}) {
      const bool turned = type_ == Element::float8 && which == 1;  // it is column after column on the device
      send(*device_, which == 0 ? a : b, bytes_of(type_),
           [&](std::vector<char>& piece, std::int64_t first, std::int64_t count) {
             for (std::int64_t i = 0; i < count; ++i) {
               const std::int64_t outer = (first + i) / n_, inner = (first + i) % n_;
               put_factor(piece, static_cast<std::size_t>(i), which, turned ? inner : outer, turned ? outer : inner);
             }
           });
    }
  }
  void make_product(const std::function<void()>& multiply, bool whole) {
    put_factors(whole);
    fill<char>(*device_, c, [](std::int64_t) { return 0x7b; });  // a sentinel
    multiply();
    device_->finish();
  }
  template <class Each>
  void each_result(Each each) {
    const Element type = result_of(type_);
    fetch(*device_, c, bytes_of(type), [&](const std::vector<char>& piece, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        each((first + i) / n_, (first + i) % n_, get(piece, type, static_cast<std::size_t>(i)));
    });
  }

  std::shared_ptr<Device> device_;
  Element type_;
  std::int64_t n_;
  std::uint64_t seed_;
  bool small_ = false;
  std::vector<char> one_ = std::vector<char>(8);
  double worst_ = INFINITY;
  std::int64_t compared_ = 0;
};

}  // namespace assay::devices
