// Arrays that begin at a cache line, as libraries' own allocation has them (fftw_malloc): a library that plans by where
// its arrays lie takes its vector code only then, and no vector of a loop straddles two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace assay::kernels {

template <class T>
struct LineAligned {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAligned() = default;
  template <class U>
  LineAligned(const LineAligned<U>&) {}  // NOLINT(google-explicit-constructor): what an allocator must have

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* at, std::size_t count) { ::operator delete(at, count * sizeof(T), line); }
  bool operator==(const LineAligned&) const { return true; }
};

template <class T>
using LineAlignedArray = std::vector<T, LineAligned<T>>;

}  // namespace assay::kernels
