// The functions and numbers of CUDA's driver and NVRTC that are used, as their manuals declare them; no header
// and no library of the vendor's is needed to compile.
#pragma once

#include <cstdint>
#include <string>

#include "devices/library.hpp"

namespace assay::devices::cuda {

using Handle = void*;  // of a context, stream, module, function, event or program
using Address = std::uint64_t;

inline constexpr int group_most = 1, group_memory = 8, clock_rate = 13, multiprocessors = 16, cache_bytes = 38,
                     capability_major = 75, capability_minor = 76;

struct Driver {
  int (*start)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*count)(int*) = nullptr;
  int (*device)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*bus)(char*, int, int) = nullptr;
  int (*memory)(std::size_t*, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*context)(Handle*, int) = nullptr;
  int (*use)(Handle) = nullptr;
  int (*stream)(Handle*, unsigned) = nullptr;
  int (*wait)(Handle) = nullptr;
  int (*allocate)(Address*, std::size_t) = nullptr;
  int (*release)(Address) = nullptr;
  int (*pin)(void**, std::size_t, unsigned) = nullptr;
  int (*unpin)(void*) = nullptr;
  int (*pin_given)(void*, std::size_t, unsigned) = nullptr;
  int (*release_given)(void*) = nullptr;
  int (*load)(Handle*, const void*) = nullptr;
  int (*unload)(Handle) = nullptr;
  int (*function)(Handle*, Handle, const char*) = nullptr;
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**,
                void**) = nullptr;
  int (*copy_in)(Address, const void*, std::size_t, Handle) = nullptr;
  int (*copy_out)(void*, Address, std::size_t, Handle) = nullptr;
  int (*event)(Handle*, unsigned) = nullptr;
  int (*record)(Handle, Handle) = nullptr;
  int (*elapsed)(float*, Handle, Handle) = nullptr;
  int (*release_event)(Handle) = nullptr;
  int (*error_name)(int, const char**) = nullptr;

  explicit Driver(Library& library) {
    library.find(start, "cuInit");
    library.find(version, "cuDriverGetVersion");
    library.find(count, "cuDeviceGetCount");
    library.find(device, "cuDeviceGet");
    library.find(name, "cuDeviceGetName");
    library.find(bus, "cuDeviceGetPCIBusId");
    library.find(memory, "cuDeviceTotalMem_v2");
    library.find(attribute, "cuDeviceGetAttribute");
    library.find(context, "cuDevicePrimaryCtxRetain");
    library.find(use, "cuCtxSetCurrent");
    library.find(stream, "cuStreamCreate");
    library.find(wait, "cuStreamSynchronize");
    library.find(allocate, "cuMemAlloc_v2");
    library.find(release, "cuMemFree_v2");
    library.find(pin, "cuMemHostAlloc");
    library.find(unpin, "cuMemFreeHost");
    library.find(pin_given, "cuMemHostRegister_v2");
    library.find(release_given, "cuMemHostUnregister");
    library.find(load, "cuModuleLoadData");
    library.find(unload, "cuModuleUnload");
    library.find(function, "cuModuleGetFunction");
    library.find(launch, "cuLaunchKernel");
    library.find(copy_in, "cuMemcpyHtoDAsync_v2");
    library.find(copy_out, "cuMemcpyDtoHAsync_v2");
    library.find(event, "cuEventCreate");
    library.find(record, "cuEventRecord");
    library.find(elapsed, "cuEventElapsedTime");
    library.find(release_event, "cuEventDestroy_v2");
    library.find(error_name, "cuGetErrorName");
  }
};

struct Compiler {
  int (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(Handle, int, const char* const*) = nullptr;
  int (*code_size)(Handle, std::size_t*) = nullptr;
  int (*code)(Handle, char*) = nullptr;
  int (*log_size)(Handle, std::size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;
  int (*release)(Handle*) = nullptr;
  const char* (*error)(int) = nullptr;

  explicit Compiler(Library& library) {
    library.find(create, "nvrtcCreateProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(code_size, "nvrtcGetPTXSize");
    library.find(code, "nvrtcGetPTX");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(release, "nvrtcDestroyProgram");
    library.find(error, "nvrtcGetErrorString");
  }
};

}  // namespace assay::devices::cuda
