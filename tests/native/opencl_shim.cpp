// libOpenCL.so.1 in front of the real one (ASSAY_SHIM_REAL), with the fault that ASSAY_SHIM names: wrong, removed,
// shortened, memory, build, gone, hangs, hangs-map, hangs-copy, "clock:FACTOR" of the event timer; "gpu":
// its device is an AMD GPU at PCI address 0000:c1:00.0, "gpu-amd": which states it by AMD's extension.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void* real(const char* name) {
  static void* const library = dlopen(std::getenv("ASSAY_SHIM_REAL"), RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}
bool chosen(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM");
  return stated != nullptr && stated == std::string(what);
}
int launches = 0;

void replace(std::string& text, const std::string& old, const std::string& by) {
  if (const auto at = text.find(old); at != std::string::npos) text.replace(at, old.size(), by);
}

}  // namespace

using Long = std::intptr_t;
using Any = Long(Long, Long, Long, Long, Long, Long, Long, Long, Long, Long);

#define FORWARD(name)                                                                                    \
  extern "C" Long name(Long a, Long b, Long c, Long d, Long e, Long f, Long g, Long h, Long i, Long j) { \
    static Any* const own = reinterpret_cast<Any*>(real(#name));                                         \
    return own(a, b, c, d, e, f, g, h, i, j);                                                            \
  }
FORWARD(clGetPlatformIDs)
FORWARD(clGetPlatformInfo)
FORWARD(clGetDeviceIDs)
FORWARD(clCreateContext)
FORWARD(clCreateCommandQueue)
FORWARD(clReleaseMemObject)
FORWARD(clBuildProgram)
FORWARD(clGetProgramBuildInfo)
FORWARD(clReleaseProgram)
FORWARD(clCreateKernel)
FORWARD(clReleaseKernel)
FORWARD(clSetKernelArg)
FORWARD(clEnqueueReadBuffer)
FORWARD(clEnqueueUnmapMemObject)
FORWARD(clFlush)
FORWARD(clReleaseEvent)

#define HANGS(name, fault)                                                                               \
  extern "C" Long name(Long a, Long b, Long c, Long d, Long e, Long f, Long g, Long h, Long i, Long j) { \
    static Any* const own = reinterpret_cast<Any*>(real(#name));                                         \
    while (chosen(fault)) sleep(1);                                                                      \
    return own(a, b, c, d, e, f, g, h, i, j);                                                            \
  }
HANGS(clEnqueueWriteBuffer, "hangs-copy")
HANGS(clEnqueueMapBuffer, "hangs-map")

extern "C" int clGetDeviceInfo(void* device, unsigned what, std::size_t bytes, void* value, std::size_t* had) {
  static auto* const own = reinterpret_cast<decltype(&clGetDeviceInfo)>(real("clGetDeviceInfo"));
  constexpr unsigned type = 0x1000, name = 0x102b, bus = 0x410f, bus_of_amd = 0x4037, board = 0x4038;
  const bool by_amd = chosen("gpu-amd");
  if (!by_amd && !chosen("gpu")) return own(device, what, bytes, value, had);
  const auto give = [&](const void* from, std::size_t size) {
    if (had != nullptr) *had = size;
    if (value != nullptr && bytes < size) return -30;
    if (value != nullptr) std::memcpy(value, from, size);
    return 0;
  };
  const std::uint64_t gpu = 4;
  const std::uint32_t place[] = {0, 0xc1, 0, 0};
  const unsigned char place_of_amd[24] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc1, 0, 0};
  if (what == type) return give(&gpu, sizeof gpu);
  if (what == name) return give("gfx90a:sramecc+:xnack-", 23);
  if (what == board) return give("AMD Instinct MI250X", 20);
  if (what == bus) return by_amd ? -30 : give(place, sizeof place);
  if (what == bus_of_amd && by_amd) return give(place_of_amd, sizeof place_of_amd);
  return own(device, what, bytes, value, had);
}

extern "C" void* clCreateBuffer(void* context, std::uint64_t flags, std::size_t bytes, void* host, int* error) {
  static auto* const own = reinterpret_cast<decltype(&clCreateBuffer)>(real("clCreateBuffer"));
  if (chosen("memory") && bytes >= 1 << 20) return *error = -4, nullptr;
  return own(context, flags, bytes, host, error);
}

extern "C" void* clCreateProgramWithSource(void* context, unsigned count, const char** texts, const std::size_t* sizes,
                                           int* error) {
  static auto* const own = reinterpret_cast<decltype(&clCreateProgramWithSource)>(real("clCreateProgramWithSource"));
  std::string text = texts[0];
  if (chosen("wrong")) replace(text, "b[ITEM] + (Value)(s) * c[ITEM]", "b[ITEM] + c[ITEM]");
  if (chosen("build")) text = "#error no compiler of ours\n" + text;
  if (chosen("shortened")) {  // the loop's closed form in its place
    replace(text, "at < times; ++at", "at < 1; ++at");
    for (char chain = '0'; chain < '8'; ++chain)
      replace(text, std::string("FMA(v") + chain + ", scale, step)",
              std::string("v") + chain + " + step * (Real)(times)");
  }
  const char* changed = text.c_str();
  return own(context, count, &changed, sizes, error);
}

extern "C" int clEnqueueNDRangeKernel(void* queue, void* kernel, unsigned dimensions, const std::size_t* offset,
                                      const std::size_t* global, const std::size_t* local, unsigned waits,
                                      void* const* events, void** event) {
  static auto* const own = reinterpret_cast<decltype(&clEnqueueNDRangeKernel)>(real("clEnqueueNDRangeKernel"));
  static auto* const marker =
      reinterpret_cast<int (*)(void*, unsigned, void* const*, void**)>(real("clEnqueueMarkerWithWaitList"));
  ++launches;
  if (chosen("removed")) return event == nullptr ? 0 : marker(queue, 0, nullptr, event);
  return own(queue, kernel, dimensions, offset, global, local, waits, events, event);
}

extern "C" int clFinish(void* queue) {
  static auto* const own = reinterpret_cast<decltype(&clFinish)>(real("clFinish"));
  if (chosen("gone") && launches > 4) return -2;
  while (chosen("hangs") && launches > 4) sleep(1);
  return own(queue);
}

extern "C" int clGetEventProfilingInfo(void* event, unsigned what, std::size_t bytes, void* value, std::size_t* had) {
  static auto* const own = reinterpret_cast<decltype(&clGetEventProfilingInfo)>(real("clGetEventProfilingInfo"));
  const int error = own(event, what, bytes, value, had);
  const char* stated = std::getenv("ASSAY_SHIM");
  if (stated != nullptr && std::strncmp(stated, "clock:", 6) == 0) {
    auto& ticks = *static_cast<std::uint64_t*>(value);
    ticks = static_cast<std::uint64_t>(static_cast<long double>(ticks) * std::atof(stated + 6));
  }
  return error;
}
