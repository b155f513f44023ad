// One I/O node of a parallel file system: a processor, buffers, and disks with their queues.
//
//   read   processor: request | the unit's buffer, from the disk where it has none | processor: bytes | done
//   write  processor: request, bytes, allocate if the unit is new | a buffer (write-behind) or the disk | done
//
// A file's units on this node are numbered from 0 and lie one behind the other on a disk where they were allocated
// together, in order of their first writing otherwise. A read whose unit, or the next one, has no buffer also brings
// the units ahead, in one access as far as they are adjacent: so many that the whole file is read ahead by `read_ahead`
// bytes, of which this node has its share. Buffers are given up in the order of last use: where streams need more than
// there are, units are given up before they were asked for and are read again. Dirty units are written out whenever a
// disk has nothing else to do, adjacent ones together. The processor, the buffers and the disks serve in order of
// arrival, disks by their queue's order. Without buffers a disk moves the part of a unit that was asked for, no more.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "storage/block_cache.hpp"
#include "storage/drive.hpp"
#include "storage/storage_parameters.hpp"

namespace assay::storage {

using FileId = std::uint32_t;
// Set in a file's number: the units of it that this I/O node keeps in place of the one before it, or beside it.
inline constexpr FileId of_neighbour = FileId{1} << 23;

class BlockServer {
 public:
  using Done = std::function<void()>;
  struct Counts {
    std::uint64_t hits = 0, misses = 0;   // reads that found their unit in a buffer, coming ones included
    std::uint64_t read = 0, written = 0;  // units, from and to the disks
    std::uint64_t reads = 0, writes = 0;  // accesses
  };
  // `adopts`: it has the neighbour's disks beside its own, for the neighbour's units.
  BlockServer(Timers& timers, const StorageParameters& storage, bool adopts = false);

  // `units` of the file lie one behind the other on each disk.
  void allocate(FileId file, std::uint64_t units);
  void allocate_unit(FileId file, std::uint64_t unit);  // behind what is allocated on its disk
  // A part of a unit, from its byte `inside` on.
  struct Part {
    std::uint64_t unit, inside, bytes;
  };
  void read(FileId file, Part part, std::uint64_t ahead, Done done);
  void write(FileId file, Part part, Done done);
  // The processor does something that takes so long: opening a file, closing one.
  void work(Time cost, Done done);
  // All of these files that is dirty is on the disks and no buffer is taken by them; then done.
  void empty(std::function<bool(FileId)> files, Done done);
  const Counts& counts() const { return counts_; }
  Time disk_busy() const;

 private:
  using Block = BlockCache::Block;
  struct Run {  // adjacent units of a file
    FileId file;
    std::uint64_t first, units;
  };
  static Block block(FileId file, std::uint64_t unit) { return std::uint64_t{file} << 40 | unit; }
  static FileId file_of(Block block) { return static_cast<FileId>(block >> 40); }
  static std::uint64_t unit_of(Block block) { return block & ((std::uint64_t{1} << 40) - 1); }
  std::uint64_t disk_of(FileId file, std::uint64_t unit) const {
    return unit % storage_.disks + (adopts_ && (file & of_neighbour) != 0 ? storage_.disks : 0);
  }
  Drive& drive(FileId file, std::uint64_t unit) { return *drives_[disk_of(file, unit)]; }
  std::uint64_t units_of(FileId file) const;
  bool allocated(FileId file, std::uint64_t unit) const;
  Access access(FileId file, std::uint64_t unit, std::uint64_t units, bool write) const;
  Access access(FileId file, Part part, bool write) const;
  bool adjacent(FileId file, std::uint64_t unit) const;  // to the disk's unit before it
  void bring(FileId file, Part part, std::uint64_t ahead, Done done);
  void read_ahead(FileId file, std::uint64_t unit, std::uint64_t ahead);
  void fetch(FileId file, std::uint64_t first, std::uint64_t last);
  void put(FileId file, std::uint64_t unit, bool whole, Done done);
  void flush();
  void ended(FileId file);
  void freed();

  Timers& timers_;
  StorageParameters storage_;
  bool adopts_;
  BlockCache cache_;
  std::vector<std::unique_ptr<Drive>> drives_;
  std::vector<std::uint64_t> end_;                                    // of what is allocated, by disk, in units
  std::unordered_map<FileId, std::vector<std::uint64_t>> addresses_;  // unit -> its place on its disk + 1
  std::unordered_map<Block, std::vector<Done>> coming_;               // who waits for a unit's data
  std::deque<Done> blocked_;                                          // until a buffer can be given up
  struct Emptying {
    std::function<bool(FileId)> files;
    Done done;
  };
  std::vector<Emptying> emptied_;
  Time processor_free_ = 0;
  std::unordered_map<FileId, std::uint64_t> under_way_;  // accesses
  Counts counts_;
};

}  // namespace assay::storage
