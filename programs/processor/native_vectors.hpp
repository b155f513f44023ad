// The widest vectors that the compiler was given for this processor, as GCC and Clang write them: sums and products of
// whole vectors, element by element. Without flags for AVX they are those of 16 bytes that every x86-64 and AArch64
// has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {

inline constexpr std::size_t vector_bytes =
#if defined(__AVX512F__)
    64;
#elif defined(__AVX__)
    32;
#else
    16;
#endif

// may_alias: arrays of T are read and written through it.
template <class T>
using Vector [[gnu::vector_size(vector_bytes), gnu::may_alias]] = T;

// The elements of a vector; of the type of indices, since loops count with it.
template <class T>
constexpr std::int64_t lanes = vector_bytes / sizeof(T);

}  // namespace assay
