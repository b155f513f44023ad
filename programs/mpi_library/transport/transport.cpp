#include "mpi_library/transport/transport.hpp"

#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "mpi_library/calls/functions.hpp"

namespace assay::abi {
namespace {

constexpr int free_readings = 8;  // of the clock, one after another

std::uint32_t gone_on;  // how often the simulator has let this rank go on
std::int64_t ahead;     // ps that asking took since the last batch
int readings;           // of the clock since the last operation
double last_cpu;        // s, when the last call ended
int regions;            // of the program that this rank is in
std::vector<Place>& later() {
  static auto* const all = new std::vector<Place>;
  return *all;
}
struct Slots {
  std::vector<Slot> free;
  Slot next = 0;
};
Slots& slots() {
  static auto* const all = new Slots;
  return *all;
}

double cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Op& append(Does does) {
  Control& mine = *process.control;
  if (mine.count == most_ops) flush();
  Op& op = mine.ops[mine.count++];
  op = {};
  op.does = does;
  return op;
}

void charge(std::int64_t picoseconds) {
  if (picoseconds <= 0) return;
  if (process.control->count == 0)
    process.control->compute += picoseconds;
  else
    append(Does::compute).bytes = static_cast<std::uint64_t>(picoseconds);
}

void computes_from_now() {
  if (process.header->factor > 0) last_cpu = cpu_now();
}

}  // namespace

void charge_computing() {
  if (process.header->factor <= 0) return;
  const double now = cpu_now();
  const double took = (now - std::exchange(last_cpu, now)) * process.header->factor;
  if (regions > 0 || process.header->in_regions == 0) charge(static_cast<std::int64_t>(took * 1e12));
}

Op& add(Does does) {
  readings = 0;
  charge(std::exchange(ahead, 0));
  return append(does);
}

void flush() {
  charge(std::exchange(ahead, 0));
  Control& mine = *process.control;
  mine.posted.fetch_add(1);
  if (mine.awaited.load()) wake(mine.posted);
  while (mine.go.load() == gone_on) {
    mine.asleep.store(1);
    if (mine.go.load() == gone_on) futex(mine.go, FUTEX_WAIT, gone_on);
    mine.asleep.store(0);
  }
  gone_on = mine.go.load();
  mine.count = 0;
  mine.compute = 0;
  for (const Place each : later()) give(each);
  later().clear();
  computes_from_now();
}

void give_later(Place block) {
  if (block != 0) later().push_back(block);
}

constinit bool initialized = false;
constinit int windows = 0;

double clock_now() {
  if (initialized) charge_computing();
  if (process.control->count != 0) flush();
  if (++readings > free_readings) ahead += process.header->poll;
  return static_cast<double>(process.control->now + process.control->compute + ahead) * 1e-12;
}

void begin_call(int function) {
  if (!initialized) [[unlikely]]
    end_with("%s: MPI is not initialized", name_of(static_cast<Function>(function)));
  charge_computing();
  if (process.header->marks) add(Does::begins).slot = static_cast<std::uint32_t>(function);
}

void end_call(int function, std::uint64_t bytes, int peer) {
  if (process.header->marks) {
    Op& op = add(Does::ends);
    op.slot = static_cast<std::uint32_t>(function);
    op.bytes = bytes;
    op.peer = peer;
  }
  computes_from_now();
}

void mark_region(Does does, std::string_view name) {
  charge_computing();
  regions += does == Does::begins ? 1 : -1;
  const Place place = take(name.size());
  std::memcpy(at(place), name.data(), name.size());
  Op& op = add(does);
  op.at = place;
  op.bytes = name.size();
  give_later(place);
  computes_from_now();
}

Slot take_slot() {
  Slots& all = slots();
  if (all.free.empty()) return all.next++;
  const Slot slot = all.free.back();
  all.free.pop_back();
  return slot;
}
void give_slot(Slot slot) { slots().free.push_back(slot); }

Pending post_send(Place data, std::uint64_t bytes, int to, std::int32_t word, SendMode mode) {
  const Pending pending{take_slot(), data, take(sizeof(Result)), bytes};
  Op& op = add(Does::isend);
  op.mode = static_cast<std::uint8_t>(mode);
  op.slot = pending.slot;
  op.at = data;
  op.bytes = bytes;
  op.peer = to;
  op.word = word;
  return pending;
}
Pending post_recv(Place data, std::uint64_t room, int from, std::int32_t word) {
  const Pending pending{take_slot(), data, take(sizeof(Result)), room};
  Op& op = add(Does::irecv);
  op.slot = pending.slot;
  op.at = data;
  op.bytes = room;
  op.peer = from;
  op.word = word;
  return pending;
}
Pending post_claimed(Slot claimed, Place data, std::uint64_t room) {
  const Pending pending{claimed, data, take(sizeof(Result)), room};
  Op& op = add(Does::receive_claimed);
  op.slot = claimed;
  op.at = data;
  op.bytes = room;
  return pending;
}
void add_wait(const Pending& pending, bool of_recv) {
  Op& op = add(Does::wait);
  op.mode = of_recv;
  op.slot = pending.slot;
  op.result = pending.result;
}
const Result& result_of(const Pending& pending) { return in_arena<Result>(pending.result); }
void release(const Pending& pending) {
  give_slot(pending.slot);
  give(pending.data);
  give(pending.result);
}

void add_send(Place data, std::uint64_t bytes, int to, std::int32_t word) {
  Op& op = add(Does::send);
  op.at = data;
  op.bytes = bytes;
  op.peer = to;
  op.word = word;
}
void add_recv(Place data, std::uint64_t room, int from, std::int32_t word) {
  const Slot slot = take_slot();
  Op& post = add(Does::irecv);
  post.slot = slot;
  post.at = data;
  post.bytes = room;
  post.peer = from;
  post.word = word;
  Op& wait = add(Does::wait);
  wait.slot = slot;
  wait.mode = 1;
  give_slot(slot);  // is used again behind its wait only
}
void add_sendrecv(Place data, std::uint64_t bytes, int to, Place into, std::uint64_t room, int from,
                  std::int32_t word) {
  Op& op = add(Does::sendrecv);
  op.at = data;
  op.bytes = bytes;
  op.peer = to;
  op.word = word;
  op.at2 = into;
  op.bytes2 = room;
  op.peer2 = from;
  op.word2 = word;
}
void add_copy(Place from, Place to, std::uint64_t bytes) {
  if (bytes == 0) return;
  Op& op = add(Does::copy);
  op.at = from;
  op.at2 = to;
  op.bytes = bytes;
}

}  // namespace assay::abi
