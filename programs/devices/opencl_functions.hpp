// The functions and numbers of OpenCL 1.2 that are used, declared here (the Khronos specification's section 4 and 5),
// so that neither a header nor the library is needed to compile.
#pragma once

#include <cstdint>
#include <string>

#include "devices/library.hpp"

namespace assay::devices::cl {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Bits = std::uint64_t;
using Handle = void*;  // of a platform, device, context, queue, memory, program, kernel or event

inline constexpr Int success = 0;
inline constexpr Bits device_all = 0xffffffff, type_cpu = 2, type_gpu = 4;
inline constexpr Uint device_type = 0x1000, device_units = 0x1002, device_group = 0x1004, device_clock = 0x100c,
                      device_largest = 0x1010, device_cache = 0x101e, device_memory = 0x101f, device_local = 0x1023,
                      device_available = 0x1027, device_name = 0x102b, driver_version = 0x102d,
                      device_extensions = 0x1030, platform_name = 0x0902, device_bus = 0x410f, device_bus_amd = 0x4037,
                      device_board_amd = 0x4038;  // cl_khr_pci_bus_info; the last two: cl_amd_device_attribute_query
inline constexpr Bits queue_profiling = 2;
inline constexpr Bits memory_read_write = 1, memory_given = 8,
                      memory_of_host = 16;  // CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR
inline constexpr Bits map_read_write = 3;
inline constexpr Uint build_log = 0x1183, profiling_start = 0x1282, profiling_end = 0x1283, event_status = 0x11d3;
inline constexpr Uint blocking = 1, unblocking = 0;

struct Functions {
  Int (*platforms)(Uint, Handle*, Uint*) = nullptr;
  Int (*platform_info)(Handle, Uint, std::size_t, void*, std::size_t*) = nullptr;
  Int (*devices)(Handle, Bits, Uint, Handle*, Uint*) = nullptr;
  Int (*device_info)(Handle, Uint, std::size_t, void*, std::size_t*) = nullptr;
  Handle (*context)(const void*, Uint, const Handle*, void*, void*, Int*) = nullptr;
  Handle (*queue)(Handle, Handle, Bits, Int*) = nullptr;
  Handle (*buffer)(Handle, Bits, std::size_t, void*, Int*) = nullptr;
  Int (*release_buffer)(Handle) = nullptr;
  Handle (*program)(Handle, Uint, const char**, const std::size_t*, Int*) = nullptr;
  Int (*build)(Handle, Uint, const Handle*, const char*, void*, void*) = nullptr;
  Int (*build_info)(Handle, Handle, Uint, std::size_t, void*, std::size_t*) = nullptr;
  Int (*release_program)(Handle) = nullptr;
  Handle (*kernel)(Handle, const char*, Int*) = nullptr;
  Int (*release_kernel)(Handle) = nullptr;
  Int (*argument)(Handle, Uint, std::size_t, const void*) = nullptr;
  Int (*launch)(Handle, Handle, Uint, const std::size_t*, const std::size_t*, const std::size_t*, Uint, const Handle*,
                Handle*) = nullptr;
  Int (*write)(Handle, Handle, Uint, std::size_t, std::size_t, const void*, Uint, const Handle*, Handle*) = nullptr;
  Int (*read)(Handle, Handle, Uint, std::size_t, std::size_t, void*, Uint, const Handle*, Handle*) = nullptr;
  void* (*map)(Handle, Handle, Uint, Bits, std::size_t, std::size_t, Uint, const Handle*, Handle*, Int*) = nullptr;
  Int (*unmap)(Handle, Handle, void*, Uint, const Handle*, Handle*) = nullptr;
  Int (*flush)(Handle) = nullptr;
  Int (*finish)(Handle) = nullptr;
  Int (*profiling)(Handle, Uint, std::size_t, void*, std::size_t*) = nullptr;
  Int (*release_event)(Handle) = nullptr;

  explicit Functions(Library& library) {
    library.find(platforms, "clGetPlatformIDs");
    library.find(platform_info, "clGetPlatformInfo");
    library.find(devices, "clGetDeviceIDs");
    library.find(device_info, "clGetDeviceInfo");
    library.find(context, "clCreateContext");
    library.find(queue, "clCreateCommandQueue");
    library.find(buffer, "clCreateBuffer");
    library.find(release_buffer, "clReleaseMemObject");
    library.find(program, "clCreateProgramWithSource");
    library.find(build, "clBuildProgram");
    library.find(build_info, "clGetProgramBuildInfo");
    library.find(release_program, "clReleaseProgram");
    library.find(kernel, "clCreateKernel");
    library.find(release_kernel, "clReleaseKernel");
    library.find(argument, "clSetKernelArg");
    library.find(launch, "clEnqueueNDRangeKernel");
    library.find(write, "clEnqueueWriteBuffer");
    library.find(read, "clEnqueueReadBuffer");
    library.find(map, "clEnqueueMapBuffer");
    library.find(unmap, "clEnqueueUnmapMemObject");
    library.find(flush, "clFlush");
    library.find(finish, "clFinish");
    library.find(profiling, "clGetEventProfilingInfo");
    library.find(release_event, "clReleaseEvent");
  }
};

// What an error number means, in the specification's words.
inline std::string error_name(Int error) {
  constexpr struct {
    Int error;
    const char* name;
  } known[] = {{-1, "CL_DEVICE_NOT_FOUND"},
               {-2, "CL_DEVICE_NOT_AVAILABLE"},
               {-3, "CL_COMPILER_NOT_AVAILABLE"},
               {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
               {-5, "CL_OUT_OF_RESOURCES"},
               {-6, "CL_OUT_OF_HOST_MEMORY"},
               {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
               {-11, "CL_BUILD_PROGRAM_FAILURE"},
               {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
               {-34, "CL_INVALID_CONTEXT"},
               {-36, "CL_INVALID_COMMAND_QUEUE"},
               {-46, "CL_INVALID_KERNEL_NAME"},
               {-48, "CL_INVALID_KERNEL"},
               {-51, "CL_INVALID_ARG_SIZE"},
               {-52, "CL_INVALID_KERNEL_ARGS"},
               {-54, "CL_INVALID_WORK_GROUP_SIZE"},
               {-61, "CL_INVALID_BUFFER_SIZE"},
               {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
  for (const auto& each : known)
    if (each.error == error) return std::string(each.name) + " (" + std::to_string(error) + ")";
  return "OpenCL error " + std::to_string(error);
}

}  // namespace assay::devices::cl
