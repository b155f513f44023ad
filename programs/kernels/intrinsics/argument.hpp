// One argument of a function, or the two of one that takes two, and the error of the result there.
#pragma once

namespace assay::kernels {

struct Argument {
  double x = 0, y = 0;
  double ulp = 0;
};

}  // namespace assay::kernels
