#include "ranks/file_system.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ranks/simulated.hpp"

namespace assay::described {
namespace {
constexpr int request_tag = file_tag, answer_tag = file_tag + 1;
constexpr storage::FileId forwarded = storage::FileId{1} << 23;  // a file's units that a failed I/O node would keep
}  // namespace

struct FileSystem::Until {
  World& world;
  Time at;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> sleeper) const { world.wake(at, sleeper); }
  void await_resume() const noexcept {}
};

// Starts something of the storage and goes on when that is done, in its own event.
struct FileSystem::Served {
  World& world;
  std::function<void(storage::BlockServer::Done)> begin;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> sleeper) {
    const auto started = std::move(begin);  // this may be gone before it returns
    World& here = world;
    started([&here, sleeper] { here.wake(here.now(), sleeper); });
  }
  void await_resume() const noexcept {}
};

FileSystem::Aside FileSystem::later(World& world, Time at, std::function<void()> then) {
  co_await Until{world, at};
  then();
}
void FileSystem::Clock::at(storage::Time time, std::function<void()> then) { later(world_, time, std::move(then)); }

FileSystem::FileSystem(World& world, const storage::StorageParameters& storage, int first_server)
    : world_(world), storage_(storage), first_(first_server), clock_(world) {
  for (std::uint32_t node = 0; node < storage.io_nodes; ++node)
    servers_.push_back(std::make_unique<storage::BlockServer>(clock_, storage));
}

storage::BlockServer::Counts FileSystem::counts() const {
  storage::BlockServer::Counts sum;
  for (const auto& each : servers_) {
    const auto& one = each->counts();
    sum.hits += one.hits;
    sum.misses += one.misses;
    sum.read += one.read;
    sum.written += one.written;
    sum.reads += one.reads;
    sum.writes += one.writes;
  }
  return sum;
}

// --- I/O nodes

int FileSystem::server_of(storage::FileId, const storage::Piece& piece) const {
  return static_cast<int>(storage_.failed == piece.node ? (piece.node + 1) % storage_.io_nodes : piece.node);
}
storage::FileId FileSystem::kept_as(storage::FileId file, const storage::Piece& piece) const {
  return storage_.failed == piece.node ? file | forwarded : file;
}

ranks::Task FileSystem::serve(int server) {
  Simulated comm(world_, first_ + server);
  const std::size_t room = request_bytes + storage_.stripe;
  while (true) {
    const auto arrived = co_await comm.recv(nullptr, room, ranks::any_source, request_tag);
    auto& waiting = pending_.at({arrived.source(), server});
    const Operation operation = waiting.front();
    waiting.pop_front();
    answer(server, arrived.source(), operation);
  }
}

FileSystem::Aside FileSystem::answer(int server, int client, Operation operation) {
  storage::BlockServer& node = *servers_[static_cast<std::size_t>(server)];
  Served served{world_, [&](storage::BlockServer::Done done) { carry_out(node, operation, std::move(done)); }};
  co_await served;
  move(operation);
  Simulated comm(world_, first_ + server);
  const std::size_t bytes = request_bytes + (operation.what == What::read ? operation.piece.bytes : 0);
  co_await comm.send(nullptr, bytes, client, answer_tag);
}

void FileSystem::carry_out(storage::BlockServer& node, const Operation& operation, storage::BlockServer::Done done) {
  const storage::Piece& piece = operation.piece;
  switch (operation.what) {
    case What::open:
      return node.work(storage_.open, std::move(done));
    case What::close:
      return node.work(storage_.close, std::move(done));
    case What::read: {
      const std::uint64_t row = storage_.stripe * files_[operation.file].striping.nodes();
      return node.read(kept_as(operation.file, piece), piece.unit, piece.bytes, storage_.read_ahead / row,
                       std::move(done));
    }
    case What::write:
      return node.write(kept_as(operation.file, piece), piece.unit, piece.bytes, std::move(done));
  }
}

// The data themselves, where the program gave any: between its memory and what is kept of the stripe.
void FileSystem::move(const Operation& operation) {
  if (!operation.into && !operation.from) return;
  const std::uint64_t stripe = operation.piece.offset / storage_.stripe,
                      inside = operation.piece.offset % storage_.stripe;
  auto& kept = files_[operation.file].stripes[stripe];
  kept.resize(storage_.stripe);
  if (operation.from)
    std::memcpy(kept.data() + inside, operation.from, operation.piece.bytes);
  else
    std::memcpy(operation.into, kept.data() + inside, operation.piece.bytes);
}

// --- ranks

// A request leaves; its answer is waited for by whoever posted a receive for it.
ranks::Task FileSystem::ask(int rank, int server, Operation operation, std::size_t carried) {
  Simulated comm(world_, rank);
  pending_[{rank, server}].push_back(operation);
  co_await comm.send(nullptr, request_bytes + carried, first_ + server, request_tag);
}

ranks::Task FileSystem::open(int rank, Opening how, storage::FileId& file) {
  const int spread = how.io_nodes == 0 ? io_nodes() : how.io_nodes;
  if (spread < 1 || spread > io_nodes())
    throw std::out_of_range("a file over " + std::to_string(spread) + " I/O nodes; accepted: 1 to " +
                            std::to_string(io_nodes()));
  Simulated comm(world_, rank);
  auto answered = co_await comm.irecv(nullptr, request_bytes, first_, answer_tag);
  co_await ask(rank, 0, {What::open, 0, {}, nullptr, nullptr}, 0);
  co_await comm.wait(answered);
  auto found = names_.find(how.name);
  if (found == names_.end()) {
    const auto id = static_cast<storage::FileId>(files_.size());
    const auto nodes = static_cast<std::uint32_t>(spread);
    files_.push_back({storage::Striping(storage_.stripe, nodes, id), {}});  // files begin at different I/O nodes
    found = names_.emplace(how.name, id).first;
    const storage::Striping& striping = files_.back().striping;
    for (std::uint32_t node = 0; node < nodes && how.reserve > 0; ++node) {
      const storage::Piece piece{node, 0, 0, 0};
      servers_[static_cast<std::size_t>(server_of(id, piece))]->allocate(kept_as(id, piece),
                                                                         striping.units_on(node, how.reserve));
    }
  }
  file = found->second;
}

ranks::Task FileSystem::close(int rank, storage::FileId file) {
  Simulated comm(world_, rank);
  auto answered = co_await comm.irecv(nullptr, request_bytes, first_, answer_tag);
  co_await ask(rank, 0, {What::close, file, {}, nullptr, nullptr}, 0);
  co_await comm.wait(answered);
}

ranks::Task FileSystem::read(int rank, storage::FileId file, std::byte* into, std::uint64_t bytes,
                             std::uint64_t offset) {
  return transfer(rank, {What::read, file, {}, into, nullptr}, bytes, offset);
}
ranks::Task FileSystem::write(int rank, storage::FileId file, const std::byte* from, std::uint64_t bytes,
                              std::uint64_t offset) {
  return transfer(rank, {What::write, file, {}, nullptr, from}, bytes, offset);
}

ranks::Task FileSystem::transfer(int rank, Operation call, std::uint64_t bytes, std::uint64_t offset) {
  struct UnderWay {
    Simulated::ReceiveRequest answer;
    std::uint64_t bytes;
  };
  Simulated comm(world_, rank);
  const storage::Striping striping = files_[call.file].striping;
  const bool reads = call.what == What::read;
  const auto seconds = [](double time) { return time / picoseconds_a_second; };
  const auto nothing = [] {};
  std::deque<UnderWay> under_way;
  while (bytes > 0 || !under_way.empty()) {
    if (bytes == 0 || under_way.size() == storage_.outstanding) {
      UnderWay oldest = under_way.front();
      under_way.pop_front();
      co_await comm.wait(oldest.answer);
      if (reads) co_await comm.compute(seconds(storage_.client_per_byte * static_cast<double>(oldest.bytes)), nothing);
      continue;
    }
    call.piece = striping.piece(offset, bytes);
    const std::uint64_t count = call.piece.bytes;
    const double copying = reads ? 0 : storage_.client_write_byte * static_cast<double>(count);
    co_await comm.compute(seconds(static_cast<double>(storage_.client_request) + copying), nothing);
    const int server = server_of(call.file, call.piece);
    // Answers of one I/O node come in any order.
    const auto answered = co_await comm.irecv(nullptr, request_bytes + storage_.stripe, first_ + server, answer_tag);
    under_way.push_back({answered, count});
    co_await ask(rank, server, call, reads ? 0 : count);
    offset += count;
    bytes -= count;
    if (call.into) call.into += count;
    if (call.from) call.from += count;
  }
}

ranks::Task FileSystem::forget(int) {
  for (auto& each : servers_) {
    storage::BlockServer* const node = each.get();
    Served served{world_, [node](storage::BlockServer::Done done) { node->empty(std::move(done)); }};
    co_await served;
  }
}

}  // namespace assay::described
