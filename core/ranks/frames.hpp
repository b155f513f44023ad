// Memory for the coroutines of very many ranks: frames of one size one behind the other in blocks on large pages, used
// again by size. Malloc's headers and small pages had cost a fifth of a million ranks' time; and what ranks do at one
// time they do in frames of one size, so that these are walked from end to end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "events/large_pages.hpp"
#include "ranks/task.hpp"

namespace assay::described {

class FrameArena final : public ranks::Frames {
 public:
  FrameArena() : before_(std::exchange(ranks::frames, this)) {}
  ~FrameArena() override { ranks::frames = before_; }  // in the thread that made it
  FrameArena(const FrameArena&) = delete;

  void* take(std::size_t bytes) override {
    const std::size_t size = (bytes + grain - 1) / grain;
    if (size >= sizes_.size()) return ::operator new(bytes);
    for (std::size_t each = size; each < std::min(size + near, sizes_.size()); ++each)
      if (void* const used = sizes_[each].free) {
        sizes_[each].free = *static_cast<void**>(used);
        return used;
      }
    Size& mine = sizes_[size];
    if (mine.left < size) {
      mine.left = mine.next ? largest : smallest;
      mine.next = blocks_.emplace_back(mine.left).data();
    }
    void* const fresh = mine.next;
    mine.next += size;
    mine.left -= size;
    return fresh;
  }
  void give(void* frame, std::size_t bytes) override {
    const std::size_t size = (bytes + grain - 1) / grain;
    if (size >= sizes_.size()) return ::operator delete(frame);
    *static_cast<void**>(frame) = std::exchange(sizes_[size].free, frame);
  }

 private:
  struct alignas(16) Grain {  // not initialised
    std::byte bytes[16];
    Grain() {}  // NOLINT
  };
  static constexpr std::size_t grain = sizeof(Grain), smallest = 4096, largest = std::size_t{1} << 20;  // grains
  static constexpr std::size_t near = 24;  // sizes: a frame that is free and up to 384 B larger is taken, too
  struct Size {
    void* free = nullptr;
    Grain* next = nullptr;  // in its last block
    std::size_t left = 0;   // grains
  };
  Frames* const before_;
  std::array<Size, 512> sizes_{};  // by grains
  std::vector<std::vector<Grain, events::LargePages<Grain>>> blocks_;
};

}  // namespace assay::described
