// The parallel file system of a described machine: its I/O nodes are ranks of which no program knows, each a
// BlockServer (core/storage) behind messages of the machine's own.
//
//   read    compute node: client_request | a message there | I/O node: request, buffer or disk | its bytes back |
//           compute node: client_per_byte
//   write   compute node: client_request, client_per_byte | a message with the bytes | I/O node | a word back
//   open, close   a word to I/O node 0, which keeps the directory, and back
//
// A call is cut at the stripes; a compute node has `outstanding` requests under way at most and waits for the oldest.
// Messages go by the machine's protocols, from node to node of its network; the I/O nodes are at nodes of it. A
// unit has one keeper or two, and a neighbour replaces an I/O node, a link or a disk that failed (keepers.hpp):
// what it is passed on costs its I/O node a request, and the answer goes straight to the rank that asked.
//
// Where several programs share the world (jobs.hpp) they share I/O nodes, buffers and disks; files are each program's
// own, as if each had a folder of its own. What one has asked for when it leaves is still done, without its data, and
// is not answered. Its files stay on the disks. A write for which a disk has no room fails the program that made it,
// once what else it has under way is answered.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranks/task.hpp"
#include "ranks/world.hpp"
#include "storage/block_server.hpp"
#include "storage/keepers.hpp"
#include "storage/striping.hpp"

namespace assay::described {

class FileSystem {
 public:
  static constexpr std::size_t request_bytes = 32;  // of a request or an answer, without the data

  FileSystem(World& world, const storage::StorageParameters& storage, int first_server);
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  int io_nodes() const { return static_cast<int>(storage_.io_nodes); }
  /// A device whose dies take time to read a page takes time to program one: without it nothing is said of writing.
  bool writes_described() const {
    return !storage_.solid_state || storage_.solid_state->read == 0 || storage_.solid_state->program > 0;
  }
  int spread() const { return storage_.declustering == 0 ? io_nodes() : static_cast<int>(storage_.declustering); }
  // What an I/O node does for ever.
  ranks::Task serve(int server);

  // A file by its number; made if there is none of that name, over so many I/O nodes (0: all), with `reserve` bytes of
  // it allocated before anything is written.
  struct Opening {
    std::string name;
    int io_nodes = 0;
    std::uint64_t reserve = 0;
  };
  // The calls of a rank, as coroutines of its own. Data may be null: then only time passes.
  ranks::Task open(int rank, Opening how, storage::FileId& file);
  ranks::Task close(int rank, storage::FileId file);
  ranks::Task read(int rank, storage::FileId file, std::byte* into, std::uint64_t bytes, std::uint64_t offset);
  ranks::Task write(int rank, storage::FileId file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset);
  // All that its program has written is on the disks, and no buffer holds anything of its files.
  ranks::Task forget(int rank);
  storage::BlockServer::Counts counts() const;  // of all I/O nodes

 private:
  enum class What : std::uint8_t { open, close, read, write };
  struct Operation {
    What what;
    storage::FileId file;
    storage::Piece piece;
    std::byte* into;
    const std::byte* from;
    int client = 0;
    std::uint32_t turn = 0;  // of the client's seat: another's once its program has left
    int answer = 0;          // the word of the message that says it is done
    storage::Keeper keeper{};
  };
  struct File {
    storage::Striping striping;
    std::uint32_t first = 0;  // the I/O node that the striping counts from
    GroupId program = 0;
    std::unordered_map<std::uint64_t, std::vector<std::byte>> stripes;  // of those that were written with data
  };
  // The machine's clock for the storage.
  class Clock final : public storage::Timers {
   public:
    explicit Clock(FileSystem& files) : files_(files) {}
    storage::Time now() const override { return files_.world_.now(); }
    void at(storage::Time time, std::function<void()> then) override;

   private:
    FileSystem& files_;
  };
  // Runs by itself until its end, or the file system's; what it throws leaves the event in which it ran.
  struct Link {
    Link *before = this, *after = this;
  };
  struct Aside {
    struct promise_type : Link {
      template <class... Rest>
      explicit promise_type(FileSystem& files, const Rest&... /*of the function*/) {
        after = std::exchange(files.asides_.after, this);
        before = std::exchange(after->before, this);
      }
      ~promise_type() {
        before->after = after;
        after->before = before;
      }
      promise_type(const promise_type&) = delete;
      Aside get_return_object() const { return {}; }
      std::suspend_never initial_suspend() const noexcept { return {}; }
      std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() const { throw; }
    };
  };
  struct Until;
  struct Served;
  struct Forgotten;
  Aside later(Time at, std::function<void()> then);
  Aside answer(int server, Operation operation);
  Aside pass_on(int server, Operation operation);
  void carry_out(storage::BlockServer& node, const Operation& operation, storage::BlockServer::Done done);
  // Who asks for it; what says to a rank that something is done; and what waits for that.
  Operation by(int rank, Operation operation) const;
  RequestId answered(const Operation& operation, int keeper, std::size_t room);
  ranks::Task ask(Operation operation);
  ranks::Task transfer(int rank, Operation call, std::uint64_t bytes, std::uint64_t offset);
  std::uint32_t node_of(storage::FileId file, const storage::Piece& piece) const;
  std::vector<storage::Keeper> keepers_of(const Operation& call) const;
  static std::size_t carried(const Operation& operation) {
    return request_bytes + (operation.what == What::write ? operation.piece.bytes : 0);
  }
  void move(const Operation& operation);
  void allocate(storage::FileId file, std::uint32_t node, std::uint64_t bytes);

  World& world_;
  Link asides_;  // those that have not ended
  storage::StorageParameters storage_;
  storage::Keepers keepers_;
  int first_;
  Clock clock_;
  std::vector<std::unique_ptr<storage::BlockServer>> servers_;
  std::map<std::pair<GroupId, std::string>, storage::FileId> names_;  // by program
  std::vector<File> files_;
  std::map<std::pair<int, int>, std::deque<Operation>> pending_;  // by client and server: on their way, in order
  std::map<std::pair<int, std::uint32_t>, std::string> refused_;  // by client and turn: why a write was not done
};

}  // namespace assay::described
