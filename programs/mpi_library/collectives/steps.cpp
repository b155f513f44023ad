#include "mpi_library/collectives/steps.hpp"

#include <cstring>
#include <utility>

namespace assay::abi {

Steps::Steps(Communicator& comm, Runs runs, std::int32_t word) : comm_(comm), runs_(runs), word_(word) {
  abi::hold(comm);
}

Steps::~Steps() {
  for (const Slot each : used_) give_slot(each);
  for (const Place each : blocks_) give(each);
  for (Object* each : held_) release(*each);
  release(comm_);
}

Place Steps::room(std::int64_t bytes) {
  blocks_.push_back(take(static_cast<std::uint64_t>(bytes)));
  return blocks_.back();
}
void Steps::hold(Object& object) {
  abi::hold(object);
  held_.push_back(&object);
}
void Steps::give_room() {
  for (const Place each : std::exchange(blocks_, {})) give(each);
}

Op& Steps::next(Does does) {
  if (!behind()) return add(does);
  Op& op = ops_.emplace_back();
  op.does = does;
  return op;
}

void Steps::send(Place data, std::int64_t bytes, int to) {
  sent_ += bytes;
  Op& op = next(Does::send);
  op.at = data;
  op.bytes = static_cast<std::uint64_t>(bytes);
  op.peer = among_->world(to);
  op.word = word_;
}
void Steps::recv(Place data, std::int64_t bytes, int from) {
  const Slot slot = take_slot();
  used_.push_back(slot);
  Op& post = next(Does::irecv);
  post.slot = slot;
  post.at = data;
  post.bytes = static_cast<std::uint64_t>(bytes);
  post.peer = among_->world(from);
  post.word = word_;
  next(Does::wait).slot = slot;
}
void Steps::sendrecv(Place data, std::int64_t bytes, int to, Place into, std::int64_t room, int from) {
  sent_ += bytes;
  Op& op = next(Does::sendrecv);
  op.at = data;
  op.bytes = static_cast<std::uint64_t>(bytes);
  op.peer = among_->world(to);
  op.word = op.word2 = word_;
  op.at2 = into;
  op.bytes2 = static_cast<std::uint64_t>(room);
  op.peer2 = among_->world(from);
}
void Steps::isend(Place data, std::int64_t bytes, int to) {
  sends_.push_back(take_slot());
  sent_ += bytes;
  Op& op = next(Does::isend);
  op.slot = sends_.back();
  op.at = data;
  op.bytes = static_cast<std::uint64_t>(bytes);
  op.peer = among_->world(to);
  op.word = word_;
}
void Steps::irecv(Place data, std::int64_t bytes, int from) {
  receives_.push_back(take_slot());
  Op& op = next(Does::irecv);
  op.slot = receives_.back();
  op.at = data;
  op.bytes = static_cast<std::uint64_t>(bytes);
  op.peer = among_->world(from);
  op.word = word_;
}
void Steps::wait_all() {
  for (auto* all : {&receives_, &sends_}) {
    for (const Slot each : *all) next(Does::wait).slot = each;
    used_.insert(used_.end(), all->begin(), all->end());
    all->clear();
  }
}
void Steps::copy(Place from, Place to, std::int64_t bytes) {
  if (bytes == 0) return;
  Op& op = next(Does::copy);
  op.at = from;
  op.at2 = to;
  op.bytes = static_cast<std::uint64_t>(bytes);
}
void Steps::reduce(const Operation& operation, Datatype& type, Place in, Place inout, std::int64_t count) {
  if (count == 0) return;
  if (operation.own()) {
    flush();
    apply(operation, type, at(in), at(inout), count);
    return;
  }
  Op& op = next(Does::reduce);
  op.type = static_cast<std::uint8_t>(type.basic);
  op.operation = static_cast<std::uint8_t>(operation.reduction);
  op.at = in;
  op.at2 = inout;
  op.bytes = static_cast<std::uint64_t>(count);
  op.bytes2 = static_cast<std::uint64_t>(count * type.size);
}
void Steps::machine_barrier() { next(Does::barrier); }

void Steps::finish() {
  if (done_.empty()) {  // nothing is awaited: the batch may go on growing, and frees the blocks when it has run
    for (const Place each : std::exchange(blocks_, {})) give_later(each);
    if (windows > 0) flush();
    return;
  }
  flush();
  complete();
}
void Steps::complete() {
  for (const auto& each : std::exchange(done_, {})) each();
}

Pending Steps::start() {
  const Place list = room(static_cast<std::int64_t>(ops_.size() * sizeof(Op)));
  if (!ops_.empty()) std::memcpy(at(list), ops_.data(), ops_.size() * sizeof(Op));
  const Pending pending{take_slot(), 0, take(sizeof(Result)), 0};
  Op& op = add(Does::behind);
  op.slot = pending.slot;
  op.at = list;
  op.bytes = ops_.size();
  ops_ = {};
  return pending;
}

}  // namespace assay::abi
