# The processor that the core is compiled for: x86-64-v3 where the compiler and this machine know it, else what the
# compiler takes by itself. -DASSAY_PROCESSOR=baseline for a build that must also run on older machines.
set(ASSAY_PROCESSOR "auto" CACHE STRING "auto: x86-64-v3 where this machine has it; baseline: any machine")
set(ASSAY_PROCESSOR_FLAGS)
if(ASSAY_PROCESSOR STREQUAL "auto" AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v3")
  check_cxx_source_runs("
    int main() {
      return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"bmi\") && __builtin_cpu_supports(\"bmi2\") &&
             __builtin_cpu_supports(\"fma\") ? 0 : 1;
    }" ASSAY_HAS_X86_64_V3)
  if(ASSAY_HAS_X86_64_V3)
    set(ASSAY_PROCESSOR_FLAGS -march=x86-64-v3)
  endif()
endif()
