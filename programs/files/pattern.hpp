// What is in a block: random words that follow from launch, file, writer, pass and the place in the file, so that a
// sector of 512 bytes of another place, file, writer, pass or launch is told from the right one, and so is one that is
// torn or damaged. No word comes again within a file, in another one or in another pass: a device or a file system that
// compresses, or stores equal blocks once, gains nothing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace assay::files {

inline constexpr std::int64_t sector = 512;

inline std::uint64_t mixed(std::uint64_t bits) {  // splitmix64's finalizer, Steele, Lea and Flood 2014
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

struct Origin {  // whose a block is; `launch`: of_launch of a name that no other launch has
  std::uint64_t file = 0, writer = 0, version = 0, launch = 0;
};

inline constexpr std::uint64_t mixed_version = std::uint64_t{1} << 32;  // what a mixed pass adds to the file's version

inline std::uint64_t of_launch(std::string_view name) {
  std::uint64_t bits = 0;
  for (const char each : name) bits = mixed(bits + static_cast<unsigned char>(each) + 1);
  return bits;
}

class Pattern {
 public:
  explicit Pattern(std::int64_t block) : bytes_(block), body_(period) {
    for (std::size_t at = 0; at < body_.size(); ++at) body_[at] = mixed(0x9e3779b97f4a7c15 * (at + 1));
  }

  // Fills a block, which takes about as long as a copy in a cache.
  void stamp(char* block, std::int64_t offset, const Origin& of) const {
    const std::uint64_t whose = key_of(of);
    for (std::int64_t at = 0; at < bytes_; at += sector) {
      const Sector words = sector_at(offset + at, whose);
      std::memcpy(block + at, words.data(), sector);
    }
#ifdef ASSAY_BREAK
    block[bytes_ / 2 + 100] ^= 1;
#endif
  }
  // Whether the block's first sector is the right one: what a timed pass asks of each block.
  bool begins_right(const char* block, std::int64_t offset, const Origin& of) const {
    return std::memcmp(block, sector_at(offset, key_of(of)).data(), sector) == 0;
  }
  // What a block begins with: one of all words that are ever written.
  std::uint64_t first_word(std::int64_t offset, const Origin& of) const { return sector_at(offset, key_of(of))[0]; }
  // Whether every byte is as it was written.
  bool right(const char* block, std::int64_t offset, const Origin& of) const {
    const std::uint64_t whose = key_of(of);
    for (std::int64_t at = 0; at < bytes_; at += sector)
      if (std::memcmp(block + at, sector_at(offset + at, whose).data(), sector) != 0) return false;
    return true;
  }

 private:
  static constexpr std::size_t period = 8192;  // words of the body, each of which every sector changes by its own key
  using Sector = std::array<std::uint64_t, static_cast<std::size_t>(sector) / 8>;

  static std::uint64_t key_of(const Origin& of) {
    return mixed(mixed(mixed(mixed(of.launch + 1) + of.file) + of.writer) + of.version);
  }
  Sector sector_at(std::int64_t offset, std::uint64_t whose) const {
    const std::uint64_t key = mixed(whose + static_cast<std::uint64_t>(offset));
    const std::uint64_t* body = body_.data() + static_cast<std::size_t>(offset) / 8 % period;
    Sector words;
    for (std::size_t at = 0; at < words.size(); ++at) words[at] = body[at] ^ key;
    return words;
  }

  std::int64_t bytes_;
  std::vector<std::uint64_t> body_;
};

}  // namespace assay::files
