#include "devices/cublas.hpp"

#include <map>

namespace assay::devices {
namespace {

struct CuBlas {
  Library library{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"};
  int (*create)(cuda::Handle*) = nullptr;
  int (*stream)(cuda::Handle, cuda::Handle) = nullptr;
  int (*gemm)(cuda::Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
              const void*, void*, int, int, int, int) = nullptr;
  struct Opened {  // by the library for one device: a handle is of the context in which it was made
    int status = 0;
    cuda::Handle handle = nullptr;
  };
  std::map<cuda::Handle, Opened> opened;  // by the device's stream
  CuBlas() {
    library.find(create, "cublasCreate_v2");
    library.find(stream, "cublasSetStream_v2");
    library.find(gemm, "cublasGemmEx");
  }
  const Opened& open(cuda::Handle of) {
    const auto [at, fresh] = opened.try_emplace(of);
    if (fresh) at->second.status = create(&at->second.handle);
    return at->second;
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
                    cuda::Handle stream, const std::string& where, std::string& missing) {
  static auto* const with = new CuBlas;
  const CuBlas::Opened none{};
  const CuBlas::Opened& opened = with->library.here() ? with->open(stream) : none;
  if (opened.handle == nullptr || opened.status != 0) {
    missing =
        "no cuBLAS: " + (with->library.here() ? cublas_error("cublasCreate", opened.status) : with->library.why()) +
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
  if (const int error = with->stream(opened.handle, stream); error != 0)
    throw timing::MeasurementFault(where + ": " + cublas_error("cublasSetStream", error));
  // Columns after columns are the transposes of our rows after rows: c' = b' a'.
  const int error = with->gemm(opened.handle, 0, 0, n, n, n, factors, reinterpret_cast<const void*>(b), sorts.factors,
                               n, reinterpret_cast<const void*>(a), sorts.factors, n, zero, reinterpret_cast<void*>(c),
                               sorts.result, n, sorts.computed, -1);
  constexpr int not_supported = 15, mismatch = 8;
  if (error == not_supported || error == mismatch) {
    missing = "cuBLAS multiplies no matrices of this type on it";
    return false;
  }
  if (error != 0) throw timing::MeasurementFault(where + ": " + cublas_error("cublasGemmEx", error));
  return true;
}

std::string cublas_error(std::string_view call, int status) {
  constexpr struct {
    int status;
    const char* name;
  } known[] = {{1, "NOT_INITIALIZED"}, {3, "ALLOC_FAILED"},   {7, "INVALID_VALUE"},
               {8, "ARCH_MISMATCH"},   {11, "MAPPING_ERROR"}, {13, "EXECUTION_FAILED"},
               {14, "INTERNAL_ERROR"}, {15, "NOT_SUPPORTED"}, {16, "LICENSE_ERROR"}};
  std::string name = "status ";
  for (const auto& each : known)
    if (each.status == status) name = std::string("CUBLAS_STATUS_") + each.name + " ";
  return std::string(call) + ": " + name + "(" + std::to_string(status) + ")";
}

}  // namespace assay::devices
