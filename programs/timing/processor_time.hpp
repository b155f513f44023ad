// Processor time of this process and of those that it started and waited for, in user code and in the kernel for it.
#pragma once

#include <sys/resource.h>

namespace assay::timing {

struct ProcessorTime {
  double user = 0;    // s
  double system = 0;  // s
};

inline ProcessorTime processor_time() {
  ProcessorTime spent;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    spent.user += static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
    spent.system += static_cast<double>(used.ru_stime.tv_sec) + 1e-6 * static_cast<double>(used.ru_stime.tv_usec);
  }
  return spent;
}

}  // namespace assay::timing
