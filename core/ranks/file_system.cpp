#include "ranks/file_system.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ranks/simulated.hpp"

namespace assay::described {
namespace {
constexpr int request_tag = file_tag, answer_tag = file_tag + 1;
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

FileSystem::Aside FileSystem::later(Time at, std::function<void()> then) {
  co_await Until{world_, at};
  then();
}
void FileSystem::Clock::at(storage::Time time, std::function<void()> then) { files_.later(time, std::move(then)); }

FileSystem::FileSystem(World& world, const storage::StorageParameters& storage, int first_server)
    : world_(world), storage_(storage), keepers_(storage), first_(first_server), clock_(*this) {
  for (std::uint32_t node = 0; node < storage.io_nodes; ++node)
    servers_.push_back(std::make_unique<storage::BlockServer>(clock_, storage, keepers_.adopts(node)));
}
FileSystem::~FileSystem() {
  while (asides_.after != &asides_)
    std::coroutine_handle<Aside::promise_type>::from_promise(static_cast<Aside::promise_type&>(*asides_.after))
        .destroy();
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

std::uint32_t FileSystem::node_of(storage::FileId file, const storage::Piece& piece) const {
  return (files_[file].first + piece.node) % storage_.io_nodes;
}
std::vector<storage::Keeper> FileSystem::keepers_of(const Operation& call) const {
  const std::uint32_t node = node_of(call.file, call.piece);
  if (call.what == What::read) {
    // Files that are read side by side are at the same unit: each begins another run, so that neighbours share at once.
    const std::uint64_t ahead = std::uint64_t{call.file} * storage::Keepers::run * storage_.disks;
    return {keepers_.reads(node, call.piece.unit + ahead)};
  }
  std::vector<storage::Keeper> found;
  keepers_.writes(node, call.piece.unit, [&](const storage::Keeper& each) { found.push_back(each); });
  return found;
}

ranks::Task FileSystem::serve(int server) {
  Simulated comm(world_, first_ + server);
  const std::size_t room = request_bytes + storage_.stripe;
  while (true) {
    const auto arrived = co_await comm.recv(nullptr, room, ranks::any_source, request_tag);
    auto& waiting = pending_.at({arrived.source(), server});
    const Operation operation = waiting.front();
    waiting.pop_front();
    static_cast<int>(operation.keeper.keeps) == server ? answer(server, operation) : pass_on(server, operation);
  }
}

FileSystem::Aside FileSystem::answer(int server, Operation operation) {
  storage::BlockServer& node = *servers_[static_cast<std::size_t>(server)];
  std::string full;
  try {
    Served served{world_, [&](storage::BlockServer::Done done) { carry_out(node, operation, std::move(done)); }};
    co_await served;
  } catch (const std::length_error& why) {
    full = "I/O node " + std::to_string(server) + ": " + why.what();
  }
  if (!full.empty()) {  // it costs its request to find that out
    Served refused{world_, [&](storage::BlockServer::Done done) { node.work(storage_.request, std::move(done)); }};
    co_await refused;
  }
  if (world_.turn(operation.client) != operation.turn) co_return;  // its program has left
  if (full.empty())
    move(operation);
  else
    refused_.emplace(std::pair(operation.client, operation.turn), full);
  const std::size_t bytes = request_bytes + (operation.what == What::read ? operation.piece.bytes : 0);
  const Simulated::Send sent{world_, nullptr, bytes, first_ + server, operation.client, operation.answer, false};
  co_await sent;
}

FileSystem::Aside FileSystem::pass_on(int server, Operation operation) {
  storage::BlockServer& node = *servers_[static_cast<std::size_t>(server)];
  Served served{world_, [&](storage::BlockServer::Done done) { node.work(storage_.request, std::move(done)); }};
  co_await served;
  const auto keeps = static_cast<int>(operation.keeper.keeps);
  pending_[{first_ + server, keeps}].push_back(operation);
  Simulated comm(world_, first_ + server);
  co_await comm.send(nullptr, carried(operation), first_ + keeps, request_tag);
}

void FileSystem::carry_out(storage::BlockServer& node, const Operation& operation, storage::BlockServer::Done done) {
  const storage::Piece& piece = operation.piece;
  const storage::BlockServer::Part part{piece.unit, piece.offset % storage_.stripe, piece.bytes};
  const storage::FileId kept = operation.file | (operation.keeper.neighbours ? storage::of_neighbour : 0);
  switch (operation.what) {
    case What::open:
      return node.work(storage_.open, std::move(done));
    case What::close:
      return node.work(storage_.close, std::move(done));
    case What::read: {
      const std::uint64_t row = storage_.stripe * files_[operation.file].striping.nodes();
      return node.read(kept, part, storage_.read_ahead / row, std::move(done));
    }
    case What::write:
      return node.write(kept, part, std::move(done));
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

FileSystem::Operation FileSystem::by(int rank, Operation operation) const {
  const GroupId program = world_.program(rank);
  operation.client = rank;
  operation.turn = world_.turn(rank);
  operation.answer = program == 0 ? answer_tag : world_.groups().word(program, answer_tag);
  return operation;
}
RequestId FileSystem::answered(const Operation& operation, int keeper, std::size_t room) {
  return world_.post(operation.client, nullptr, room, first_ + keeper, operation.answer);
}

// A request leaves; its answer goes to the rank that posted a receive for it.
ranks::Task FileSystem::ask(Operation operation) {
  Simulated comm(world_, operation.client);
  const auto server = static_cast<int>(operation.keeper.target);
  pending_[{operation.client, server}].push_back(operation);
  co_await comm.send(nullptr, carried(operation), first_ + server, request_tag);
}

ranks::Task FileSystem::open(int rank, Opening how, storage::FileId& file) {
  const int over = how.io_nodes == 0 ? spread() : how.io_nodes;
  if (over < 1 || over > io_nodes())
    throw std::out_of_range("a file over " + std::to_string(over) + " I/O nodes; expected 1 to " +
                            std::to_string(io_nodes()));
  const GroupId program = world_.program(rank);
  const Operation call = by(rank, {What::open, 0, {}, nullptr, nullptr});
  const RequestId done = answered(call, 0, request_bytes);
  co_await ask(call);
  co_await Simulated::Wait{world_, done, Call::wait, 0};
  auto found = names_.find({program, how.name});
  if (found == names_.end()) {
    const auto id = static_cast<storage::FileId>(files_.size());
    const auto nodes = static_cast<std::uint32_t>(over);
    // Files begin at different I/O nodes, and go on from where the one before ends where they lie on a part of them.
    const std::uint32_t first = how.io_nodes == 0 ? id * nodes : 0;
    files_.push_back({storage::Striping(storage_.stripe, nodes, id), first, program, {}});
    found = names_.emplace(std::pair(program, how.name), id).first;
    for (std::uint32_t node = 0; node < nodes; ++node) allocate(id, node, how.reserve);
  }
  file = found->second;
}

void FileSystem::allocate(storage::FileId file, std::uint32_t node, std::uint64_t bytes) {
  const std::uint64_t units = files_[file].striping.units_on(node, bytes);
  const auto keep = [&](bool neighbours) {
    for (std::uint64_t unit = 0; unit < units; ++unit) {
      const auto each = [&](const storage::Keeper& keeper) {
        if (keeper.neighbours == neighbours)
          servers_[keeper.keeps]->allocate_unit(file | (neighbours ? storage::of_neighbour : 0), unit);
      };
      keepers_.writes(node_of(file, {node, unit, 0, 0}), unit, each);
    }
  };
  keep(false);
  keep(true);
}

ranks::Task FileSystem::close(int rank, storage::FileId file) {
  const Operation call = by(rank, {What::close, file, {}, nullptr, nullptr});
  const RequestId done = answered(call, 0, request_bytes);
  co_await ask(call);
  co_await Simulated::Wait{world_, done, Call::wait, 0};
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
    RequestId answer;
    std::uint64_t bytes;
  };
  Simulated comm(world_, rank);
  call = by(rank, call);
  const storage::Striping striping = files_[call.file].striping;
  const bool reads = call.what == What::read;
  const auto seconds = [](double time) { return time / picoseconds_a_second; };
  const auto nothing = [] {};
  std::deque<UnderWay> under_way;
  std::vector<storage::Keeper> left;  // those that the piece is still to be sent to
  std::string full;                   // why a part of it was not written
  while (bytes > 0 || !left.empty() || !under_way.empty()) {
    if ((bytes == 0 && left.empty()) || under_way.size() == storage_.outstanding) {
      UnderWay oldest = under_way.front();
      under_way.pop_front();
      co_await Simulated::Wait{world_, oldest.answer, Call::wait, 0};
      if (const auto refused = refused_.extract(std::pair(rank, call.turn))) {
        full = refused.mapped();
        bytes = 0;
        left.clear();
      }
      if (reads) co_await comm.compute(seconds(storage_.client_per_byte * static_cast<double>(oldest.bytes)), nothing);
      continue;
    }
    if (left.empty()) {
      call.piece = striping.piece(offset, bytes);
      left = keepers_of(call);
      offset += call.piece.bytes;
      bytes -= call.piece.bytes;
    }
    call.keeper = left.back();
    left.pop_back();
    const std::uint64_t count = call.piece.bytes;
    const double copying = reads ? 0 : storage_.client_write_byte * static_cast<double>(count);
    co_await comm.compute(seconds(static_cast<double>(storage_.client_request) + copying), nothing);
    // Answers of one I/O node come in any order.
    under_way.push_back({answered(call, static_cast<int>(call.keeper.keeps), request_bytes + storage_.stripe), count});
    co_await ask(call);
    if (!left.empty()) continue;
    if (call.into) call.into += count;
    if (call.from) call.from += count;
  }
  if (!full.empty()) throw std::length_error(full);
}

// Goes on where its own program does: that may have left when the last of it is on the disks.
struct FileSystem::Forgotten {
  FileSystem& files;
  storage::BlockServer& node;
  int rank;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> sleeper) {
    const auto own = [&all = files.files_, program = files.world_.program(rank)](storage::FileId file) {
      return all[file & ~storage::of_neighbour].program == program;
    };
    node.empty(own, [&world = files.world_, who = rank, turn = files.world_.turn(rank), sleeper] {
      if (world.turn(who) == turn) world.goes_on(world.now(), who, sleeper);
    });
  }
  void await_resume() const noexcept {}
};

ranks::Task FileSystem::forget(int rank) {
  for (auto& each : servers_) co_await Forgotten{*this, *each, rank};
}

}  // namespace assay::described
