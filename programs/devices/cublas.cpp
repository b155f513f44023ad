#include "devices/cublas.hpp"

namespace assay::devices {
namespace {

struct CuBlas {
  Library library{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"};
  int (*create)(cuda::Handle*) = nullptr;
  int (*stream)(cuda::Handle, cuda::Handle) = nullptr;
  int (*gemm)(cuda::Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
              const void*, void*, int, int, int, int) = nullptr;
  cuda::Handle handle = nullptr;
  CuBlas() {
    library.find(create, "cublasCreate_v2");
    library.find(stream, "cublasSetStream_v2");
    library.find(gemm, "cublasGemmEx");
    if (library.here() && create(&handle) != 0) handle = nullptr;
  }
};

struct Sorts {  // cudaDataType of factors and result, cublasComputeType, and how the factor one is written
  int factors, result, computed;
  enum { wide, single, whole } scale;
};

Sorts sorts_of(Element type) {
  switch (type) {
    case Element::float64:
      return {1, 1, 70, Sorts::wide};
    case Element::float32:
      return {0, 0, 68, Sorts::single};
    case Element::tf32:
      return {0, 0, 77, Sorts::single};
    case Element::bfloat16:
      return {14, 14, 68, Sorts::single};
    case Element::int8:
      return {3, 10, 72, Sorts::whole};
    default:
      return {2, 2, 68, Sorts::single};
  }
}

}  // namespace

bool cublas_product(Element type, std::int64_t size, cuda::Address a, cuda::Address b, cuda::Address c,
                    cuda::Handle stream, std::string& missing) {
  static auto* const with = new CuBlas;
  if (!with->library.here() || with->handle == nullptr) {
    missing = "no cuBLAS: " + (with->library.here() ? "it does not start" : with->library.why()) +
              "; install CUDA's libcublas, or pip install nvidia-cublas-cu12 and name its folder in LD_LIBRARY_PATH";
    return false;
  }
  const Sorts sorts = sorts_of(type);
  const double wide[] = {1, 0};
  const float single[] = {1, 0};
  const std::int32_t whole[] = {1, 0};
  const auto* factors = sorts.scale == Sorts::wide     ? static_cast<const void*>(wide)
                        : sorts.scale == Sorts::single ? static_cast<const void*>(single)
                                                       : static_cast<const void*>(whole);
  const auto step = sorts.scale == Sorts::wide ? sizeof(double) : sizeof(float);
  const void* zero = static_cast<const char*>(factors) + step;
  const auto n = static_cast<int>(size);
  with->stream(with->handle, stream);
  // Columns after columns are the transposes of our rows after rows: c' = b' a'.
  const int error = with->gemm(with->handle, 0, 0, n, n, n, factors, reinterpret_cast<const void*>(b), sorts.factors, n,
                               reinterpret_cast<const void*>(a), sorts.factors, n, zero, reinterpret_cast<void*>(c),
                               sorts.result, n, sorts.computed, -1);
  constexpr int not_supported = 15, mismatch = 8;
  if (error == not_supported || error == mismatch) {
    missing = "cuBLAS multiplies no matrices of this type on it";
    return false;
  }
  if (error != 0) throw timing::MeasurementFault("cuBLAS: status " + std::to_string(error));
  return true;
}

}  // namespace assay::devices
