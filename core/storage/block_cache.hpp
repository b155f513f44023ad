// Buffers of equal size for blocks, the least recently used given up first.
//
// A buffer is `coming` (its data are on the way from the device), `clean`, `dirty` (written to and not yet on the
// device) or `going` (on the way to it). Only clean ones can be given up; the others keep their place in the order of
// use. The cache knows neither time nor devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

namespace assay::storage {

enum class Buffer : std::uint8_t { coming, clean, dirty, going };

class BlockCache {
 public:
  using Block = std::uint64_t;
  explicit BlockCache(std::size_t buffers) : size_(buffers) {}
  std::size_t size() const { return size_; }
  std::size_t held() const { return places_.size(); }
  std::size_t dirty() const { return dirty_; }

  std::optional<Buffer> find(Block block) const {
    const auto found = places_.find(block);
    return found == places_.end() ? std::nullopt : std::optional(found->second->state);
  }
  // The block is the most recently used now.
  void touch(Block block) { order_.splice(order_.begin(), order_, places_.at(block)); }
  // Gives the block a buffer as the most recently used, giving up another where all are taken; false where none can be.
  bool take(Block block, Buffer state) {
    if (places_.size() >= size_ && !give_up()) return false;
    order_.push_front({block, state});
    places_.emplace(block, order_.begin());
    dirty_ += state == Buffer::dirty;
    return true;
  }
  void mark(Block block, Buffer state) {
    Place& place = *places_.at(block);
    dirty_ += state == Buffer::dirty;
    dirty_ -= place.state == Buffer::dirty;
    place.state = state;
  }
  // Of the dirty blocks that `fit`, the one that was used longest ago.
  template <class Fits>
  std::optional<Block> oldest_dirty(Fits&& fit) const {
    if (dirty_ == 0) return std::nullopt;
    for (auto each = order_.rbegin(); each != order_.rend(); ++each)
      if (each->state == Buffer::dirty && fit(each->block)) return each->block;
    return std::nullopt;
  }
  // Whether a block that `fits` is on its way from the device or to it, or has yet to be written.
  template <class Fits>
  bool changing(Fits&& fits) const {
    const auto is = [&](const Place& each) { return each.state != Buffer::clean && fits(each.block); };
    return std::ranges::any_of(order_, is);
  }
  // Gives up the buffers of clean blocks that fit.
  template <class Fits>
  void empty(Fits&& fits) {
    std::erase_if(order_, [&](const Place& each) {
      const bool goes = each.state == Buffer::clean && fits(each.block);
      if (goes) places_.erase(each.block);
      return goes;
    });
  }

 private:
  struct Place {
    Block block;
    Buffer state;
  };
  bool give_up() {
    for (auto each = order_.rbegin(); each != order_.rend(); ++each) {
      if (each->state != Buffer::clean) continue;
      places_.erase(each->block);
      order_.erase(std::next(each).base());
      return true;
    }
    return false;
  }

  std::size_t size_, dirty_ = 0;
  std::list<Place> order_;  // the most recently used first
  std::unordered_map<Block, std::list<Place>::iterator> places_;
};

}  // namespace assay::storage
