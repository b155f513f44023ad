#include "ranks/exposed.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "ranks/world.hpp"

namespace assay::described {

namespace {
GroupId program_of(Exposed::WindowId window) { return static_cast<GroupId>(window >> 32); }
}  // namespace

Exposed::WindowId Exposed::expose(int rank, GroupId program, std::size_t bytes) {
  const WindowId window = WindowId{program} << 32 | windows_[{program, rank}]++;
  memory_[{rank, window}] = {std::make_unique<std::byte[]>(bytes), bytes};
  return window;
}
std::byte* Exposed::data(int rank, WindowId window) { return memory_.at({rank, window}).bytes.get(); }
void Exposed::withdraw(WindowId window) {
  const GroupId program = program_of(window);
  const int all = program == 0 ? world_.ranks() : world_.groups().size(program);
  if (++withdrawn_[window] < all) return;
  for (int rank = 0; rank < all; ++rank)
    memory_.erase({program == 0 ? rank : world_.groups().member(program, rank, rank, "withdraws"), window});
}

void Exposed::forget(const std::vector<bool>& ranks) {
  for (auto& [id, access] : accesses_) {
    const Message& message = world_.message(id);
    if (ranks[static_cast<std::size_t>(message.tag == put_tag ? message.source : message.destination)])
      access.into = nullptr;
  }
  for (auto& [key, each] : under_way_)
    if (ranks[static_cast<std::size_t>(std::get<0>(key))]) each.waiter = nullptr;
}

std::byte* Exposed::place(int rank, WindowId window, int of, std::size_t offset, std::size_t bytes, const char* verb) {
  const auto found = memory_.find({of, window});
  const std::size_t room = found == memory_.end() ? 0 : found->second.size;
  if (offset > room || bytes > room - offset)
    throw std::out_of_range("rank " + std::to_string(world_.number(rank)) + " " + verb + " " + std::to_string(bytes) +
                            " bytes at offset " + std::to_string(offset) + " of rank " +
                            std::to_string(world_.number(of)) + ", which exposes " + std::to_string(room));
  return found->second.bytes.get() + offset;
}

void Exposed::put(int from, WindowId window, const void* data, std::size_t bytes, int to, std::size_t offset,
                  std::coroutine_handle<> caller) {
  if (window != elsewhere) place(from, window, to, offset, bytes, "puts");
  if (Log* log = world_.log()) log->begins(from, Log::Doing::put, world_.now());
  const MessageId id = world_.one_sided(from, data, bytes, to, put_tag, caller);
  accesses_[id] = {window, offset};
  if (window != elsewhere) ++under_way_[{from, window, to}].count;
  model_.send(world_, id, world_.message(id));
}

void Exposed::get(int rank, WindowId window, void* into, std::size_t bytes, int from, std::size_t offset,
                  std::coroutine_handle<> caller) {
  const void* const there = window == elsewhere ? into : place(rank, window, from, offset, bytes, "gets");
  if (Log* log = world_.log()) log->begins(rank, Log::Doing::get, world_.now());
  const MessageId id = world_.one_sided(from, there, bytes, rank, get_tag, caller);
  accesses_[id] = {window, offset, into};
  if (window != elsewhere) ++under_way_[{rank, window, from}].count;
  model_.send(world_, id, world_.message(id));
}

void Exposed::await(int rank, WindowId window, int with, std::coroutine_handle<> waiter) {
  if (Log* log = world_.log()) log->begins(rank, Log::Doing::complete, world_.now());
  under_way_.at({rank, window, with}).waiter = waiter;
}

void Exposed::read(MessageId id) {
  Access& access = accesses_.at(id);
  if (std::exchange(access.read, true)) return;
  if (access.window == elsewhere) return elsewhere_->read(access.offset, world_.carried(id));
  const Message& message = world_.message(id);
  const std::byte* const there =
      place(message.destination, access.window, message.source, access.offset, message.bytes, "gets");
  if (message.bytes > 0) std::memcpy(world_.carried(id), there, message.bytes);
}

void Exposed::come(MessageId id) {
  const Message& message = world_.message(id);
  const Access& access = accesses_.at(id);
  const std::byte* const data = world_.carried(id);
  if (message.tag == put_tag && access.window == elsewhere) {
    elsewhere_->come(access.offset, data);
    return model_.acknowledge(world_, id);
  }
  if (message.tag == put_tag) {
    std::byte* const there =
        place(message.source, access.window, message.destination, access.offset, message.bytes, "puts");
    if (data) std::memcpy(there, data, message.bytes);
    return model_.acknowledge(world_, id);
  }
  read(id);
  if (access.into && message.bytes > 0) std::memcpy(access.into, data, message.bytes);
  done(id);
}

void Exposed::done(MessageId id) {
  if (const auto access = accesses_.find(id); access->second.window == elsewhere) {
    const std::size_t number = access->second.offset;
    accesses_.erase(access);
    world_.delivered(id);
    return elsewhere_->done(number);
  }
  const Message message = world_.message(id);
  const bool put = message.tag == put_tag;
  const int caller = put ? message.source : message.destination;
  const auto found = under_way_.find({caller, accesses_.at(id).window, put ? message.destination : message.source});
  const auto waiter = found->second.waiter;
  accesses_.erase(id);
  world_.delivered(id);
  if (--found->second.count > 0) return;
  under_way_.erase(found);
  if (!waiter) return;
  if (Log* log = world_.log()) log->ends(caller, world_.now());
  waiter.resume();  // always the last thing that an event does
}

void Exposed::add_waiting(std::vector<Waiting>& found) const {
  for (const auto& [key, each] : under_way_)
    if (each.waiter) found.push_back({std::get<0>(key), "complete", std::get<2>(key), 0});
}

}  // namespace assay::described
