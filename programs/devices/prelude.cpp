#include "devices/prelude.hpp"

namespace assay::devices {
namespace {

const char* opencl_name(Element type) {
  switch (type) {
    case Element::float64:
      return "double";
    case Element::float32:
      return "float";
    case Element::int32:
      return "uint";
    case Element::int8:
      return "char";
    default:
      return "half";
  }
}

const char* cuda_name(Element type) {
  switch (type) {
    case Element::float64:
      return "double";
    case Element::float32:
      return "float";
    case Element::int32:
      return "unsigned int";
    case Element::int8:
      return "signed char";
    default:
      return "Half";
  }
}

}  // namespace

std::string opencl_prelude(Element type, int lanes) {
  const std::string name = opencl_name(type);
  std::string text;
  if (type == Element::float64) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (type == Element::float16) text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  text += R"(#pragma OPENCL FP_CONTRACT ON
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define ITEM get_global_id(0)
#define ITEMS get_global_size(0)
#define GROUP get_group_id(0)
#define GROUPS get_num_groups(0)
#define IN_GROUP get_local_id(0)
#define GROUP_SIZE get_local_size(0)
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
typedef ulong Index;
)";
  text += "typedef " + name + " Real;\ntypedef " + name + (lanes > 1 ? std::to_string(lanes) : "") + " Value;\n";
  text += "#define LANES " + std::to_string(lanes) + "\n";
  text += type == Element::int32 || type == Element::int8 ? "#define FMA(a, b, c) ((a) * (b) + (c))\n"
                                                          : "#define FMA(a, b, c) fma(a, b, c)\n";
  return text;
}

std::string cuda_prelude(Element type, int lanes) {
  std::string text = R"(#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL __shared__
typedef unsigned long long Index;
#define ITEM ((Index)blockIdx.x * blockDim.x + threadIdx.x)
#define ITEMS ((Index)gridDim.x * blockDim.x)
#define GROUP ((Index)blockIdx.x)
#define GROUPS ((Index)gridDim.x)
#define IN_GROUP threadIdx.x
#define GROUP_SIZE blockDim.x
#define MEET __syncthreads()
)";
  if (type ==
      Element::float16) {  // without a header: the instructions of half precision as PTX has them, two at a time
    text += R"(typedef unsigned int uint32_lanes;
struct alignas(2) Half { unsigned short bits; };
)";
  }
  text += "typedef " + std::string(cuda_name(type)) + " Real;\n#define LANES " + std::to_string(lanes) + "\n";
  if (type == Element::float16)
    return text + R"(struct alignas(2 * LANES) Value { uint32_lanes pair[LANES / 2]; };
__device__ inline Value FMA(Value a, Value b, Value c) {
  for (int at = 0; at < LANES / 2; ++at)
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(c.pair[at]) : "r"(a.pair[at]), "r"(b.pair[at]), "r"(c.pair[at]));
  return c;
}
)";
  if (lanes == 1)
    text += "typedef Real Value;\n";
  else
    text += R"(struct alignas(sizeof(Real) * LANES > 16 ? 16 : sizeof(Real) * LANES) Value {
  Real lane[LANES];
  __device__ Value() {}
  __device__ Value(Real all) { for (int at = 0; at < LANES; ++at) lane[at] = all; }
};
__device__ inline Value operator+(Value a, Value b) { for (int at = 0; at < LANES; ++at) a.lane[at] += b.lane[at]; return a; }
__device__ inline Value operator*(Value a, Value b) { for (int at = 0; at < LANES; ++at) a.lane[at] *= b.lane[at]; return a; }
)";
  if (type == Element::int32 || type == Element::int8) return text + "#define FMA(a, b, c) ((a) * (b) + (c))\n";
  text += "__device__ inline Real fused(Real a, Real b, Real c) { return " +
          std::string(type == Element::float64 ? "__fma_rn" : "__fmaf_rn") + "(a, b, c); }\n";
  if (lanes == 1) return text + "#define FMA(a, b, c) fused(a, b, c)\n";
  return text + R"(__device__ inline Value FMA(Value a, Value b, Value c) {
  for (int at = 0; at < LANES; ++at) c.lane[at] = fused(a.lane[at], b.lane[at], c.lane[at]);
  return c;
}
)";
}

}  // namespace assay::devices
