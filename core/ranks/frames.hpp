// Memory for the coroutines of very many ranks: frames one behind the other in blocks on large pages, used again by
// size. Malloc's headers and small pages had cost a fifth of a million ranks' time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "events/large_pages.hpp"
#include "ranks/task.hpp"

namespace assay::described {

class FrameArena final : public ranks::Frames {
 public:
  FrameArena() { ranks::frames = this; }
  ~FrameArena() override { ranks::frames = nullptr; }
  FrameArena(const FrameArena&) = delete;

  void* take(std::size_t bytes) override {
    const std::size_t size = (bytes + line - 1) / line;
    if (size >= free_.size()) return ::operator new(bytes);
    if (void* const used = free_[size]) {
      free_[size] = *static_cast<void**>(used);
      return used;
    }
    if (left_ < size * line) {
      left_ = blocks_.empty() ? smallest : largest;
      blocks_.emplace_back(left_ + line);
      const auto begin = reinterpret_cast<std::uintptr_t>(blocks_.back().data());
      next_ = blocks_.back().data() + (line - begin % line) % line;
    }
    void* const fresh = next_;
    next_ += size * line;
    left_ -= size * line;
    return fresh;
  }
  void give(void* frame, std::size_t bytes) override {
    const std::size_t size = (bytes + line - 1) / line;
    if (size >= free_.size()) return ::operator delete(frame);
    *static_cast<void**>(frame) = free_[size];
    free_[size] = frame;
  }

 private:
  static constexpr std::size_t line = 64, smallest = std::size_t{1} << 18, largest = std::size_t{16} << 20;
  struct Raw {  // not initialised
    std::byte value;
    Raw() {}  // NOLINT
  };
  std::array<void*, 128> free_{};  // by lines
  std::vector<std::vector<Raw, events::LargePages<Raw>>> blocks_;
  Raw* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace assay::described
