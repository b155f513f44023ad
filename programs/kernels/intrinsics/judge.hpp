// Judges a variant's results over a range: the greatest and the mean error in ulp, and the worst argument.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/intrinsics/argument.hpp"
#include "kernels/intrinsics/functions.hpp"
#include "kernels/intrinsics/ranges.hpp"
#include "kernels/intrinsics/reference.hpp"

namespace assay::kernels {

struct Judged {
  double most = 0, mean = 0;    // ulp
  Argument worst;               // the first of the worst
  std::int64_t arguments = 0;   // judged, those of the search among them
  std::int64_t other_kind = 0;  // of the sample: NaN or infinity where the reference is none, or the reverse
  std::string reference;        // by what
  double disagreement = 0;      // ulp, of the reference with MPFR: the worst thousand and a thousand at random
  bool every = false;           // no argument of the type is missing
};

// An even sample of `count` arguments; float64 then searches for worse ones: parts of the range that look worst are cut
// finer, `search` times (not for a search of one), and `search` rounds look around the worst so far, the known hard
// arguments among them, so that its greatest error is a lower bound. `threads` share a sample of float32. Without
// `replay` the search begins from the sample alone: what it is worth by itself.
template <class T>
Judged judge(const Entry& entry, const Range& range, std::int64_t count, int search, int threads, bool replay = true);

// An argument exactly, in hexadecimal: "0x1.8p+3", or both "0x1p+0, -0x1p-1".
std::string exact_text(const Reference& of, const Argument& argument);

}  // namespace assay::kernels
