// What the messages of a hypercube with I/O nodes (io_nodes.hpp) are about: the stages of a transaction, and reads of
// files while blocks of them are missing.
#pragma once

#include <cstdint>
#include <vector>

#include "network/worm/paths.hpp"
#include "storage/block_files.hpp"

namespace assay::storage {

// cast_io, cast_pe: a block that all elements are sent, between I/O nodes and from these; io_asked: a reply whose I/O
// node has not served it
enum IoKind : std::uint8_t { pe_pe, pe_io, io_io, io_pe, pe_write, cast_io, cast_pe, io_kinds, io_asked };

struct Transaction {
  std::uint16_t element, home, block;  // who asks; its I/O address; where the block is
  IoKind kind;
  std::uint32_t waited;  // header latencies of the stages so far; of [io.files] the number of a Part, or of a Request
};
using IoMessage = network::PathMessage<Transaction>;

// A read of a file, or of a block for all elements, until the last block is in.
struct Request {
  std::uint64_t born;
  BlockFiles::File file;
  std::uint32_t element, left, worst;  // blocks, or elements, that are still missing; header latencies of the slowest
};
// What is asked of one I/O node, and what that sends back.
struct Part {
  std::uint32_t request, waited;  // header latencies so far
  std::uint32_t place;            // I/O address of the drive
};

// Numbered things of which some are given back.
template <class Thing>
class Numbered {
 public:
  std::uint32_t add(Thing thing) {
    if (free_.empty()) {
      things_.push_back(thing);
      return static_cast<std::uint32_t>(things_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    things_[number] = thing;
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  Thing& operator[](std::uint32_t number) { return things_[number]; }

 private:
  std::vector<Thing> things_;
  std::vector<std::uint32_t> free_;
};

}  // namespace assay::storage
