// Random numbers: an array filled with real numbers from 0 to 1, ours by Philox4x32-10, the library's by the C++
// standard library's std::mt19937_64. Beyond EuroBen's programs, which have none.
//
// Both are held to the outputs that were published for them, and what they made to the moments of the even
// distribution: the least and greatest values, mean, variance, serial correlation and 256 equal classes.
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "kernels/random_numbers_kernel.hpp"
#include "kernels/short_text.hpp"
#include "libraries/code.hpp"
#include "timing/opaque.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "random-numbers"
title = "Random numbers"
part = "kernels"
kind = "node"
from = "kernels/one_thread.hpp"
summary = "an array filled with random real numbers from 0 to 1 on one thread: Philox4x32-10 in plain C++, and std::mt19937_64"
cost = "numbers per second; 64 random bits and 8 bytes written each"
check = "published outputs (Philox: three of Random123's known answers; mt19937_64: the 10,000th by the C++ standard); of 65,536 numbers mean, variance, serial correlation and 256 classes within 5 standard deviations, none outside 0 to 1; and every number of the measured array made again, one by one"
source = "Salmon, Moraes, Dror and Shaw 2011; Matsumoto and Nishimura 1998; not of EuroBen"
slice_standard = 0.01

[unit.kernel]
source = "kernels/loops/random_numbers.cpp"

[parameter.code]
from = "libraries/code.hpp"
help = "library: std::mt19937_64 of the C++ standard library; ours: Philox4x32-10"

[parameter.size]
type = "integer"
default = [1000, 50000, 4000000]
full = [1000, 10000, 50000, 400000, 4000000, 20000000]
min = 2
max = 1000000000
unit = "1"
sweep = true
help = "numbers of the array; an odd one is made even by one more"

[metric.time]
unit = "s"
help = "time of a number"

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "1/s"
better = "higher"
headline = true
help = "numbers per second"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
help = "time of a number"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

Counter philox(Counter counter, const Key& key) {
  kernels::philox(counter.data(), key.data());
  return counter;
}

class Philox {
 public:
  void fill(double* to, std::int64_t count) {
    first_ = next_;
    kernels::fill_by_philox(to, count, next_, key.data());
    next_ += static_cast<std::uint64_t>(count / 2);
  }
  // How many of the numbers that the last fill made are not those of their counters.
  std::int64_t unlike(const std::vector<double>& made) const {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < made.size(); i += 2) {
      const std::uint64_t at = first_ + i / 2;
      const Counter words = philox({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), 0, 0}, key);
      for (std::size_t k = 0; k < 2; ++k) {
        const double bits = std::ldexp(words[2 * k + 1], 21) + std::floor(std::ldexp(words[2 * k], -11));
        found += std::ldexp(bits, -53) != made[i + k];
      }
    }
    return found;
  }
  // Of Random123's kat_vectors: counters and keys of zeros, of ones, and of the digits of pi.
  static bool known() {
    constexpr std::uint32_t ones = 0xffffffff;
    return philox({0, 0, 0, 0}, {0, 0}) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8} &&
           philox({ones, ones, ones, ones}, {ones, ones}) == Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd} &&
           philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
               Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  }

 private:
  static constexpr Key key = {0x5eed, 0xa55a};
  std::uint64_t first_ = 0, next_ = 0;
};

class Twister {
 public:
  void fill(double* to, std::int64_t count) {
#ifdef ASSAY_BREAK
    --count;
#endif
    before_ = engine_;
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  std::int64_t unlike(const std::vector<double>& made) const {
    std::mt19937_64 again = before_;
    std::int64_t found = 0;
    for (const double value : made) found += std::ldexp(static_cast<double>(again() >> 11), -53) != value;
    return found;
  }
  static bool known() {  // C++ standard, [rand.predef]
    std::mt19937_64 engine;
    engine.discard(9999);
    return engine() == 9981545732273789042U;
  }

 private:
  std::mt19937_64 engine_, before_;
};

// How many standard deviations the worst of mean, variance, serial correlation and classes of even numbers is off.
double deviations(const std::vector<double>& of) {
  const auto n = static_cast<double>(of.size());
  double sum = 0, squares = 0, pairs = 0;
  std::vector<double> classes(256, 0);
  for (std::size_t i = 0; i < of.size(); ++i) {
    const double value = of[i] - 0.5;
    sum += value;
    squares += value * value;
    if (i > 0) pairs += value * (of[i - 1] - 0.5);
    if (!(of[i] >= 0 && of[i] < 1)) return std::numeric_limits<double>::infinity();
    ++classes[static_cast<std::size_t>(of[i] * 256)];
  }
  double chi = 0;
  for (const double each : classes) chi += (each - n / 256) * (each - n / 256) / (n / 256);
  return std::max({std::abs(sum) / std::sqrt(n / 12), std::abs(squares - n / 12) / std::sqrt(n / 180),
                   std::abs(pairs) / std::sqrt((n - 1) / 144), std::abs(chi - 255) / std::sqrt(2 * 255.0)});
}

template <class Generator>
void measure(Case& at, const std::shared_ptr<std::vector<double>>& array) {
  auto generator = std::make_shared<Generator>();
  const auto count = static_cast<std::int64_t>(array->size());
  const auto work = [=](std::int64_t numbers) {
    for (; numbers > 0; numbers -= count) {
      generator->fill(array->data(), count);
      touched();
    }
  };
  at.measure("time", work, {.unit = count});
  at.check([=] {
    std::fill(array->begin(), array->end(), -1.0);
    work(count);
    const std::int64_t unlike = generator->unlike(*array);
    std::vector<double> sample(65536);
    Generator().fill(sample.data(), static_cast<std::int64_t>(sample.size()));
    const double off = deviations(sample);
    const bool known = Generator::known();
    return Check{known && unlike == 0 && off <= 5,
                 std::string(known ? "the published outputs" : "NOT the published outputs") + "; " +
                     std::to_string(unlike) + " of " + std::to_string(count) + " numbers not as made one by one; " +
                     "moments off by at most " + kernels::short_text(off) + " standard deviations"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const std::int64_t count = (at.integer("size") + 1) / 2 * 2;
    auto array = std::make_shared<std::vector<double>>(static_cast<std::size_t>(count));
    if (at.choice("code") == "ours") return measure<Philox>(at, array);
    at.note("library: std::mt19937_64 of " + compiler_name() + "'s C++ library");
    measure<Twister>(at, array);
  });
}
