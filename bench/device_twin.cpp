// What somebody would write who wants one number: STREAM's triad, or a product by CLBlast, through OpenCL's own header.
//   device_twin triad BYTES LAUNCHES READINGS | gemm N PRODUCTS READINGS [NUMBER OF THE DEVICE]
// Prints a line for each reading: seconds of a launch, or of a product.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int CLBlastSgemm(int, int, int, size_t, size_t, size_t, float, cl_mem, size_t, size_t, cl_mem, size_t,
                            size_t, float, cl_mem, size_t, size_t, cl_command_queue*, cl_event*);

static void right(cl_int error) {
  if (error != CL_SUCCESS) std::fprintf(stderr, "OpenCL error %d\n", error), std::exit(1);
}

static const char* source = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void triad(__global double* a, __global const double* b, __global const double* c, double s) {
  size_t i = get_global_id(0);
  a[i] = b[i] + s * c[i];
})";

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const bool triad = std::string(argv[1]) == "triad";
  const size_t size = std::strtoull(argv[2], nullptr, 10), times = std::strtoull(argv[3], nullptr, 10);
  const int readings = std::atoi(argv[4]);
  cl_platform_id platform;
  cl_device_id devices[16];
  cl_uint count = 0;
  cl_int error;
  right(clGetPlatformIDs(1, &platform, nullptr));
  right(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count));
  cl_device_id device = devices[argc > 5 ? std::atoi(argv[5]) : 0];
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  right(error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  right(error);
  const size_t bytes = triad ? size : size * size * sizeof(float);
  cl_mem memory[3];
  // Numbers between -1 and 1: a processor multiplies zeros with less power, and so at a higher clock.
  std::vector<double> reals(triad ? bytes / sizeof(double) : 0);
  std::vector<float> factors(triad ? 0 : bytes / sizeof(float));
  for (double& each : reals) each = std::rand() * 2.0 / RAND_MAX - 1;
  for (float& each : factors) each = std::rand() * 2.0F / static_cast<float>(RAND_MAX) - 1;
  const void* const values = triad ? static_cast<void*>(reals.data()) : factors.data();
  for (cl_mem& each : memory) {
    each = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
    right(error);
    right(clEnqueueWriteBuffer(queue, each, CL_TRUE, 0, bytes, values, 0, nullptr, nullptr));
  }
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  right(error);
  right(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
  cl_kernel kernel = clCreateKernel(program, "triad", &error);
  right(error);
  const double scalar = 3;
  for (cl_uint at = 0; at < 3; ++at) right(clSetKernelArg(kernel, at, sizeof(cl_mem), &memory[at]));
  right(clSetKernelArg(kernel, 3, sizeof scalar, &scalar));
  const size_t items = bytes / sizeof(double), group = 256;
  for (int reading = -1; reading < readings; ++reading) {  // the first warms up
    const auto from = std::chrono::steady_clock::now();
    for (size_t time = 0; time < times; ++time)
      right(triad ? clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr)
                  : CLBlastSgemm(101, 111, 111, size, size, size, 1, memory[1], 0, size, memory[2], 0, size, 0,
                                 memory[0], 0, size, &queue, nullptr));
    right(clFinish(queue));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    if (reading >= 0) std::printf("%.9g\n", took.count() / static_cast<double>(times));
  }
}
