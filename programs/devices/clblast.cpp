#include "devices/clblast.hpp"

namespace assay::devices {
namespace {

template <class Number>
using ClBlastGemm = int(int layout, int turned_a, int turned_b, std::size_t m, std::size_t n, std::size_t k,
                        Number alpha, cl::Handle a, std::size_t offset_a, std::size_t ld_a, cl::Handle b,
                        std::size_t offset_b, std::size_t ld_b, Number beta, cl::Handle c, std::size_t offset_c,
                        std::size_t ld_c, cl::Handle* queue, cl::Handle* event);

struct ClBlast {
  Library library{"libclblast.so.1", "libclblast.so"};
  ClBlastGemm<double>* float64 = nullptr;
  ClBlastGemm<float>* float32 = nullptr;
  ClBlastGemm<std::uint16_t>* float16 = nullptr;
  ClBlast() {
    library.find(float64, "CLBlastDgemm");
    library.find(float32, "CLBlastSgemm");
    library.find(float16, "CLBlastHgemm", true);
  }
};

constexpr int row_after_row = 101, as_stated = 111;
constexpr int no_half = -2045, no_double = -2044;  // the device has no such numbers

// CLBlast's own codes (clblast_c.h); others are OpenCL's.
std::string clblast_error(int error) {
  constexpr struct {
    int error;
    const char* name;
  } known[] = {{-2050, "InsufficientMemoryTemp"}, {-2046, "InvalidLocalMemUsage"}, {-2041, "DatabaseError"},
               {-2040, "UnknownError"},           {-2039, "UnexpectedError"},      {-1024, "NotImplemented"},
               {-1022, "InvalidMatrixA"},         {-1021, "InvalidMatrixB"},       {-1020, "InvalidMatrixC"},
               {-1017, "InvalidDimension"},       {-1011, "InsufficientMemoryA"},  {-1010, "InsufficientMemoryB"},
               {-1009, "InsufficientMemoryC"}};
  for (const auto& each : known)
    if (each.error == error) return std::string("CLBlast") + each.name + " (" + std::to_string(error) + ")";
  return error <= -1009 ? "CLBlast error " + std::to_string(error) : cl::error_name(error);
}

}  // namespace

bool clblast_product(Element type, std::int64_t size, cl::Handle a, cl::Handle b, cl::Handle c, cl::Handle* queue,
                     const std::string& where, std::string& missing) {
  static auto* const with = new ClBlast;
  if (!with->library.here()) {
    missing = "no CLBlast: " + with->library.why() + "; install libclblast1";
    return false;
  }
  const auto n = static_cast<std::size_t>(size);
  const auto multiply = [&](const char* call, auto* gemm, auto one, auto zero) {
    if (gemm == nullptr) return false;
    const int error =
        gemm(row_after_row, as_stated, as_stated, n, n, n, one, a, 0, n, b, 0, n, zero, c, 0, n, queue, nullptr);
    if (error == no_half || error == no_double) return false;
    if (error != 0) throw timing::MeasurementFault(where + ": " + call + ": " + clblast_error(error));
    return true;
  };
  constexpr std::uint16_t half_one = 0x3c00, half_zero = 0;
  const bool done = type == Element::float64   ? multiply("CLBlastDgemm", with->float64, 1.0, 0.0)
                    : type == Element::float32 ? multiply("CLBlastSgemm", with->float32, 1.0F, 0.0F)
                    : type == Element::float16 ? multiply("CLBlastHgemm", with->float16, half_one, half_zero)
                                               : false;
  if (!done) missing = "CLBlast multiplies no matrices of this type on it";
  return done;
}

}  // namespace assay::devices
