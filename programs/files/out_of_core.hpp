// A file that holds what memory does not, in a launch's own folder: written and read at any place in blocks, past the
// page cache (O_DIRECT) where the file system lets it, else with the cache emptied after each writing. Time and bytes
// of writing, with fsync, and of reading are kept apart from what is computed between them, and where they went and
// came from.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "files/flush.hpp"
#include "files/own_folder.hpp"
#include "files/source.hpp"
#include "timing/clock.hpp"

namespace assay::files {

inline constexpr std::int64_t page_of_file = 4096;

struct Freed {
  void operator()(void* place) const { std::free(place); }
};
template <class T>
using Block = std::unique_ptr<T[], Freed>;

// Memory for transfers past the page cache: zeroed, a whole number of pages.
template <class T>
Block<T> block_of(std::int64_t bytes) {
  void* place = std::aligned_alloc(page_of_file, static_cast<std::size_t>(bytes));
  if (!place) throw timing::MeasurementFault("no memory for a block of " + std::to_string(bytes) + " bytes");
  std::memset(place, 0, static_cast<std::size_t>(bytes));
  return Block<T>(static_cast<T*>(place));
}

struct Moved {
  double seconds = 0;
  std::int64_t bytes = 0;
  Source source = Source::unknown;
  double per_byte() const { return seconds / static_cast<double>(bytes); }
};

class OutOfCore {
 public:
  OutOfCore(const OwnFolder& own, std::string name)
      : own_(own), storage_(storage_of(own.descriptor(), own.path())), name_(std::move(name)) {
    file_ = own.open(name_, O_RDWR | O_CREAT | O_EXCL);
    storage_.unflushed = flush_missing(file_, storage_);
    direct_ = fcntl(file_, F_SETFL, O_DIRECT) == 0;
    if (direct_) {  // some file systems take the flag and refuse the transfer
      const Block<char> page = block_of<char>(page_of_file);
      direct_ = pwrite(file_, page.get(), page_of_file, 0) == page_of_file;
      if (!direct_) fcntl(file_, F_SETFL, 0);
    }
    before_ = read_counters(storage_);
  }
  ~OutOfCore() {
    close(file_);
    own_.remove(name_);
  }
  OutOfCore(const OutOfCore&) = delete;
  OutOfCore& operator=(const OutOfCore&) = delete;

  void write(std::int64_t at, const void* from, std::int64_t bytes) { move(written_, at, from, bytes); }
  void read(std::int64_t at, void* into, std::int64_t bytes) { move(got_, at, into, bytes); }
  // Brings what was written to the device, which counts as writing; then the page cache is emptied of it, which does
  // not. What was written since is labelled.
  void finish() {
    const std::int64_t start = timing::now_ns();
    if (fsync(file_) != 0) failed("fsync of");
    written_.seconds += 1e-9 * static_cast<double>(timing::now_ns() - start);
    Evidence evidence{storage_.below,     direct_, storage_.synced,
                      storage_.unflushed, {},      since(read_counters(storage_), before_),
                      written_.bytes};
    std::string why;
    written_.source = source_of_writes(evidence, why);
    note(why);
    if (!direct_) posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
    held_ = direct_ ? 0 : in_memory();
  }
  Moved written() const { return written_; }
  // What was read since the file was made, labelled.
  Moved got() {
    Evidence evidence{storage_.below, direct_, storage_.synced, "", {}, since(read_counters(storage_), before_), 0};
    evidence.bytes[static_cast<std::size_t>(held_ > 0 ? Found::part : Found::nothing)] = got_.bytes;
    const Sources sources = sources_of_reads(evidence);
    got_.source = sources.rate[static_cast<std::size_t>(held_ > 0 ? Found::part : Found::nothing)];
    note(sources.why);
    if (held_ > 0 && got_.source == Source::unknown) note("the page cache could not be emptied of the file");
    return got_;
  }
  const std::string& why() const { return why_; }  // something is of an unknown source; "" where nothing is

 private:
  template <class Place>
  void move(Moved& kept, std::int64_t at, Place* place, std::int64_t bytes) {
    constexpr bool writes = std::is_const_v<Place>;
    const std::int64_t start = timing::now_ns();
    for (std::int64_t done = 0; done < bytes;) {
      ssize_t part = 0;
      if constexpr (writes) {
        part = pwrite(file_, static_cast<const char*>(place) + done, static_cast<std::size_t>(bytes - done), at + done);
      } else {
        part = pread(file_, static_cast<char*>(place) + done, static_cast<std::size_t>(bytes - done), at + done);
      }
      if (part == 0 && !writes) throw timing::MeasurementFault("file " + own_.path() + "/" + name_ + ": is cut short");
      if (part < 0 && errno != EINTR) failed(writes ? "writing" : "reading");
      done += part > 0 ? part : 0;
    }
    kept.seconds += 1e-9 * static_cast<double>(timing::now_ns() - start);
    kept.bytes += bytes;
  }
  std::int64_t in_memory() const {
    const std::int64_t bytes = lseek(file_, 0, SEEK_END);
    void* view =
        bytes > 0 ? mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, file_, 0) : MAP_FAILED;
    if (view == MAP_FAILED) return bytes;
    const std::int64_t found = resident(view, bytes);
    munmap(view, static_cast<std::size_t>(bytes));
    return found;
  }
  [[noreturn]] void failed(const char* what) const {
    throw timing::MeasurementFault(std::string(what) + " file " + own_.path() + "/" + name_ + ": " +
                                   std::strerror(errno));
  }
  void note(const std::string& why) {
    if (why_.empty()) why_ = why;
  }

  const OwnFolder& own_;
  Storage storage_;
  std::string name_, why_;
  Counters before_;
  Moved written_, got_;
  std::int64_t held_ = 0;
  int file_ = -1;
  bool direct_ = false;
};

}  // namespace assay::files
