#include "events/random.hpp"

namespace assay::events {

namespace {
constexpr double ln2 = 0.693147180559945309417232121458;
constexpr double edge = 7.69711747013104972;  // where the exponential ziggurat's tail begins, 256 layers
constexpr double layer_area = 0.0039496598225815571993;
}  // namespace

// x = m 2^e with m near 1; log m = 2 atanh((m - 1) / (m + 1)) by its series.
double natural_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.41421356237309515) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * square + 1.0 / k;
  return exponent * ln2 + 2 * s * series;
}

// e^x = 2^k e^r with |r| <= ln2 / 2; e^r by Taylor.
double exponential_of(double x) {
  const int k = static_cast<int>(x / ln2 + (x < 0 ? -0.5 : 0.5));
  const double r = x - k * ln2;
  double sum = 1;
  for (int term = 16; term >= 1; --term) sum = 1 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

Ziggurat::Ziggurat() {
  constexpr double scale = 0x1p53;
  double x = edge, next = edge;
  const double base = layer_area / exponential_of(-x);
  inside[0] = static_cast<std::uint64_t>(x / base * scale);
  inside[1] = 0;
  width[0] = base / scale;
  width[layers - 1] = x / scale;
  height[0] = 1;
  height[layers - 1] = exponential_of(-x);
  for (int i = layers - 2; i >= 1; --i) {
    x = -natural_log(layer_area / x + exponential_of(-x));
    inside[static_cast<unsigned>(i) + 1] = static_cast<std::uint64_t>(x / next * scale);
    next = x;
    height[static_cast<unsigned>(i)] = exponential_of(-x);
    width[static_cast<unsigned>(i)] = x / scale;
  }
}

const Ziggurat& Ziggurat::table() {
  static const Ziggurat table;
  return table;
}

double Random::exponential_edge(unsigned layer, std::uint64_t fraction) {
  for (;;) {
    if (layer == 0) return edge - natural_log(uniform() + 0x1p-54);
    const double x = static_cast<double>(fraction) * zig_->width[layer];
    if (zig_->height[layer] + uniform() * (zig_->height[layer - 1] - zig_->height[layer]) < exponential_of(-x))
      return x;
    const std::uint64_t bits = next();
    fraction = bits >> 11;
    layer = static_cast<unsigned>(bits & 255);
    if (fraction < zig_->inside[layer]) return static_cast<double>(fraction) * zig_->width[layer];
  }
}

std::uint64_t Random::geometric(double p) {
  if (p >= 1) return 1;
  const double trials = natural_log(1 - uniform()) / natural_log(1 - p);
  return trials < 1e18 ? static_cast<std::uint64_t>(trials) + 1 : std::uint64_t{1} << 60;
}

}  // namespace assay::events
