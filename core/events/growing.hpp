// An array of plain data that becomes longer: large ones are moved by the system page by page (realloc), where a vector
// would copy them to fresh pages each time.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace assay::events {

template <class T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  T& operator[](std::size_t index) { return memory_.get()[index]; }
  const T& operator[](std::size_t index) const { return memory_.get()[index]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  T* begin() { return memory_.get(); }
  T* end() { return memory_.get() + size_; }
  /// To a size that is not below the present one.
  void grow(std::size_t size) {
    void* const moved = std::realloc(static_cast<void*>(memory_.get()), size * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(memory_.release());
    memory_.reset(static_cast<T*>(moved));
    std::uninitialized_default_construct(end(), memory_.get() + size);
    size_ = size;
  }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(static_cast<void*>(memory)); }
  };
  std::unique_ptr<T[], Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace assay::events
