// Who wrote which block of a file that several append to at once: where a block comes to lie is the kernel's choice, so
// each is stamped with the place that it has in its writer's own order, and found again by its first word.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/pattern.hpp"

namespace assay::files {

class Appended {
 public:
  explicit Appended(std::int64_t block) : pattern_(block) {}

  // A block that was appended, as it was stamped; they are numbered from 0 in the order of these calls.
  void add(std::int64_t offset, const Origin& of) {
    at_.emplace(pattern_.first_word(offset, of), stamped_.size());
    stamped_.emplace_back(offset, of);
  }
  std::size_t size() const { return stamped_.size(); }

  // The number of the block that these bytes are, every one of them; -1 where they are none, torn or damaged.
  std::int64_t which(const char* block) const {
    std::uint64_t word = 0;
    std::memcpy(&word, block, sizeof word);
    const auto found = at_.find(word);
    if (found == at_.end()) return -1;
    const auto& [offset, of] = stamped_[found->second];
    return pattern_.right(block, offset, of) ? static_cast<std::int64_t>(found->second) : -1;
  }

 private:
  Pattern pattern_;
  std::vector<std::pair<std::int64_t, Origin>> stamped_;
  std::unordered_map<std::uint64_t, std::size_t> at_;
};

}  // namespace assay::files
