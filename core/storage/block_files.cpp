#include "storage/block_files.hpp"

#include <algorithm>
#include <string>

namespace assay::storage {

using network::ParameterError;

namespace {

DiskParameters drive_of(const network::BlockDrive& given) {
  DiskParameters disk;
  disk.cylinders = given.cylinders;
  disk.heads = given.heads;
  disk.zones = {{0, given.sectors}};
  disk.sector = 1;  // a block
  disk.revolution = given.revolution;
  disk.overhead = given.overhead;
  disk.short_base = given.seek_short;
  disk.short_root = given.seek_short_root;
  disk.split = given.seek_split == 0 ? given.cylinders : given.seek_split;
  disk.long_base = given.seek_long;
  disk.long_slope = given.seek_long_slope;
  return disk;
}

void refuse(const char* key, const std::string& what) { throw ParameterError(std::string("io.") + key, what); }

}  // namespace

BlockFiles::BlockFiles(const network::InputOutput& io, std::uint32_t nodes)
    : io_(io), files_(io.files.value()), nodes_(nodes) {
  const auto& lengths = files_.blocks;
  if (lengths.size() != 2 || lengths[0] < 1 || lengths[0] > lengths[1] || lengths[1] > 4096)
    refuse("files.blocks", "is no least and most number of blocks, accepted are two of 1 to 4096 in order");
  if (files_.files < 1 || files_.files > 1u << 20) refuse("files.files", "accepted is 1 to 1048576");
  if (!(files_.skew >= 0)) refuse("files.skew", "accepted is 0 or more");
  if (!(files_.broadcast >= 0 && files_.broadcast <= 1)) refuse("files.broadcast", "accepted is 0 to 1");
  if (files_.broadcast > 0 && !io.failed.empty())
    refuse("files.broadcast", "needs all I/O nodes, which pass blocks on; accepted without io.failed");
  if (files_.declustering < 1 || files_.declustering > nodes)
    refuse("files.declustering", "is " + std::to_string(files_.declustering) + ", accepted are 1 to " +
                                     std::to_string(nodes) + ", the I/O nodes");
  on_node_ = (lengths[1] + files_.declustering - 1) / files_.declustering;
  double sum = 0;
  for (std::uint32_t k = 1; k <= files_.files; ++k)
    up_to_.push_back(sum += events::exponential_of(-files_.skew * events::natural_log(k)));
  for (double& each : up_to_) each /= sum;
  const DiskParameters disk = files_.drive ? drive_of(*files_.drive) : DiskParameters();
  const Disk drive(disk);
  const std::uint64_t needed = std::uint64_t{files_.declustering} * files_.files * on_node_;
  if (files_.drive && drive.capacity() < needed)
    refuse("drive.cylinders", "has room for " + std::to_string(drive.capacity()) +
                                  " blocks with its heads and sectors, accepted are " + std::to_string(needed) +
                                  " or more, what the files have on it");
  apart_ = files_.drive ? drive.capacity() / needed * on_node_ : on_node_;
  for (std::uint32_t node = 0; node < nodes; ++node) node_.push_back({BlockCache(files_.cache), {}, drive});
}

std::uint32_t BlockFiles::draw(events::Random& random) const {
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end() - 1, random.uniform());
  return static_cast<std::uint32_t>(found - up_to_.begin());
}

std::uint32_t BlockFiles::blocks(File file) const {
  const std::uint32_t least = files_.blocks[0], lengths = files_.blocks[1] - least + 1;
  std::uint64_t mixed = std::uint64_t{file.first} << 32 | file.number;  // its own, whoever asks
  return least + static_cast<std::uint32_t>((events::split_mix(mixed) >> 32) % lengths);
}

std::uint32_t BlockFiles::spread(File file) const { return std::min(files_.declustering, blocks(file)); }

double BlockFiles::share(std::uint32_t number) const { return up_to_[number] - (number > 0 ? up_to_[number - 1] : 0); }
double BlockFiles::mean_blocks(std::uint32_t first) const {
  double mean = 0;
  for (std::uint32_t number = 0; number < files_.files; ++number) mean += share(number) * blocks({first, number});
  return mean;
}
double BlockFiles::reach(std::uint32_t first, std::uint32_t k) const {
  double sum = 0;
  for (std::uint32_t number = 0; number < files_.files; ++number)
    if (k < spread({first, number})) sum += share(number);
  return sum;
}

std::uint64_t BlockFiles::address(std::uint32_t place, File file, std::uint32_t block) const {
  const std::uint32_t from = (place + nodes_ - file.first) % nodes_;  // of the I/O nodes that it lies on
  return (std::uint64_t{from} * files_.files + file.number) * apart_ + block / files_.declustering;
}

BlockFiles::Found BlockFiles::find(std::uint32_t keeper, std::uint32_t place, File file, std::uint32_t block,
                                   std::uint64_t cycle, events::Random& random) {
  Node& node = node_[keeper];
  const std::uint64_t at = address(place, file, block);
  const BlockCache::Block name = std::uint64_t{place} << 48 | at;
  if (files_.cache > 0) {
    if (node.cache.find(name)) {
      node.cache.touch(name);
      const auto coming = node.ready.find(name);
      if (coming == node.ready.end()) return {cycle, true, 0, 0};
      const std::uint64_t there = std::max(cycle, coming->second);
      if (coming->second <= cycle) node.ready.erase(coming);
      return {there, true, 0, 0};
    }
  } else if (random.uniform() < io_.hit_rate) {
    return {cycle, true, 0, 0};
  }
  Found found{cycle + io_.disk, false, 0, io_.disk};
  if (files_.drive) {
    Node& there = node_[place];
    const std::uint64_t begins = std::max(cycle, there.free);
    there.free = static_cast<std::uint64_t>(there.drive.serve(static_cast<Time>(begins), {at, 1, false}));
    found = {there.free, false, begins - cycle, there.free - begins};
  }
  if (files_.cache > 0) {
    node.cache.take(name, Buffer::clean);
    node.ready[name] = found.cycle;
  }
  return found;
}

}  // namespace assay::storage
