#include "devices/cublas_lt.hpp"

#include <map>
#include <utility>

#include "devices/cublas.hpp"

namespace assay::devices {
namespace {

// cublasLt.h: an algorithm as the library describes it, with what it needs.
struct Algorithm {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int status;
  float waves;
  int reserved[4];
};
constexpr int type_e4m3 = 28, type_bfloat16 = 14, type_single = 0;           // cudaDataType
constexpr int sums_in_single = 68;                                           // CUBLAS_COMPUTE_32F
constexpr int turned_a = 3;                                                  // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int most_workspace = 1;                                            // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int refused_values = 7, refused_device = 8, refused_product = 15;  // cublasStatus_t

struct CuBlasLt {
  Library library{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
  int (*create)(cuda::Handle*) = nullptr;
  int (*operation)(cuda::Handle*, int, int) = nullptr;
  int (*set)(cuda::Handle, int, const void*, std::size_t) = nullptr;
  int (*layout)(cuda::Handle*, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*preference)(cuda::Handle*) = nullptr;
  int (*prefer)(cuda::Handle, int, const void*, std::size_t) = nullptr;
  int (*find)(cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, cuda::Handle, int,
              Algorithm*, int*) = nullptr;
  int (*multiply)(cuda::Handle, cuda::Handle, const void*, const void*, cuda::Handle, const void*, cuda::Handle,
                  const void*, const void*, cuda::Handle, void*, cuda::Handle, const void*, void*, std::size_t,
                  cuda::Handle) = nullptr;
  CuBlasLt() {
    library.find(create, "cublasLtCreate");
    library.find(operation, "cublasLtMatmulDescCreate");
    library.find(set, "cublasLtMatmulDescSetAttribute");
    library.find(layout, "cublasLtMatrixLayoutCreate");
    library.find(preference, "cublasLtMatmulPreferenceCreate");
    library.find(prefer, "cublasLtMatmulPreferenceSetAttribute");
    library.find(find, "cublasLtMatmulAlgoGetHeuristic");
    library.find(multiply, "cublasLtMatmul");
  }
};

struct ProductPlan {  // of one size on one device: made once, and there as long as the process
  int status = 0;
  const char* call = "";          // whose status it is
  cuda::Handle handle = nullptr;  // of the context in which it was made
  cuda::Handle operation = nullptr, factor = nullptr, result = nullptr;
  Algorithm found{};
  std::shared_ptr<Memory> workspace;
};

ProductPlan make_plan(const CuBlasLt& with, std::int64_t size,
                      const std::function<std::shared_ptr<Memory>(std::int64_t)>& allocate) {
  ProductPlan plan;
  const auto n = static_cast<std::uint64_t>(size);
  constexpr int turned = 1;  // CUBLAS_OP_T
  const std::size_t most = std::size_t{32} << 20;
  cuda::Handle preference = nullptr;
  int count = 0;
  const auto next = [&](const char* call, auto&& status) {  // what follows a failed call is not called
    if (plan.status == 0) plan.call = call, plan.status = status();
  };
  next("cublasLtCreate", [&] { return with.create(&plan.handle); });
  next("cublasLtMatmulDescCreate", [&] { return with.operation(&plan.operation, sums_in_single, type_single); });
  next("cublasLtMatmulDescSetAttribute", [&] { return with.set(plan.operation, turned_a, &turned, sizeof turned); });
  next("cublasLtMatrixLayoutCreate", [&] { return with.layout(&plan.factor, type_e4m3, n, n, size); });
  next("cublasLtMatrixLayoutCreate", [&] { return with.layout(&plan.result, type_bfloat16, n, n, size); });
  next("cublasLtMatmulPreferenceCreate", [&] { return with.preference(&preference); });
  next("cublasLtMatmulPreferenceSetAttribute",
       [&] { return with.prefer(preference, most_workspace, &most, sizeof most); });
  next("cublasLtMatmulAlgoGetHeuristic", [&] {
    const int status = with.find(plan.handle, plan.operation, plan.factor, plan.factor, plan.result, plan.result,
                                 preference, 1, &plan.found, &count);
    return status != 0 ? status : count == 0 ? refused_product : plan.found.status;
  });
  if (plan.status == 0 && plan.found.workspace > 0)
    plan.workspace = allocate(static_cast<std::int64_t>(plan.found.workspace));
  return plan;
}

}  // namespace

bool cublas_lt_product(std::int64_t n, cuda::Address a, cuda::Address b, cuda::Address c, cuda::Handle stream,
                       const std::string& where, std::string& missing,
                       const std::function<std::shared_ptr<Memory>(std::int64_t)>& allocate) {
  static auto* const with = new CuBlasLt;
  if (!with->library.here()) {
    missing = "no cuBLASLt: " + with->library.why() +
              "; install CUDA's libcublas, or pip install nvidia-cublas-cu12 and name its folder in LD_LIBRARY_PATH";
    return false;
  }
  static auto* const plans = new std::map<std::pair<cuda::Handle, std::int64_t>, ProductPlan>;
  auto [at, fresh] = plans->try_emplace({stream, n});
  ProductPlan& plan = at->second;
  if (fresh) plan = make_plan(*with, n, allocate);
  const float one = 1, zero = 0;
  // The library's matrices are column after column. Ours are their transposes: c' = b' a', where b, which lies column
  // after column, is turned, and a' is not.
  if (plan.status == 0) {
    plan.call = "cublasLtMatmul";
    plan.status = with->multiply(plan.handle, plan.operation, &one, reinterpret_cast<const void*>(b), plan.factor,
                                 reinterpret_cast<const void*>(a), plan.factor, &zero, reinterpret_cast<const void*>(c),
                                 plan.result, reinterpret_cast<void*>(c), plan.result, plan.found.algorithm,
                                 reinterpret_cast<void*>(plan.workspace ? plan.workspace->handle : 0),
                                 plan.found.workspace, stream);
  }
  if (plan.status == refused_values || plan.status == refused_device || plan.status == refused_product) {
    missing = "cuBLASLt multiplies no matrices of this type on it";
    return false;
  }
  if (plan.status != 0) throw timing::MeasurementFault(where + ": " + cublas_error(plan.call, plan.status));
  return true;
}

}  // namespace assay::devices
