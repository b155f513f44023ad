// Words for channels: the cycle from which a channel is free, possibly ahead of now, or that it is held; for a million
// nodes in zeroed memory on large pages where the system gives them, since nearly every access is to another page.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace assay::network {

/// 32-bit times are relative to a base that is moved up now and then.
inline constexpr std::uint32_t held = 0x80000000u;        // and, in the low bits, the queue's tail
inline constexpr std::uint32_t held_alone = 0xffffffffu;  // nobody waits
/// A channel's word after the base was moved: a cycle long past is 0, a queue stays.
[[nodiscard]] inline std::uint32_t moved(std::uint32_t word, std::uint64_t shift) {
  return word >= held ? word : word > shift ? word - static_cast<std::uint32_t>(shift) : 0u;
}

class Words {
 public:
  explicit Words(std::size_t count) : size_(count) {
    if (count * 4 < large) {
      memory_.reset(static_cast<std::uint32_t*>(std::calloc(count + 1, 4)));
    } else {
      const std::size_t bytes = (count * 4 + page - 1) / page * page;
      memory_.reset(static_cast<std::uint32_t*>(std::aligned_alloc(page, bytes)));
      if (memory_) {
        madvise(memory_.get(), bytes, MADV_HUGEPAGE);
        std::fill_n(memory_.get(), count, 0u);
      }
    }
    if (!memory_) throw std::bad_alloc();
  }
  std::uint32_t& operator[](std::size_t index) { return memory_[index]; }
  const std::uint32_t& operator[](std::size_t index) const { return memory_[index]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return size_; }
  std::uint32_t* begin() { return memory_.get(); }
  std::uint32_t* end() { return memory_.get() + size_; }

 private:
  static constexpr std::size_t large = std::size_t{8} << 20, page = std::size_t{2} << 20;
  struct Free {
    void operator()(std::uint32_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::uint32_t[], Free> memory_;
  std::size_t size_;
};

}  // namespace assay::network
