// The factors of a matrix product on a device, and how the host checks it. Nothing here is shared with what multiplies:
//
// - Numbers from -1 to 1, rounded to the type: rows of the result against a float64 product, each element
//   within (n + 2) u_s + 3 u_t of |a| |b| (Higham 2002, section 3.5): u_s of the type that sums are kept in, u_t of the
//   type of the result, where that is another one.
// - Whole numbers from -2 to 2, whose products every type adds up without error: with x of random signs, c x = a (b x)
//   exactly (Freivalds 1977), which one wrong element in all of c breaks.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "devices/numbers.hpp"
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
    put_factors(false);
    clear_result();
    multiply();
    device_->finish();
    fetch_result();
    const bool whole = type_ == Element::int8;
    const double sums = type_ == Element::float64 ? 0x1p-53 : whole ? 0 : 0x1p-24;
    // Of float8 matrix engines keep sums of 128 terms to 14 bits: together with the result's rounding 3 units of
    // bfloat16.
    const bool same = type_ == Element::float64 || type_ == Element::float32;
    const double rounded = same ? 0 : unit_roundoff(result_of(type_));
    const double relative = static_cast<double>(n_ + 2) * sums + 3 * rounded;
    worst_ = 0, compared_ = 0;
    std::vector<double> sum(static_cast<std::size_t>(n_)), size(sum.size());
    std::uint64_t state = seed_ + 5;
    for (int turn = 0; turn < most_rows; ++turn) {
      const auto row = turn == 0 ? std::int64_t{0}
                       : turn == 1
                           ? n_ - 1
                           : static_cast<std::int64_t>(timing::random_bits(state) % static_cast<std::uint64_t>(n_));
      std::fill(sum.begin(), sum.end(), 0.0);
      std::fill(size.begin(), size.end(), 0.0);
      for (std::int64_t k = 0; k < n_; ++k)
        for (std::int64_t j = 0; j < n_; ++j) {
          const double term = of(left_, row, k) * of(right_, k, j);
          sum[static_cast<std::size_t>(j)] += term;
          size[static_cast<std::size_t>(j)] += std::abs(term);
        }
      for (std::int64_t j = 0; j < n_; ++j) {
        const double off = std::abs(of(result_, row, j) - sum[static_cast<std::size_t>(j)]);
        const double allowed = relative * size[static_cast<std::size_t>(j)];
        const double share = off == 0 ? 0 : allowed > 0 ? off / allowed : INFINITY;
        worst_ = std::isnan(share) ? INFINITY : std::max(worst_, share);
        ++compared_;
      }
    }
    return std::min(worst_, 1e30);
  }

  timing::Check within_bound() const {
    char words[120];
    std::snprintf(words, sizeof words, "%lld elements compared, the worst at %.3g of its bound",
                  static_cast<long long>(compared_), worst_);
    return {worst_ <= 1, words};
  }

  timing::Check whole_numbers(const std::function<void()>& multiply) {
    put_factors(true);
    clear_result();
    multiply();
    device_->finish();
    fetch_result();
    std::int64_t bad = 0;
    std::uint64_t state = seed_ + 9;
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<double> signs(static_cast<std::size_t>(n_));
      for (double& each : signs) each = timing::random_bits(state) & 1 ? 1 : -1;
      const auto right = times(left_, times(right_, signs)), found = times(result_, signs);
      for (std::size_t row = 0; row < right.size(); ++row) bad += found[row] != right[row];
    }
    return {bad == 0, "of a product of whole numbers " + std::to_string(bad) + " row sums wrong"};
  }

  std::shared_ptr<Memory> a, b, c;

 private:
  static constexpr int most_rows = 16;
  double of(const std::vector<double>& matrix, std::int64_t row, std::int64_t column) const {
    return matrix[static_cast<std::size_t>(row * n_ + column)];
  }
  std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) const {
    std::vector<double> sums(x.size());
    for (std::int64_t row = 0; row < n_; ++row)
      for (std::int64_t k = 0; k < n_; ++k)
        sums[static_cast<std::size_t>(row)] += of(matrix, row, k) * x[static_cast<std::size_t>(k)];
    return sums;
  }
  void put_factors(bool whole) {
    std::uint64_t state = seed_;
    const bool small = whole || type_ == Element::int8;
    for (const auto& [to, values] : {std::pair{a, &left_}, std::pair{b, &right_}}) {
      std::vector<char> bytes(static_cast<std::size_t>(to->bytes));
      values->resize(static_cast<std::size_t>(n_ * n_));
      for (std::size_t at = 0; at < values->size(); ++at) {
        const std::uint64_t bits = timing::random_bits(state);
        // from -2 to 2, in short types from -1 to 1 and mostly 0, so that sums stay where whole numbers are exact
        const double number = !small                            ? std::ldexp(static_cast<double>(bits >> 11), -52) - 1
                              : bytes_of(result_of(type_)) == 2 ? (bits % 64 == 0   ? 1
                                                                   : bits % 64 == 1 ? -1
                                                                                    : 0)
                                                                : static_cast<double>(bits % 5) - 2;
        const auto n = static_cast<std::size_t>(n_);
        const bool turned = type_ == Element::float8 && values == &right_;  // it lies column after column
        (*values)[at] = put(bytes, type_, turned ? at % n * n + at / n : at, number);
      }
      device_->copy_in(*to, bytes.data(), to->bytes);
      device_->finish();
    }
  }
  void clear_result() {
    const std::vector<char> sentinel(static_cast<std::size_t>(c->bytes), 0x7b);
    device_->copy_in(*c, sentinel.data(), c->bytes);
    device_->finish();
  }
  void fetch_result() {
    std::vector<char> bytes(static_cast<std::size_t>(c->bytes));
    device_->copy_out(bytes.data(), *c, c->bytes);
    device_->finish();
    result_.resize(static_cast<std::size_t>(n_ * n_));
    for (std::size_t at = 0; at < result_.size(); ++at) result_[at] = get(bytes, result_of(type_), at);
  }

  std::shared_ptr<Device> device_;
  Element type_;
  std::int64_t n_;
  std::uint64_t seed_;
  std::vector<double> left_, right_, result_;
  double worst_ = INFINITY;
  std::int64_t compared_ = 0;
};

}  // namespace assay::devices
