// EuroBen's mod2g: the two-dimensional Haar wavelet transform there and back (van der Steen 2000, sections 6.1.2.1 and
// 6.4.1, Table 6.13). The paper prints one size, 512 x 256, an intensity of 1/3 and four additions to one
// multiplication, and not the algorithm: ours is the textbook's, by rows, then by columns, on the quarter that holds
// the sums, with 2 flops per element and direction. BLAS and FFTW have no such transform, so that there is no library
// beside.
#include <cmath>
#include <map>
#include <memory>

#include "kernels/line_aligned.hpp"
#include "kernels/random_values.hpp"
#include "kernels/short_text.hpp"
#include "kernels/wavelet_kernel.hpp"
#include "timing/opaque.hpp"

constexpr std::string_view record = R"record(
name = "wavelet"
title = "2-D Haar wavelet transform (EuroBen mod2g)"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "two-dimensional Haar transform there and back on one thread, plain C++: 512 x 256 as EuroBen prints it, smaller and larger"
cost = "an addition and a multiplication for each element, direction and level: 64/3 (columns^2 - 1) flops there and back for a grid twice as high as wide; 32 bytes moved per element and direction; the paper counts 4 additions and subtractions to 1 multiplication, five eighths of ours"
check = "the way back gives what was given, the sum of squares is kept, and 32 coefficients are the inner products with Haar's functions in long double: each within the rounding of 2 log2(columns) passes of 3 roundings"
source = "van der Steen 2000, sections 6.1.2.1 and 6.4.1, Table 6.13; Haar 1910"
published = ["euroben.mod2g"]

[unit.kernel]
source = "kernels/loops/wavelet.cpp"

[parameter.size]
type = "integer"
default = [32, 256, 1024]
full = [32, 64, 128, 256, 512, 1024, 2048, 4096]
min = 2
max = 16384
unit = "1"
sweep = true
help = "columns, a power of two, with twice as many rows: 256 is the paper's 512 x 256"

[metric.time]
unit = "s"
help = "time of a transform and its inverse"

[figure.rate]
metric = "time"
formula = "64 / 3 * (size ** 2 - 1) / value"
unit = "flop/s"
better = "higher"
headline = true
help = "64/3 (columns^2 - 1) flops there and back"

[figure.rate_paper]
metric = "time"
formula = "40 / 3 * (size ** 2 - 1) / value"
unit = "flop/s"
better = "higher"
help = "by the paper's count, 4 additions and subtractions to 1 multiplication: of each pair, there and back (our reading)"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a transform and its inverse"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct Transform {
  explicit Transform(std::int64_t size)
      : rows(2 * size), columns(size), given(kernels::random_values(rows * columns, 1)), values(given), spare(given) {}
  kernels::HaarGrid grid() { return {rows, columns, values.data(), spare.data()}; }
  std::int64_t rows, columns;
  kernels::LineAlignedArray<double> given, values, spare;
};

struct Support {  // in one direction, of a function that changes its sign in the middle where it is a difference
  std::int64_t from, length;
  bool difference;
};

// Of what level `level` (0: of the whole direction of `count`) wrote to `place`: sums in front, differences behind.
Support support(std::int64_t count, std::int64_t level, std::int64_t place) {
  const std::int64_t half = count >> (level + 1), length = std::int64_t{2} << level;
  return {place % half * length, length, place >= half};
}

// The coefficient at (row, column) as an inner product with its function.
long double coefficient(const Transform& of, std::int64_t row, std::int64_t column) {
  std::int64_t level = 0;  // the last level at which this place was written
  while (std::int64_t{2} << level < of.columns && row < of.rows >> (level + 1) && column < of.columns >> (level + 1))
    ++level;
  const Support down = support(of.rows, level, row), across = support(of.columns, level, column);
  long double sum = 0;
  for (std::int64_t r = 0; r < down.length; ++r)
    for (std::int64_t c = 0; c < across.length; ++c) {
      const bool minus = (down.difference && r >= down.length / 2) != (across.difference && c >= across.length / 2);
      const long double value = of.given[static_cast<std::size_t>((down.from + r) * of.columns + across.from + c)];
      sum += minus ? -value : value;
    }
  return sum / static_cast<long double>(down.length);  // sqrt(length x length)
}

// The worst of the three errors as a share of what rounding explains. A pass rounds its sum, its factor and their
// product: 3 units of |x|; there are 2 passes a level and direction.
double share_of_bound(Transform& of, const std::function<void()>& there, const std::function<void()>& back) {
  of.values = of.given;
  there();
  long double energy = 0, kept = 0, off = 0, worst = 0;
  const long double unit = std::numeric_limits<double>::epsilon() / 2;
  const long double one_way = 6 * std::log2(static_cast<long double>(of.columns)) * unit;
  const auto judge = [&](long double share) {
    if (!(share <= worst)) worst = share;  // a NaN stays
  };
  for (const long double value : of.given) energy += value * value;
  for (const long double value : of.values) kept += value * value;
  judge(std::abs(kept / energy - 1) / (2 * one_way));
  std::uint64_t state = 2;
  for (int i = 0; i < 32; ++i) {
    const auto any = [&](std::int64_t below) {  // near the front as often as behind: a random number of its bits
      const std::uint64_t bits = random_bits(state);
      return static_cast<std::int64_t>((bits >> 8) % static_cast<std::uint64_t>(below)) >> bits % 16;
    };
    const std::int64_t row = any(of.rows), column = any(of.columns);
    const double found = of.values[static_cast<std::size_t>(row * of.columns + column)];
    judge(std::abs(found - coefficient(of, row, column)) / (one_way * std::sqrt(energy)));
  }
  back();
  for (std::size_t i = 0; i < of.given.size(); ++i) {
    const long double each = static_cast<long double>(of.values[i]) - of.given[i];
    off += each * each;
  }
  judge(std::sqrt(off / energy) / (2 * one_way));
  return static_cast<double>(worst);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    const std::int64_t size = at.integer("size");
    if (size & (size - 1)) throw refused_value("size", "is no power of two", size, "powers of two");
    auto of = std::make_shared<Transform>(size);
    const auto there = [of] { kernels::haar(of->grid()); };
    const auto back = [of] { kernels::inverse_haar(of->grid()); };
    at.measure("time", [=](std::int64_t times) {
      for (; times > 0; --times) {
        there();
        touched();
        back();
        touched();
      }
    });
    at.check([=] {
      const double share = share_of_bound(*of, there, back);
      return Check{share <= 1, "coefficients, sum of squares and the way back within " + kernels::short_text(share) +
                                   " of the bound"};
    });
  });
}
