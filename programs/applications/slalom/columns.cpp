#include "applications/slalom/columns.hpp"

#include <cmath>

#include "applications/slalom/room.hpp"

namespace assay::applications::slalom {
namespace {

constexpr std::size_t at_once = 4;  // columns subtracted in one pass

// into -= first[...] * by[0] + ... : `at_once` columns of `stride` elements.
void subtract_four(double* __restrict into, const double* __restrict first, std::size_t stride,
                   const double (&by)[at_once], std::size_t count) {
  const double* __restrict second = first + stride;
  const double* __restrict third = second + stride;
  const double* __restrict fourth = third + stride;
  for (std::size_t i = 0; i < count; ++i)
    into[i] -= first[i] * by[0] + second[i] * by[1] + third[i] * by[2] + fourth[i] * by[3];
}
void subtract_one(double* __restrict into, const double* __restrict from, double by, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] -= from[i] * by;
}

}  // namespace

void factorise(double* panel, std::size_t width, std::size_t rows) {
  for (std::size_t band = 0; band < bands; ++band)
    for (std::size_t column = 0; column < width; ++column) {
      double* const own = panel + (band * width + column) * rows;
      const double root = std::sqrt(own[column]), inverse = 1 / root;
      own[column] = root;
      for (std::size_t row = column + 1; row < rows; ++row) own[row] *= inverse;
      for (std::size_t next = column + 1; next < width; ++next)
        subtract_one(panel + (band * width + next) * rows + next, own + next, own[next], rows - next);
    }
}

void subtract(double* panel, std::size_t width, std::size_t rows, const double* earlier, std::size_t earlier_width,
              std::size_t earlier_rows) {
  const std::size_t skipped = earlier_rows - rows;
  for (std::size_t band = 0; band < bands; ++band)
    for (std::size_t column = 0; column < width; ++column) {
      double* const into = panel + (band * width + column) * rows + column;
      const double* from = earlier + band * earlier_width * earlier_rows + skipped + column;
      std::size_t done = 0;
      for (; done + at_once <= earlier_width; done += at_once, from += at_once * earlier_rows) {
        const double by[at_once] = {from[0], from[earlier_rows], from[2 * earlier_rows], from[3 * earlier_rows]};
        subtract_four(into, from, earlier_rows, by, rows - column);
      }
      for (; done < earlier_width; ++done, from += earlier_rows) subtract_one(into, from, from[0], rows - column);
    }
}

void substitute(const double* panel, std::size_t width, std::size_t rows, const double* below, std::size_t stride,
                double* found) {
  for (std::size_t band = 0; band < bands; ++band)
    for (std::size_t column = width; column-- > 0;) {
      const double* const own = panel + (band * width + column) * rows;
      double left = own[rows - 1];
      for (std::size_t row = column + 1; row < width; ++row) left -= own[row] * found[band * width + row];
      for (std::size_t row = width; row + 1 < rows; ++row) left -= own[row] * below[band * stride + row - width];
      found[band * width + column] = left / own[column];
    }
}

}  // namespace assay::applications::slalom
