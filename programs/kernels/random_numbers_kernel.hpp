// Philox4x32-10, a random number generator by counter (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy
// as 1, 2, 3, SC 2011): ten rounds of two multiplications of 32 bits mix a counter of 128 bits with a key of 64.
// Compiled apart (loops/random_numbers.cpp), so that other flags touch nothing but it.
#pragma once

#include <cstdint>

namespace assay::kernels {

// Puts the random words of a counter, four of 32 bits, where it was; the key has two.
void philox(std::uint32_t* words, const std::uint32_t* key);

// Numbers 2 i and 2 i + 1 are made from the counter `first` + i; `count` is even.
void fill_by_philox(double* to, std::int64_t count, std::uint64_t first, const std::uint32_t* key);

}  // namespace assay::kernels
