// The measured loops, those of doubles: the unit that build variants compile.
#include "kernels/livermore_loops.hpp"

template void assay::kernels::Loops<double>::run(int loop);
