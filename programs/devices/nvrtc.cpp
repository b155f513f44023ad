#include "devices/nvrtc.hpp"

#include <algorithm>

#include "devices/cuda_functions.hpp"
#include "timing/faults.hpp"

namespace assay::devices {
namespace {

struct Nvrtc {
  Library library{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  cuda::Compiler call{library};
};

Nvrtc& nvrtc() {
  static auto* const only = new Nvrtc;
  return *only;
}

}  // namespace

std::string missing_nvrtc() {
  if (nvrtc().library.here()) return "";
  return "no NVRTC, which compiles kernels: " + nvrtc().library.why() +
         "; install CUDA's libnvrtc, or pip install nvidia-cuda-nvrtc-cu12 and name its folder in LD_LIBRARY_PATH";
}

std::string compile_cuda(const std::string& source, const std::string& name, int capability, const std::string& where) {
  if (const std::string missing = missing_nvrtc(); !missing.empty())
    throw timing::MeasurementFault(where + ": " + missing);
  const cuda::Compiler& call = nvrtc().call;
  const auto refuse = [&](const std::string& what) {
    throw timing::MeasurementFault(where + ": kernel " + name + " does not compile: " + what);
  };
  cuda::Handle program = nullptr;
  int error = call.create(&program, source.c_str(), (name + ".cu").c_str(), 0, nullptr, nullptr);
  if (error != 0) refuse(call.error(error));
  const std::string architecture = "--gpu-architecture=compute_" + std::to_string(capability);
  const char* const options[] = {architecture.c_str(), "--std=c++14"};
  error = call.compile(program, 2, options);
  std::size_t bytes = 0;
  if (error != 0) {
    call.log_size(program, &bytes);
    std::string log(bytes, '\0');
    call.log(program, log.data());
    call.release(&program);
    std::size_t from = log.find("error");
    from = from == std::string::npos ? 0 : log.rfind('\n', from) + 1;
    refuse(std::string(call.error(error)) + ": " +
           log.substr(from, log.find_first_of(std::string("\n\0", 2), from) - from));
  }
  call.code_size(program, &bytes);
  std::string code(bytes, '\0');
  call.code(program, code.data());
  call.release(&program);
  return code;
}

}  // namespace assay::devices
