#include "applications/nas/ft_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "applications/nas/random.hpp"

namespace assay::applications::nas {
namespace {

constexpr std::size_t lanes = FtLines::lanes, element = 2 * lanes;

// Stockham's steps: `groups` transforms of length `length` become four (two) times as many of a quarter (half) of it.
void step_of_four(const double* __restrict from, double* __restrict into, std::size_t length, std::size_t groups,
                  const double* cosines, const double* sines, double sign) {
  const std::size_t quarter = length / 4;
  for (std::size_t p = 0; p < quarter; ++p) {
    const double c1 = cosines[p * groups], s1 = sign * sines[p * groups];
    const double c2 = cosines[2 * p * groups], s2 = sign * sines[2 * p * groups];
    const double c3 = cosines[3 * p * groups], s3 = sign * sines[3 * p * groups];
    for (std::size_t q = 0; q < groups; ++q) {
      const double* const a = from + (q + groups * p) * element;
      const double* const b = a + groups * quarter * element;
      const double* const c = b + groups * quarter * element;
      const double* const d = c + groups * quarter * element;
      double* const y0 = into + (q + groups * 4 * p) * element;
      double* const y1 = y0 + groups * element;
      double* const y2 = y1 + groups * element;
      double* const y3 = y2 + groups * element;
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t i = l + lanes;
        const double sum_re = a[l] + c[l], sum_im = a[i] + c[i], diff_re = a[l] - c[l], diff_im = a[i] - c[i];
        const double more_re = b[l] + d[l], more_im = b[i] + d[i];
        const double turn_re = -sign * (b[i] - d[i]), turn_im = sign * (b[l] - d[l]);
        y0[l] = sum_re + more_re;
        y0[i] = sum_im + more_im;
        const double one_re = diff_re + turn_re, one_im = diff_im + turn_im;
        y1[l] = one_re * c1 - one_im * s1;
        y1[i] = one_re * s1 + one_im * c1;
        const double two_re = sum_re - more_re, two_im = sum_im - more_im;
        y2[l] = two_re * c2 - two_im * s2;
        y2[i] = two_re * s2 + two_im * c2;
        const double three_re = diff_re - turn_re, three_im = diff_im - turn_im;
        y3[l] = three_re * c3 - three_im * s3;
        y3[i] = three_re * s3 + three_im * c3;
      }
    }
  }
}

void step_of_two(const double* __restrict from, double* __restrict into, std::size_t groups) {
  for (std::size_t at = 0; at < groups * element; ++at) {
    const double a = from[at], b = from[at + groups * element];
    into[at] = a + b;
    into[at + groups * element] = a - b;
  }
}

}  // namespace

FtLines::FtLines(std::size_t length) : length_(length), work_(length * element), other_(length * element) {
  for (std::size_t k = 0; k < length; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    cosines_.push_back(std::cos(angle));
    sines_.push_back(std::sin(angle));
  }
}

// Steps of four, and one of two at the end where the length is no power of four.
const double* FtLines::butterflies(double sign) {
  double *from = work_.data(), *into = other_.data();
  std::size_t groups = 1;
  for (std::size_t length = length_; length > 1; std::swap(from, into)) {
    if (length >= 4) {
      step_of_four(from, into, length, groups, cosines_.data(), sines_.data(), sign);
      length /= 4;
      groups *= 4;
    } else {
      step_of_two(from, into, groups);
      length /= 2;
      groups *= 2;
    }
  }
  return from;
}

void FtLines::walk(Complex* from, Complex* into, std::size_t count, std::size_t apart, std::size_t stride, bool inverse,
                   const double* factors, const double* of_line) {
  for (std::size_t line = 0; line < count; line += lanes) {
    const std::size_t held = std::min(lanes, count - line);
    Complex* const begin = from + line * apart;
    for (std::size_t k = 0; k < length_; ++k) {
      double* const to = work_.data() + k * element;
      for (std::size_t l = 0; l < held; ++l) {
        Complex& here = begin[l * apart + k * stride];
        if (factors) here *= factors[k] * of_line[line + l];
        to[l] = here.real();
        to[l + lanes] = here.imag();
      }
    }
    const double* const found = butterflies(inverse ? 1.0 : -1.0);
    Complex* const out = into + line * apart;
    for (std::size_t k = 0; k < length_; ++k) {
      const double* const one = found + k * element;
      for (std::size_t l = 0; l < held; ++l) out[l * apart + k * stride] = {one[l], one[l + lanes]};
    }
  }
}

void ft_fill(Complex* data, std::size_t first, std::size_t count, std::size_t plane) {
  Random random(314159265);
  random.skip(2 * plane * first);
  for (std::size_t i = 0; i < count * plane; ++i) {
    const double real = random.next();
    data[i] = {real, random.next()};
  }
}

}  // namespace assay::applications::nas
