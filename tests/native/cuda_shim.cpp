// A driver that is none: libcuda.so.1 and libnvrtc.so.13 in one, which write each call's name into the file that
// ASSAY_SHIM_CALLS names, keep "device" memory on the host, and do what the kernels `count` and `chain` do. It proves
// that the host code calls what it should in the right order; no number comes of it.
//
// Streams, events, memory, modules and functions are of the context that was current when they were made. Calls with
// those of another context than the current one are refused with CUDA_ERROR_INVALID_HANDLE (CUDA C++ Programming Guide,
// "Stream and Event Behavior"; copies, which the guide allows, are refused as well). ASSAY_SHIM: no-device, memory,
// gone, build, hangs-launch, hangs-copy.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
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

using Handle = void*;
constexpr int invalid_value = 1, invalid_context = 201, invalid_handle = 400;
Handle current = nullptr;
std::map<Handle, Handle> owners;  // of streams, events, modules, functions and memory: their context
Handle own(Handle* handle) {      // a new one, of the current context
  static std::uintptr_t next = 1000;
  *handle = reinterpret_cast<Handle>(next++);
  return owners[*handle] = current;
}
bool is_own(Handle handle) {
  const auto at = owners.find(handle);
  return current != nullptr && at != owners.end() && at->second == current;
}
bool is_own(std::uint64_t address) { return is_own(reinterpret_cast<Handle>(address)); }
std::map<std::uint64_t, std::size_t> sizes;  // of memory
// Whether so many bytes from an address on are in one piece of memory of the current context.
bool within(std::uint64_t address, std::size_t bytes) {
  auto at = sizes.upper_bound(address);
  if (at == sizes.begin()) return false;
  --at;
  return is_own(at->first) && address + bytes <= at->first + at->second;
}

}  // namespace

extern "C" {
int cuInit(unsigned) {
  if (fails("slow")) sleep(30);
  return fails("no-device") ? 100 : note("cuInit");
}
int cuDriverGetVersion(int* version) { return *version = 12040, 0; }
int cuDeviceGetCount(int* count) { return *count = 2, 0; }
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDeviceGetName(char* name, int size, int device) {
  return std::snprintf(name, static_cast<std::size_t>(size), "Shim %d", device), 0;
}
int cuDeviceGetPCIBusId(char* bus, int size, int) {
  return std::snprintf(bus, static_cast<std::size_t>(size), "0000:C1:00.0"), 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  const char* stated = std::getenv("ASSAY_SHIM_MEMORY");
  return *bytes = stated != nullptr ? std::strtoull(stated, nullptr, 10) : std::size_t{1} << 30, 0;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 1 ? 1024 : which == 38 ? 1 << 20 : 4;
  return 0;
}
int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  *context = reinterpret_cast<Handle>(static_cast<std::uintptr_t>(device + 1));
  return note("cuDevicePrimaryCtxRetain", device);
}
int cuCtxSetCurrent(Handle context) { return current = context, 0; }
int cuCtxGetCurrent(Handle* context) { return *context = current, 0; }
int cuStreamCreate(Handle* stream, unsigned flags) {
  if (current == nullptr) return invalid_context;
  return own(stream), note("cuStreamCreate", flags);
}
int cuStreamGetCtx(Handle stream, Handle* context) {
  const auto at = owners.find(stream);
  return at == owners.end() ? invalid_handle : (*context = at->second, 0);
}
int cuStreamSynchronize(Handle stream) {
  if (!is_own(stream)) return invalid_handle;
  return fails("gone") ? 719 : note("cuStreamSynchronize");
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (fails("memory")) return 2;
  if (current == nullptr) return invalid_context;
  *address = reinterpret_cast<std::uint64_t>(std::calloc(bytes, 1));
  sizes[*address] = bytes;
  owners[reinterpret_cast<Handle>(*address)] = current;
  return note("cuMemAlloc", static_cast<long long>(bytes));
}
int cuMemFree_v2(std::uint64_t address) {
  if (!is_own(address)) return invalid_value;
  sizes.erase(address);
  owners.erase(reinterpret_cast<Handle>(address));
  return std::free(reinterpret_cast<void*>(address)), note("cuMemFree");
}
int cuMemHostAlloc(void** data, std::size_t bytes, unsigned) {
  if (current == nullptr) return invalid_context;
  return *data = std::malloc(bytes), note("cuMemHostAlloc", static_cast<long long>(bytes));
}
int cuMemHostRegister_v2(void*, std::size_t bytes, unsigned) {
  return note("cuMemHostRegister", static_cast<long long>(bytes));
}
int cuMemHostUnregister(void*) { return note("cuMemHostUnregister"); }
int cuMemFreeHost(void* data) { return std::free(data), note("cuMemFreeHost"); }
int cuModuleLoadData(Handle* module, const void*) {
  if (current == nullptr) return invalid_context;
  if (fails("newer-code")) return 222;
  return own(module), note("cuModuleLoadData");
}
int cuModuleUnload(Handle module) {
  if (!is_own(module)) return invalid_handle;
  return owners.erase(module), note("cuModuleUnload");
}
std::map<Handle, std::string> functions;
int cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  if (!is_own(module)) return invalid_handle;
  own(function);
  functions[*function] = name;
  return note(name);
}
int cuLaunchKernel(Handle function, unsigned groups, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle stream, void** arguments, void**) {
  while (fails("hangs-launch")) sleep(1);
  if (!is_own(function) || !is_own(stream)) return invalid_handle;
  const auto memory = [&](int at) { return *static_cast<std::uint64_t*>(arguments[at]); };
  if (!is_own(memory(0))) return invalid_value;
  if (functions[function] == "count") {
    *reinterpret_cast<std::uint64_t*>(memory(0)) += 1;
  } else if (functions[function] == "chain" && is_own(memory(1))) {
    auto* state = reinterpret_cast<std::uint32_t*>(memory(0));
    const auto* next = reinterpret_cast<const std::uint32_t*>(memory(1));
    for (std::uint64_t loads = memory(2); loads > 0; --loads) *state = next[*state];
  } else {
    return invalid_value;
  }
  return note("cuLaunchKernel", groups);
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Handle stream) {
  while (fails("hangs-copy")) sleep(1);
  if (!is_own(stream)) return invalid_handle;
  if (!within(to, bytes)) return invalid_value;
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes),
         note("cuMemcpyHtoDAsync", static_cast<long long>(bytes));
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Handle stream) {
  if (!is_own(stream)) return invalid_handle;
  if (!within(from, bytes)) return invalid_value;
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes),
         note("cuMemcpyDtoHAsync", static_cast<long long>(bytes));
}
std::map<Handle, std::chrono::steady_clock::time_point> recorded;  // all that is queued is done at once
int cuEventCreate(Handle* event, unsigned) {
  if (current == nullptr) return invalid_context;
  return own(event), note("cuEventCreate");
}
int cuEventRecord(Handle event, Handle stream) {
  if (!is_own(event) || !is_own(stream)) return invalid_handle;
  recorded[event] = std::chrono::steady_clock::now();
  return note("cuEventRecord");
}
int cuEventElapsedTime(float* milliseconds, Handle from, Handle to) {
  if (!is_own(from) || !is_own(to)) return invalid_handle;
  *milliseconds = std::chrono::duration<float, std::milli>(recorded[to] - recorded[from]).count();
  return note("cuEventElapsedTime");
}
int cuEventDestroy_v2(Handle event) { return owners.erase(event), note("cuEventDestroy"); }
int cuGetErrorName(int error, const char** name) {
  *name = error == 2                 ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 222             ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
          : error == 100             ? "CUDA_ERROR_NO_DEVICE"
          : error == invalid_handle  ? "CUDA_ERROR_INVALID_HANDLE"
          : error == invalid_value   ? "CUDA_ERROR_INVALID_VALUE"
          : error == invalid_context ? "CUDA_ERROR_INVALID_CONTEXT"
                                     : "CUDA_ERROR_LAUNCH_FAILED";
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
