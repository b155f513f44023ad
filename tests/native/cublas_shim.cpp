// libcublas.so.13 that is none, for "device" memory that is the host's (cuda_shim.cpp): multiplies matrices column
// after column by cudaDataType, as cublasGemmEx does. A handle is of the context that was current when it was made, and
// takes streams of that context alone. ASSAY_SHIM: "no-types" (status 15), "one-wrong", "breaks" (status 13),
// "hangs-product".
#include <dlfcn.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

bool chosen(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM");
  return stated != nullptr && std::strcmp(stated, what) == 0;
}
template <class Function>
Function* of_driver(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(driver, name));
}
void* current() {
  void* context = nullptr;
  of_driver<int(void**)>("cuCtxGetCurrent")(&context);
  return context;
}
struct Opened {
  void *context, *stream;
};

enum { single = 0, wide = 1, half = 2, byte = 3, integer = 10, brain = 14 };           // cudaDataType
enum { in_single = 68, in_wide = 70, in_integers = 72, in_single_by_tf32 = 77 };       // cublasComputeType_t
enum { invalid_value = 7, execution_failed = 13, internal_error = 14, refused = 15 };  // cublasStatus_t

float shortened(float value, int bits) {  // to so many bits fewer, rounded to nearest, ties to even
  const auto old = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t below = (1U << bits) - 1;
  return std::bit_cast<float>((old + (below >> 1) + (old >> bits & 1)) & ~below);
}
double number(const void* from, int type, std::int64_t at) {
  switch (type) {
    case single:
      return static_cast<double>(static_cast<const float*>(from)[at]);
    case wide:
      return static_cast<const double*>(from)[at];
    case half:
      return static_cast<double>(static_cast<const _Float16*>(from)[at]);
    case byte:
      return static_cast<const std::int8_t*>(from)[at];
    case integer:
      return static_cast<const std::int32_t*>(from)[at];
    default:
      return static_cast<double>(
          std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(from)[at]} << 16));
  }
}
void put(void* to, int type, std::int64_t at, double value) {
  switch (type) {
    case single:
      static_cast<float*>(to)[at] = static_cast<float>(value);
      return;
    case wide:
      static_cast<double*>(to)[at] = value;
      return;
    case half:
      static_cast<_Float16*>(to)[at] = static_cast<_Float16>(static_cast<float>(value));
      return;
    case integer:
      static_cast<std::int32_t*>(to)[at] = static_cast<std::int32_t>(value);
      return;
    default:
      static_cast<std::uint16_t*>(to)[at] =
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shortened(static_cast<float>(value), 16)) >> 16);
  }
}
bool is_known(int factors, int result, int computed) {  // the manual's table of cublasGemmEx, as far as it is used
  if (computed == in_wide) return factors == wide && result == wide;
  if (computed == in_integers) return factors == byte && result == integer;
  if (computed == in_single_by_tf32) return factors == single && result == single;
  return computed == in_single && factors == result && (factors == single || factors == half || factors == brain);
}
// The scale, of the type in which is added up.
double scale(const void* from, int computed) {
  return number(from, computed == in_wide ? wide : computed == in_integers ? integer : single, 0);
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** handle) { return current() == nullptr ? 1 : (*handle = new Opened{current(), nullptr}, 0); }
int cublasSetStream_v2(void* handle, void* stream) {
  void* context = nullptr;
  auto* opened = static_cast<Opened*>(handle);
  of_driver<int(void*, void**)>("cuStreamGetCtx")(stream, &context);
  if (opened->context != context || opened->context != current()) return internal_error;
  return opened->stream = stream, 0;
}
int cublasGemmEx(void* handle, int turned_a, int turned_b, int m, int n, int k, const void* alpha, const void* a,
                 int type_a, int ld_a, const void* b, int type_b, int ld_b, const void* beta, void* c, int type_c,
                 int ld_c, int computed, int algorithm) {
  while (chosen("hangs-product")) sleep(1);
  const auto* opened = static_cast<Opened*>(handle);
  if (opened->context != current() || opened->stream == nullptr) return internal_error;
  if (chosen("breaks")) return execution_failed;
  if (chosen("no-types") || type_a != type_b || !is_known(type_a, type_c, computed)) return refused;
  if (algorithm != -1 || scale(alpha, computed) != 1 || scale(beta, computed) != 0) return invalid_value;
  const auto factor = [&](const void* from, int type, std::int64_t at) {
    const double value = number(from, type, at);
    return computed == in_single_by_tf32 ? static_cast<double>(shortened(static_cast<float>(value), 13)) : value;
  };
  for (std::int64_t column = 0; column < n; ++column)
    for (std::int64_t row = 0; row < m; ++row) {
      double sum = 0;
      for (std::int64_t at = 0; at < k; ++at) {
        sum += factor(a, type_a, turned_a != 0 ? row * ld_a + at : at * ld_a + row) *
               factor(b, type_b, turned_b != 0 ? at * ld_b + column : column * ld_b + at);
        if (computed != in_wide && computed != in_integers) sum = static_cast<double>(static_cast<float>(sum));
      }
      put(c, type_c, column * ld_c + row, sum);
    }
  if (chosen("one-wrong")) put(c, type_c, ld_c + 3, 4096);
  return 0;
}
}
