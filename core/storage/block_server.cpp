#include "storage/block_server.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace assay::storage {

BlockServer::BlockServer(Timers& timers, const StorageParameters& storage, bool adopts)
    : timers_(timers),
      storage_(storage),
      adopts_(adopts),
      cache_(storage.buffers),
      end_(storage.disks * (adopts ? 2 : 1)) {
  for (std::size_t disk = 0; disk < end_.size(); ++disk)
    drives_.push_back(std::make_unique<Drive>(timers, make_device(storage), storage.order));
}

Time BlockServer::disk_busy() const {
  Time sum = 0;
  for (const auto& each : drives_) sum += each->busy();
  return sum;
}

// --- where units lie

std::uint64_t BlockServer::units_of(FileId file) const {
  const auto found = addresses_.find(file);
  return found == addresses_.end() ? 0 : found->second.size();
}
bool BlockServer::allocated(FileId file, std::uint64_t unit) const {
  return unit < units_of(file) && addresses_.at(file)[unit] != 0;
}
void BlockServer::allocate_unit(FileId file, std::uint64_t unit) {
  auto& places = addresses_[file];
  if (unit >= places.size()) places.resize(unit + 1);
  if (places[unit] != 0) return;
  std::uint64_t& end = end_[disk_of(file, unit)];
  const std::uint64_t room = drive(file, unit).device().capacity() / storage_.stripe;
  if (end >= room)
    throw std::length_error("a disk is full: it has room for " + std::to_string(room) + " units of " +
                            std::to_string(storage_.stripe) + " bytes");
  places[unit] = ++end;
}
void BlockServer::allocate(FileId file, std::uint64_t units) {
  for (std::uint64_t unit = 0; unit < units; ++unit) allocate_unit(file, unit);
}
Access BlockServer::access(FileId file, std::uint64_t unit, std::uint64_t units, bool write) const {
  return {(addresses_.at(file)[unit] - 1) * storage_.stripe, units * storage_.stripe, write};
}
Access BlockServer::access(FileId file, Part part, bool write) const {
  return {(addresses_.at(file)[part.unit] - 1) * storage_.stripe + part.inside, part.bytes, write};
}
// With several disks each holds every so many-th unit.
bool BlockServer::adjacent(FileId file, std::uint64_t unit) const {
  const std::uint64_t disks = storage_.disks;
  if (unit < disks || !allocated(file, unit) || !allocated(file, unit - disks)) return false;
  return addresses_.at(file)[unit] == addresses_.at(file)[unit - disks] + 1;
}

// --- the processor

void BlockServer::work(Time cost, Done done) {
  processor_free_ = std::max(processor_free_, timers_.now()) + cost;
  timers_.at(processor_free_, std::move(done));
}

// --- reading

void BlockServer::read(FileId file, Part part, std::uint64_t ahead, Done done) {
  const Time copying = std::llround(storage_.per_byte * static_cast<double>(part.bytes));
  work(storage_.request, [this, file, part, ahead, copying, done = std::move(done)]() mutable {
    bring(file, part, ahead, [this, copying, done = std::move(done)]() mutable { work(copying, std::move(done)); });
  });
}

void BlockServer::bring(FileId file, Part part, std::uint64_t ahead, Done done) {
  const std::uint64_t unit = part.unit;
  if (!allocated(file, unit)) return done();  // a hole
  if (cache_.size() == 0) {
    ++counts_.misses, ++counts_.read, ++counts_.reads, ++under_way_[file];
    return drive(file, unit).submit(access(file, part, false), [this, file, done = std::move(done)] {
      ended(file);
      done();
      freed();
    });
  }
  const Block wanted = block(file, unit);
  if (const auto state = cache_.find(wanted)) {
    ++counts_.hits;
    cache_.touch(wanted);
    read_ahead(file, unit, ahead);
    if (*state != Buffer::coming) return done();
    coming_[wanted].push_back(std::move(done));
    return;
  }
  if (!cache_.take(wanted, Buffer::coming)) {
    blocked_.push_back(
        [this, file, part, ahead, done = std::move(done)]() mutable { bring(file, part, ahead, std::move(done)); });
    return flush();
  }
  ++counts_.misses;
  coming_[wanted].push_back(std::move(done));
  const std::uint64_t disks = storage_.disks;
  std::uint64_t last = unit;  // of this disk, as far as units are adjacent and have no buffer
  while (last + disks <= unit + ahead && adjacent(file, last + disks) && !cache_.find(block(file, last + disks)) &&
         cache_.take(block(file, last + disks), Buffer::coming))
    last += disks;
  fetch(file, unit, last);
  read_ahead(file, unit, ahead);
}

// The units of the other disks behind one that was asked for, and of its own where the next has no buffer yet.
void BlockServer::read_ahead(FileId file, std::uint64_t unit, std::uint64_t ahead) {
  const std::uint64_t disks = storage_.disks;
  for (std::uint64_t next = unit + 1; next <= unit + std::min(ahead, disks); ++next) {
    if (!allocated(file, next) || cache_.find(block(file, next))) continue;
    if (!cache_.take(block(file, next), Buffer::coming)) return;
    std::uint64_t last = next;
    while (last + disks <= unit + ahead && adjacent(file, last + disks) && !cache_.find(block(file, last + disks)) &&
           cache_.take(block(file, last + disks), Buffer::coming))
      last += disks;
    fetch(file, next, last);
  }
}

// Reads units first, first + disks … last, whose buffers are taken, in one access.
void BlockServer::fetch(FileId file, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t disks = storage_.disks, units = (last - first) / disks + 1;
  counts_.read += units;
  ++counts_.reads;
  ++under_way_[file];
  drive(file, first).submit(access(file, first, units, false), [this, file, first, last, disks] {
    ended(file);
    std::vector<Done> ready;
    for (std::uint64_t unit = first; unit <= last; unit += disks) {
      const Block each = block(file, unit);
      cache_.mark(each, Buffer::clean);
      if (auto waiting = coming_.extract(each))
        for (Done& done : waiting.mapped()) ready.push_back(std::move(done));
    }
    for (Done& done : ready) done();
    freed();
  });
}

// --- writing

void BlockServer::write(FileId file, Part part, Done done) {
  const std::uint64_t unit = part.unit, bytes = part.bytes;
  const bool fresh = !allocated(file, unit);
  const Time cost =
      storage_.request + std::llround(storage_.per_byte * static_cast<double>(bytes)) + (fresh ? storage_.allocate : 0);
  if (fresh) allocate_unit(file, unit);
  work(cost, [this, file, part, unit, whole = fresh || bytes >= storage_.stripe, done = std::move(done)]() mutable {
    if (storage_.write_behind && cache_.size() > 0) return put(file, unit, whole, std::move(done));
    // Through to the disk; a buffer that holds the unit holds what was written, too.
    ++counts_.written, ++counts_.writes, ++under_way_[file];
    drive(file, unit).submit(access(file, part, true), [this, file, done = std::move(done)] {
      ended(file);
      done();
      freed();
    });
  });
}

void BlockServer::put(FileId file, std::uint64_t unit, bool whole, Done done) {
  const Block written = block(file, unit);
  const auto state = cache_.find(written);
  if (state == Buffer::coming || (!state && !whole)) {  // the rest of the unit is needed first
    return bring(file, {unit, 0, storage_.stripe}, 0,
                 [this, file, unit, done = std::move(done)]() mutable { put(file, unit, true, std::move(done)); });
  }
  if (state) {
    cache_.touch(written);
    cache_.mark(written, Buffer::dirty);
  } else if (!cache_.take(written, Buffer::dirty)) {
    blocked_.push_back(
        [this, file, unit, whole, done = std::move(done)]() mutable { put(file, unit, whole, std::move(done)); });
    return flush();
  }
  done();
  flush();
}

void BlockServer::flush() {
  const std::uint64_t disks = storage_.disks, most = std::max<std::uint64_t>(1, cache_.size() / 4);
  for (std::uint64_t disk = 0; disk < drives_.size(); ++disk) {
    if (!drives_[disk]->idle()) continue;
    const auto oldest = cache_.oldest_dirty([&](Block each) { return disk_of(file_of(each), unit_of(each)) == disk; });
    if (!oldest) continue;
    const FileId file = file_of(*oldest);
    const std::uint64_t first = unit_of(*oldest);
    std::uint64_t last = first;
    cache_.mark(*oldest, Buffer::going);
    while ((last - first) / disks + 1 < most && adjacent(file, last + disks) &&
           cache_.find(block(file, last + disks)) == Buffer::dirty)
      cache_.mark(block(file, last += disks), Buffer::going);
    const std::uint64_t units = (last - first) / disks + 1;
    counts_.written += units;
    ++counts_.writes;
    ++under_way_[file];
    drives_[disk]->submit(access(file, first, units, true), [this, file, first, last, disks] {
      ended(file);
      for (std::uint64_t unit = first; unit <= last; unit += disks)
        if (const Block each = block(file, unit); cache_.find(each) == Buffer::going) cache_.mark(each, Buffer::clean);
      freed();
    });
  }
}

// An access has ended: buffers may be had again, disks may be idle.
void BlockServer::freed() {
  for (std::size_t left = blocked_.size(); left > 0; --left) {
    Done next = std::move(blocked_.front());
    blocked_.pop_front();
    next();
  }
  flush();
  if (emptied_.empty()) return;
  std::vector<Done> ready;
  std::erase_if(emptied_, [&](Emptying& each) {
    const auto of = [&](Block held) { return each.files(file_of(held)); };
    if (std::ranges::any_of(under_way_, each.files, &decltype(under_way_)::value_type::first) || cache_.changing(of))
      return false;
    cache_.empty(of);
    ready.push_back(std::move(each.done));
    return true;
  });
  for (const Done& done : ready) done();
}

void BlockServer::empty(std::function<bool(FileId)> files, Done done) {
  emptied_.push_back({std::move(files), std::move(done)});
  freed();
}

void BlockServer::ended(FileId file) {
  if (const auto found = under_way_.find(file); --found->second == 0) under_way_.erase(found);
}

}  // namespace assay::storage
