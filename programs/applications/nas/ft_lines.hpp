// One-dimensional Fourier transforms of many lines, the measured loops of FT, compiled apart.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace assay::applications::nas {

using Complex = std::complex<double>;

// Transforms of one length, a power of two, without a factor: `lanes` lines at a time, step by step together.
class FtLines {
 public:
  static constexpr std::size_t lanes = 8;
  explicit FtLines(std::size_t length);
  // Bytes that the steps of a transform pass over again and again: `lanes` lines, and the next step's.
  static double memory(std::size_t length) { return static_cast<double>(2 * lanes * length * sizeof(Complex)); }

  // `count` lines whose elements are `stride` apart; each begins `apart` after the one before it. `inverse`: with the
  // other sign of the exponent. `factors`, where there are any: element k of each line is first multiplied by
  // factors[k] times of_line[line], and `kept`, of the same places, has the products.
  void transform(Complex* data, std::size_t count, std::size_t apart, std::size_t stride, bool inverse) {
    walk(data, data, count, apart, stride, inverse, nullptr, nullptr);
  }
  void transform_scaled(Complex* kept, Complex* into, std::size_t count, std::size_t apart, std::size_t stride,
                        const double* factors, const double* of_line) {
    walk(kept, into, count, apart, stride, true, factors, of_line);
  }

 private:
  void walk(Complex* from, Complex* into, std::size_t count, std::size_t apart, std::size_t stride, bool inverse,
            const double* factors, const double* of_line);
  const double* butterflies(double sign);

  std::size_t length_;
  std::vector<double> cosines_, sines_;  // of whole turns divided by the length
  std::vector<double> work_, other_;     // [element][re, im][lane]
};

// Random numbers as FT begins with them: planes `first` to `first` + count of `plane` elements.
void ft_fill(Complex* data, std::size_t first, std::size_t count, std::size_t plane);

}  // namespace assay::applications::nas
