// Compiles every kernel of programs/devices by NVRTC for each type and width that it is measured with; needs no device.
// Prints how many, and fails with the compiler's first error.
#include <cstdio>
#include <exception>

#include "devices/kernels/chain.hpp"
#include "devices/kernels/count.hpp"
#include "devices/kernels/peak.hpp"
#include "devices/kernels/product.hpp"
#include "devices/kernels/stream.hpp"
#include "devices/nvrtc.hpp"
#include "devices/prelude.hpp"

using namespace assay::devices;

int main(int argc, char**) {
  int made = 0;
  const auto compile = [&](std::string_view kernel, const char* name, Element type, int lanes) {
    std::string source = cuda_prelude(type, lanes) + std::string(kernel);
    if (argc > 1) source += "KERNEL void wrong() { return undeclared; }\n";
    const std::string code = compile_cuda(source, name, 90, "cuda");
    if (code.find(std::string(".entry ") + name + "(") == std::string::npos)
      std::printf("%s is no entry\n", name);
    else
      ++made;
  };
  try {
    if (const std::string missing = missing_nvrtc(); !missing.empty()) return std::puts(missing.c_str()), 77;
    for (const Element type : {Element::float64, Element::float32})
      for (const int lanes : {1, 2, 4})
        for (const char* name :
             {"stream_write", "stream_copy", "stream_scale", "stream_add", "stream_triad", "stream_read", "stream_dot"})
          compile(stream_kernels, name, type, lanes);
    for (const Element type : {Element::float64, Element::float32, Element::float16, Element::int32})
      for (const int lanes : {2, 4, 8}) compile(peak_kernel, "peak", type, lanes);
    for (const Element type : {Element::float64, Element::float32}) compile(product_kernel, "product", type, 1);
    compile(chain_kernel, "chain", Element::int32, 1);
    compile(count_kernel, "count", Element::int32, 1);
  } catch (const std::exception& fault) {
    std::puts(fault.what());
    return 1;
  }
  std::printf("%d kernels\n", made);
  return 0;
}
