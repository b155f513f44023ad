// A file to write and read in blocks, past the page cache where the file system lets us (O_DIRECT), and gone when the
// process is, however that ends: it has no name. It lies in $ASSAY_SCRATCH, else $TMPDIR, else /var/tmp, else here.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "files/flush.hpp"
#include "files/storage.hpp"
#include "timing/memory_limits.hpp"

namespace assay::memory {

class ScratchFile {
 public:
  ScratchFile(std::int64_t bytes, std::int64_t block) : block(block), blocks(std::max<std::int64_t>(1, bytes / block)) {
    const char* const places[] = {std::getenv("ASSAY_SCRATCH"), std::getenv("TMPDIR"), "/var/tmp", "."};
    for (const char* place : places)
      if (place && *place && open_in(place)) break;
    if (file_ < 0)
      throw timing::MeasurementFault("no folder to write a file into: " + std::string(std::strerror(errno)));
    buffer_ = static_cast<char*>(std::aligned_alloc(4096, static_cast<std::size_t>(block)));
    if (!buffer_) throw timing::MeasurementFault("no memory for a block of " + std::to_string(block) + " bytes");
    for (std::int64_t at = 0; at < blocks; ++at) write_block(at);
    sync();
  }
  ~ScratchFile() {
    if (file_ >= 0) close(file_);
    std::free(buffer_);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write_block(std::int64_t at) {
    fill(at);
    whole(pwrite(file_, buffer_, static_cast<std::size_t>(block), at * block), "write");
  }
  void read_block(std::int64_t at) {
    whole(pread(file_, buffer_, static_cast<std::size_t>(block), at * block), "read");
  }
  void sync() { whole(fsync(file_) == 0 ? block : -1, "sync"); }
  // Whether a part of it is in the page cache, or that this is unknown.
  bool held() const {
    void* view = mmap(nullptr, static_cast<std::size_t>(block * blocks), PROT_READ, MAP_SHARED, file_, 0);
    if (view == MAP_FAILED) return true;
    const std::int64_t there = files::resident(view, block * blocks);
    munmap(view, static_cast<std::size_t>(block * blocks));
    return there != 0;
  }
  // So that reads come from the device where O_DIRECT is refused.
  void drop() { posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED); }

  // Blocks whose every word is as it was written, read back.
  std::int64_t right() {
    std::int64_t count = 0;
    sync();
    drop();
    const auto words = static_cast<std::size_t>(block) / 8;
    for (std::int64_t at = 0; at < blocks; ++at) {
      std::memset(buffer_, 0xa5, static_cast<std::size_t>(block));
      read_block(at);
      bool good = true;
      for (std::size_t i = 0; good && i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, buffer_ + 8 * i, 8);
        good = word == word_of(at, i);
      }
      count += good;
    }
    return count;
  }

  const std::int64_t block, blocks;
  bool direct = false, in_memory = false;
  files::Storage storage;  // that it lies on
  std::string folder;

 private:
  bool open_in(const char* place) {
    struct statvfs room{};
    if (statvfs(place, &room) != 0) return false;
    const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
    if (free < 2.0 * static_cast<double>(block * blocks)) {
      errno = ENOSPC;
      return false;
    }
    std::string name = std::string(place) + "/assay-XXXXXX";
    file_ = mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) return false;
    unlink(name.c_str());
    folder = place;
    storage = files::storage_of(file_, folder);
    storage.unflushed = files::flush_missing(file_, storage);
    struct statfs kind{};
    constexpr long tmpfs = 0x01021994, ramfs = 0x858458f6;
    in_memory = fstatfs(file_, &kind) == 0 &&
                (static_cast<long>(kind.f_type) == tmpfs || static_cast<long>(kind.f_type) == ramfs);
    if (block % 4096 == 0) direct = fcntl(file_, F_SETFL, O_DIRECT) == 0 && takes_direct();
    if (!direct) fcntl(file_, F_SETFL, 0);
    return true;
  }
  bool takes_direct() {  // some file systems take the flag and refuse the write
    void* page = std::aligned_alloc(4096, 4096);
    if (!page) return false;
    std::memset(page, 0, 4096);
    const bool taken = pwrite(file_, page, 4096, 0) == 4096;
    std::free(page);
    return taken;
  }
  void whole(std::int64_t did, const char* what) const {
    if (did != block)
      throw timing::MeasurementFault(std::string("cannot ") + what + " the file in " + folder + ": " +
                                     (did < 0 ? std::strerror(errno) : "only a part was done"));
  }
  // The first word tells the block, the others their place in it.
  static std::uint64_t word_of(std::int64_t at, std::size_t i) {
    return i == 0 ? (static_cast<std::uint64_t>(at) + 1) * 0x9e3779b97f4a7c15 : i * 0xbf58476d1ce4e5b9;
  }
  void fill(std::int64_t at) {  // all of it once; then only what differs
    const std::size_t words = filled_ ? 1 : static_cast<std::size_t>(block) / 8;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t word = word_of(at, i);
      std::memcpy(buffer_ + 8 * i, &word, 8);
    }
#ifdef ASSAY_BREAK
    if (!filled_) buffer_[block / 2] = static_cast<char>(buffer_[block / 2] ^ 1);
#endif
    filled_ = true;
  }

  int file_ = -1;
  char* buffer_ = nullptr;
  bool filled_ = false;
};

}  // namespace assay::memory
