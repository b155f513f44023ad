// What is in a block: each sector of 512 bytes says its file, its offset, who wrote it and in which version, with a
// check over these four; the rest are random words by their place in 64 KiB of the file, which do not compress. A
// sector of another place, file, writer or pass is told from the right one, and so is one that is torn or damaged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace assay::files {

inline constexpr std::int64_t sector = 512;

inline std::uint64_t mixed(std::uint64_t bits) {  // splitmix64's finalizer, Steele, Lea and Flood 2014
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

struct Origin {  // whose a block is
  std::uint64_t file = 0, writer = 0, version = 0;
};

class Pattern {
 public:
  explicit Pattern(std::int64_t block) : bytes_(block), body_(static_cast<std::size_t>(period / 8)) {
    for (std::size_t at = 0; at < body_.size(); ++at) body_[at] = mixed(0x9e3779b97f4a7c15 * (at + 1));
  }

  // The words of a block at `offset`, without what its sectors say.
  void lay(char* block, std::int64_t offset = 0) const {
    for (std::int64_t at = 0; at < bytes_;) {
      const std::int64_t from = (offset + at) % period, now = std::min(bytes_ - at, period - from);
      std::memcpy(block + at, reinterpret_cast<const char*>(body_.data()) + from, static_cast<std::size_t>(now));
      at += now;
    }
  }

  // All of a block in a buffer that `lay` was called for once.
  void stamp(char* block, std::int64_t offset, const Origin& of) const {
    if (bytes_ % period != 0) lay(block, offset);  // else the same words stand in every block
    for (std::int64_t at = 0; at < bytes_; at += sector) {
      const Head head = head_of(offset + at, of);
      std::memcpy(block + at, &head, sizeof head);
    }
#ifdef ASSAY_BREAK
    block[bytes_ / 2 + 100] ^= 1;
#endif
  }
  // Whether the block's first sector is the right one: what a timed pass asks of each block.
  bool begins_right(const char* block, std::int64_t offset, const Origin& of) const {
    const Head head = head_of(offset, of);
    return std::memcmp(block, &head, sizeof head) == 0;
  }
  // Whether every byte is as it was written.
  bool right(const char* block, std::int64_t offset, const Origin& of) const {
    for (std::int64_t at = 0; at < bytes_; at += sector) {
      const Head head = head_of(offset + at, of);
      const char* body = reinterpret_cast<const char*>(body_.data()) + (offset + at) % period;
      if (std::memcmp(block + at, &head, sizeof head) != 0) return false;
      if (std::memcmp(block + at + sizeof head, body + sizeof head, sector - sizeof head) != 0) return false;
    }
    return true;
  }

 private:
  struct Head {
    std::uint64_t file, offset, writer, version, check;
  };
  static Head head_of(std::int64_t offset, const Origin& of) {
    Head head{of.file, static_cast<std::uint64_t>(offset), of.writer, of.version, 0};
    head.check = mixed(mixed(mixed(mixed(head.file + 1) + head.offset) + head.writer) + head.version);
    return head;
  }
  static constexpr std::int64_t period = 65536;
  std::int64_t bytes_;
  std::vector<std::uint64_t> body_;
};

}  // namespace assay::files
