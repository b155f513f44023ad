// What a pass over files does: which blocks of which file each process writes or reads, by which engine, in which
// order.
#pragma once

#include <cstdint>
#include <string>

#include "files/order.hpp"
#include "files/pattern.hpp"

namespace assay::files {

enum class Engine { buffered, direct, uring, mmap };
enum class Layout { own, segmented, strided };  // a file each; one file, each its part, or block by block in turn

struct Work {
  bool write = false, random = false;
  bool mixed = false;   // about half of the blocks, always the same ones, are written, the others read: not `write`
  bool append = false;  // each write goes to where the file ends (O_APPEND), in whatever order they come there
  Engine engine = Engine::buffered;
  Layout layout = Layout::own;
  std::int64_t bytes = 0;   // of an operation
  std::int64_t blocks = 0;  // of each process
  std::int64_t depth = 1, processes = 1;
  bool preallocate = false;     // fallocate(2) before anything is written
  bool past_cache = false;      // O_DIRECT: `direct`, and `uring` where the file system takes it
  std::string prefix = "data";  // of the files' names
  double copy = 0;              // s/B of the fastest copies (CopyCeiling); 0: not known
  double at_most = 0;           // s, after which a pass begins no more operations
  double patience = 30;         // s, in which an operation must end

  bool changes() const { return write || mixed; }
  bool writes(std::int64_t offset) const {
    return write || (mixed && files::mixed(static_cast<std::uint64_t>(offset / bytes)) % 2);
  }
  std::int64_t files() const { return layout == Layout::own ? processes : 1; }
  std::int64_t file_of(std::int64_t process) const { return layout == Layout::own ? process : 0; }
  std::string name(std::int64_t file) const { return prefix + "-" + std::to_string(file); }
  std::int64_t file_bytes() const { return blocks * bytes * (layout == Layout::own ? 1 : processes); }
  // Where in its file the block lies that a process comes to at `turn`.
  std::int64_t offset(std::int64_t process, std::int64_t turn, std::uint64_t seed) const {
    const std::int64_t block = BlockOrder(blocks, random, seed + static_cast<std::uint64_t>(process))(turn);
    if (layout == Layout::own) return block * bytes;
    return bytes * (layout == Layout::segmented ? process * blocks + block : block * processes + process);
  }
};

}  // namespace assay::files
