// A driver that is none: libcuda.so.1 and libnvrtc.so.12 in one, which write each call's name into the file that
// ASSAY_SHIM_CALLS names, keep "device" memory on the host, and do what the kernels `count` and `chain` do. It proves
// that the host code calls what it should in the right order; no number comes of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int note(const char* name, long long number = -1) {
  static std::FILE* const file = std::fopen(std::getenv("ASSAY_SHIM_CALLS"), "a");
  number < 0 ? std::fprintf(file, "%s\n", name) : std::fprintf(file, "%s %lld\n", name, number);
  std::fflush(file);
  return 0;
}
bool fails(const char* what) {
  const char* stated = std::getenv("ASSAY_SHIM");
  return stated != nullptr && std::strcmp(stated, what) == 0;
}
std::string made;  // the kernel that was compiled last

}  // namespace

extern "C" {
using Handle = void*;
int cuInit(unsigned) { return fails("no-device") ? 100 : note("cuInit"); }
int cuDriverGetVersion(int* version) { return *version = 12040, 0; }
int cuDeviceGetCount(int* count) { return *count = 2, 0; }
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDeviceGetName(char* name, int size, int device) {
  return std::snprintf(name, static_cast<std::size_t>(size), "Shim %d", device), 0;
}
int cuDeviceGetPCIBusId(char* bus, int size, int) {
  return std::snprintf(bus, static_cast<std::size_t>(size), "0000:01:00.0"), 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{1} << 30, 0; }
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 1 ? 1024 : which == 38 ? 1 << 20 : 4;
  return 0;
}
int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  *context = reinterpret_cast<Handle>(static_cast<std::uintptr_t>(device + 1));
  return note("cuDevicePrimaryCtxRetain", device);
}
int cuCtxSetCurrent(Handle) { return 0; }
int cuStreamCreate(Handle* stream, unsigned flags) {
  static std::uintptr_t next = 1;
  *stream = reinterpret_cast<Handle>(next++);
  return note("cuStreamCreate", flags);
}
int cuStreamSynchronize(Handle) { return fails("gone") ? 719 : note("cuStreamSynchronize"); }
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (fails("memory")) return 2;
  *address = reinterpret_cast<std::uint64_t>(std::calloc(bytes, 1));
  return note("cuMemAlloc", static_cast<long long>(bytes));
}
int cuMemFree_v2(std::uint64_t address) { return std::free(reinterpret_cast<void*>(address)), note("cuMemFree"); }
int cuMemHostAlloc(void** data, std::size_t bytes, unsigned) {
  return *data = std::malloc(bytes), note("cuMemHostAlloc", static_cast<long long>(bytes));
}
int cuMemHostRegister_v2(void*, std::size_t bytes, unsigned) {
  return note("cuMemHostRegister", static_cast<long long>(bytes));
}
int cuMemHostUnregister(void*) { return note("cuMemHostUnregister"); }
int cuMemFreeHost(void* data) { return std::free(data), note("cuMemFreeHost"); }
int cuModuleLoadData(Handle* module, const void* code) {
  return *module = const_cast<void*>(code), note("cuModuleLoadData");
}
int cuModuleUnload(Handle) { return note("cuModuleUnload"); }
int cuModuleGetFunction(Handle* function, Handle, const char* name) {
  return *function = const_cast<char*>(name[1] == 'o' ? "count" : "chain"), note(name);
}
int cuLaunchKernel(Handle function, unsigned groups, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                   void** arguments, void**) {
  const auto memory = [&](int at) { return *static_cast<std::uint64_t*>(arguments[at]); };
  if (std::strcmp(static_cast<const char*>(function), "count") == 0) {
    *reinterpret_cast<std::uint64_t*>(memory(0)) += 1;
  } else {
    auto* state = reinterpret_cast<std::uint32_t*>(memory(0));
    const auto* next = reinterpret_cast<const std::uint32_t*>(memory(1));
    for (std::uint64_t loads = memory(2); loads > 0; --loads) *state = next[*state];
  }
  return note("cuLaunchKernel", groups);
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Handle) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes),
         note("cuMemcpyHtoDAsync", static_cast<long long>(bytes));
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Handle) {
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes),
         note("cuMemcpyDtoHAsync", static_cast<long long>(bytes));
}
int cuEventCreate(Handle* event, unsigned) { return *event = nullptr, note("cuEventCreate"); }
int cuEventRecord(Handle, Handle) { return note("cuEventRecord"); }
int cuEventElapsedTime(float* milliseconds, Handle, Handle) {
  return *milliseconds = 0.064F, note("cuEventElapsedTime");
}
int cuEventDestroy_v2(Handle) { return note("cuEventDestroy"); }
int cuGetErrorName(int error, const char** name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_LAUNCH_FAILED";
  return 0;
}
int nvrtcCreateProgram(Handle* program, const char* source, const char*, int, const char* const*, const char* const*) {
  made = source;
  return *program = &made, note("nvrtcCreateProgram");
}
int nvrtcCompileProgram(Handle, int count, const char* const* options) {
  note(options[0], count);
  return fails("build") ? 6 : 0;
}
int nvrtcGetPTXSize(Handle, std::size_t* bytes) { return *bytes = 4, 0; }
int nvrtcGetPTX(Handle, char* code) { return std::memcpy(code, "ptx", 4), 0; }
int nvrtcGetProgramLogSize(Handle, std::size_t* bytes) { return *bytes = 40, 0; }
int nvrtcGetProgramLog(Handle, char* log) { return std::strcpy(log, "count.cu(3): error: nothing fits\nmore"), 0; }
int nvrtcDestroyProgram(Handle*) { return note("nvrtcDestroyProgram"); }
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
}
