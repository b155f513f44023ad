// libcublasLt.so.13 that is none, for "device" memory that is the host's (cuda_shim.cpp): multiplies E4M3 matrices
// column after column, the first one turned, as cublasLtMatmul does, into bfloat16. ASSAY_SHIM: "no-float8",
// "one-wrong".
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

bool chosen(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM");
  return stated != nullptr && std::strcmp(stated, what) == 0;
}
struct Operation {
  int computed, scale, turned_a;
};
struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct Result {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};
float number(std::uint8_t bits) {  // value by value: sign, exponent, fraction
  const float fraction = static_cast<float>(bits % 8) / 8;
  const int power = bits / 8 % 16;
  const float size = power == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, power - 7);
  return bits < 128 ? size : -size;
}
std::uint16_t rounded(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

extern "C" {
int cublasLtCreate(void** handle) { return *handle = std::malloc(1), 0; }
int cublasLtMatmulDescCreate(void** made, int computed, int scale) {
  return *made = new Operation{computed, scale, 0}, 0;
}
int cublasLtMatmulDescSetAttribute(void* of, int which, const void* value, std::size_t bytes) {
  if (which != 3 || bytes != sizeof(int)) return 7;
  return std::memcpy(&static_cast<Operation*>(of)->turned_a, value, bytes), 0;
}
int cublasLtMatrixLayoutCreate(void** made, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  return *made = new Layout{type, rows, columns, leading}, 0;
}
int cublasLtMatmulPreferenceCreate(void** made) { return *made = std::malloc(1), 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int which, const void*, std::size_t bytes) {
  return which == 1 && bytes == sizeof(std::size_t) ? 0 : 7;
}
int cublasLtMatmulAlgoGetHeuristic(void*, void* operation, void* a, void* b, void* c, void* d, void*, int wanted,
                                   void* results, int* count) {
  const auto* of = static_cast<Operation*>(operation);
  const auto type = [](void* layout) { return static_cast<Layout*>(layout)->type; };
  const bool known = of->computed == 68 && of->scale == 0 && of->turned_a == 1 && type(a) == 28 && type(b) == 28 &&
                     type(c) == 14 && type(d) == 14 && wanted == 1;
  *count = 0;
  if (!known || chosen("no-float8")) return 15;
  auto* result = static_cast<Result*>(results);
  *result = Result{};
  result->workspace = 4096;
  return *count = 1, 0;
}
int cublasLtMatmul(void*, void*, const void* alpha, const void* a, void* of_a, const void* b, void* of_b,
                   const void* beta, const void*, void*, void* d, void* of_d, const void*, void* workspace,
                   std::size_t bytes, void*) {
  const auto *left = static_cast<const Layout*>(of_a), *right = static_cast<const Layout*>(of_b);
  const auto* out = static_cast<const Layout*>(of_d);
  if (workspace == nullptr || bytes != 4096 || *static_cast<const float*>(beta) != 0) return 7;
  const auto at = [](const Layout* layout, std::uint64_t row, std::uint64_t column) {
    return column * static_cast<std::uint64_t>(layout->leading) + row;
  };
  for (std::uint64_t column = 0; column < out->columns; ++column)
    for (std::uint64_t row = 0; row < out->rows; ++row) {
      float sum = 0;
      for (std::uint64_t k = 0; k < left->rows; ++k)
        sum += number(static_cast<const std::uint8_t*>(a)[at(left, k, row)]) *
               number(static_cast<const std::uint8_t*>(b)[at(right, k, column)]);
      static_cast<std::uint16_t*>(d)[at(out, row, column)] = rounded(*static_cast<const float*>(alpha) * sum);
    }
  if (chosen("one-wrong")) static_cast<std::uint16_t*>(d)[out->rows + 3] = 0x40e0;  // 7
  return 0;
}
}
