// What one width of vectors gives the roofs: its loops, compiled apart (loops.cpp) with the flags of that width.
#pragma once

#include <cstdint>

namespace assay::memory::roofs {

// A loop makes so many rounds of `vectors` whole vectors each, over a working set of a power of two of bytes, whose
// end it passes without a branch: `wrap` is its bytes less one.
struct Width {
  std::int64_t bytes;    // of a vector; 0: the compiler has no such vectors for this processor
  std::int64_t vectors;  // of a round
  bool fused;            // a multiply-add is one instruction
  std::int64_t chains;   // of multiply-adds, side by side
  bool (*here)();        // whether this processor has the instructions
  // Returns the sum of the words of 64 bits of the last eight vectors; `add`, the same loop with additions, of all.
  std::uint64_t (*load)(const char* from, std::int64_t wrap, std::int64_t rounds);
  std::uint64_t (*add)(const char* from, std::int64_t wrap, std::int64_t rounds);
  void (*store)(char* to, std::int64_t wrap, std::int64_t rounds, std::uint64_t word);
  void (*copy)(char* to, const char* from, std::int64_t wrap, std::int64_t rounds);
  // sum = sum * factor + term, `times` times in every lane of every chain; `sums`: all lanes, on a boundary of 64
  // bytes.
  void (*multiply_add)(double* sums, double factor, double term, std::int64_t times);
};

}  // namespace assay::memory::roofs

namespace assay::memory::roofs::scalar {
extern const Width width;
}
namespace assay::memory::roofs::bits128 {
extern const Width width;
}
namespace assay::memory::roofs::bits256 {
extern const Width width;
}
namespace assay::memory::roofs::bits512 {
extern const Width width;
}
