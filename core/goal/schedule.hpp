// A GOAL schedule (Group Operation Assembly Language, Hoefler, Siebert and Lumsdaine, 2009): for each rank a graph of
// sends, receives and computing, as LogGOPSim plays them. An operation begins when all that it requires are over, and
// all that it irequires have begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::goal {

// What is wrong in a file; `line` 0: in a binary one.
struct Fault : std::runtime_error {
  Fault(std::size_t at, const std::string& problem, std::string what = "", std::string wanted = "")
      : std::runtime_error(problem), line(at), seen(std::move(what)), accepted(std::move(wanted)) {}
  std::size_t line;
  std::string seen, accepted;
};

enum class Kind : std::uint8_t { send, recv, calc };

struct Op {
  std::uint64_t size = 0;  // bytes, or nanoseconds of computing
  int peer = 0, tag = 0;   // -1 of a receive: any
  std::uint32_t line = 0;
  Kind kind = Kind::calc;
};

// Lists of operations, one for each operation.
class Lists {
 public:
  const std::uint32_t* begin(std::uint32_t op) const { return items_.data() + first_[op]; }
  const std::uint32_t* end(std::uint32_t op) const { return items_.data() + first_[op + 1]; }
  struct Pair {
    std::uint32_t of, item;
  };
  void fill(std::size_t ops, const std::vector<Pair>& pairs);

 private:
  std::vector<std::uint32_t> first_, items_;
};

struct RankOps {
  std::vector<Op> ops;
  std::vector<std::uint32_t> needs;  // how many operations each waits for
  Lists on_start, on_end;            // which operations wait for its start, or its end
  Lists requires_ends;               // whose ends it waits for, in the file's order
  bool given = false;

  // After all operations: `starts` and `ends` name first what is waited for. Fault where some wait for each other.
  void close(const std::vector<Lists::Pair>& starts, const std::vector<Lists::Pair>& ends);
};

struct Schedule {
  std::vector<RankOps> ranks;
  std::size_t ops() const;
  std::size_t count(Kind kind) const;
  // Tags that the ranks' world takes, each another; Fault where there are too many.
  void small_tags();
};

inline constexpr std::uint64_t most_ranks = 1 << 22;

// The text of a file, or the binary form that LogGOPSim's txt2bin makes of it (little-endian).
Schedule read(std::string_view file);
Schedule read_text(std::string_view text);
Schedule read_binary(std::string_view bytes);
bool is_binary(std::string_view file);
// Fault unless it is one that a rank's one processor and one interface can do.
void check_place(std::size_t line, std::uint64_t cpu, std::uint64_t nic);
void check_peer(std::size_t line, std::uint64_t peer, std::size_t ranks);

// How far a rank is: of the operations that may begin, the first of the file comes first.
class Progress {
 public:
  explicit Progress(const RankOps& ops);
  bool over() const { return ended_ == ops_->ops.size(); }
  bool ready() const { return !ready_.empty(); }
  std::uint32_t next() const { return ready_.front(); }
  std::uint32_t take();
  std::uint32_t lacks(std::uint32_t op) const { return needs_[op]; }  // how many of those that it waits for
  void started(std::uint32_t op) { release(ops_->on_start, op); }
  void ended(std::uint32_t op) {
    ++ended_;
    release(ops_->on_end, op);
  }

 private:
  void release(const Lists& lists, std::uint32_t op);
  const RankOps* ops_;
  std::vector<std::uint32_t> needs_, ready_;
  std::size_t ended_ = 0;
};

}  // namespace assay::goal
