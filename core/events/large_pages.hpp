// An allocator for vectors that may grow to millions of items and are walked in no order: large blocks on large pages
// where the system gives them, as nearly every access would be to another small one.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace assay::events {

template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}
  T* allocate(std::size_t count) {
    static constexpr std::size_t page = std::size_t{2} << 20, large = 2 * page;
    const std::size_t bytes = count * sizeof(T);
    if (bytes < large) return static_cast<T*>(::operator new(bytes, std::align_val_t{alignof(T)}));
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, whole);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < (std::size_t{4} << 20))
      ::operator delete(memory, std::align_val_t{alignof(T)});
    else
      std::free(memory);
  }
  bool operator==(const LargePages&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace assay::events
