// The bus shared with files: a memory stream on one hardware thread beside a thread on another that writes a file and
// brings it to the device (fsync), or reads it; each alone and both together (Dunigan 1995, section 3, asks it of
// messages).
//
// A block is three windows, the stream alone, the file alone, both; their order turns from block to block. Writing ends
// with fsync, which counts; the stream goes on until that is done. The file passes the page cache by (O_DIRECT) where
// the file system lets it. Its rate says where the bytes came from, or went (files/source.hpp).
#include <algorithm>
#include <cmath>
#include <map>

#include "files/source.hpp"
#include "memory/caches.hpp"
#include "memory/pages.hpp"
#include "memory/scratch_file.hpp"
#include "memory/stream_kernels.hpp"
#include "threads/team.hpp"

constexpr std::string_view record = R"record(
name = "bus-files"
title = "The bus shared with files"
part = "memory"
kind = "node"
summary = "a memory stream and file input or output, each alone and both together: shares and sum"
cost = "stream: read 8 bytes per element, copy 16, as STREAM counts them; file: the bytes written or read, once; writing ends with fsync"
check = "every word of the file is read back past the cache and compared with a pattern of its block and place; the sum that the stream reads, or its copy, with a closed form"
source = "Dunigan 1995, section 3, the text after Table 3.4, there with messages"
or_nothing = true
slice_quick = 0.05
slice_standard = 0.08
slice_full = 1.5
blocks_quick = 2
blocks_standard = 3

[parameter.direction]
type = "choice"
default = ["write", "read"]
choices = ["write", "read"]
sweep = true
help = "what the file's thread does"

[parameter.kernel]
type = "choice"
default = ["read", "copy"]
quick = "read"
choices = ["read", "copy"]
sweep = true
help = "what the stream beside the file does: sum up an array, or copy one"

[parameter.bytes]
type = "integer"
default = 1048576
min = 4096
max = 67108864
unit = "B"
sweep = true
help = "bytes of one write or read; a multiple of 4096 for O_DIRECT"

[parameter.size]
type = "integer"
default = 134217728
quick = 16777216
min = 4096
max = 1099511627776
unit = "B"
help = "bytes of the file"

[metric.stream_kept]
unit = "1"
help = "of its rate alone, what the stream keeps beside the file"

[metric.file_kept]
unit = "1"
help = "of its rate alone, what the file keeps beside the stream"

[metric.stream]
unit = "B/s"
help = "bytes that the stream moved over the time it took; load: alone, or both at once"

[metric.file]
unit = "B/s"
help = "bytes of the file written or read over the time that took; load: alone, or both at once; source: where they came from, or went"

[metric.sum]
unit = "B/s"
help = "both rates added up, while both work"

[figure.stream]
metric = "stream"
unit = "B/s"
better = "higher"
help = "the stream's rate; load=alone, or load=both: its share"

[figure.file]
metric = "file"
unit = "B/s"
better = "higher"
help = "the file's rate; load=alone, or load=both: its share; source=cache: of memory, no rate of the storage"

[figure.sum]
metric = "sum"
unit = "B/s"
better = "higher"
help = "what stream and file move together, both at work"

[figure.stream_kept]
metric = "stream_kept"
unit = "1"
better = "higher"
help = "part of its rate alone that the stream keeps beside the file"

[figure.file_kept]
metric = "file_kept"
unit = "1"
better = "higher"
help = "part of its rate alone that the file keeps beside the stream"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;

class Stream {  // through more memory than the caches hold, a piece of 64 KiB after the other
 public:
  Stream(std::int64_t bytes, bool copy)
      : to_(copy ? static_cast<std::size_t>(bytes) : 4096, true),
        from_(static_cast<std::size_t>(bytes), true),
        copy_(copy),
        words_(bytes / piece * piece / 8) {
    auto* words = reinterpret_cast<std::uint64_t*>(from_.data());
    for (std::int64_t i = 0; i < words_; ++i) words[i] = factor * static_cast<std::uint64_t>(i);
  }
  double work() {  // one piece; the bytes it moved
    memory::Part part = at(next_, piece / 8);
    memory::find_loop(copy_ ? memory::Kernel::copy : memory::Kernel::read, false, 0)(part);
    touched();
    next_ = next_ + 2 * piece / 8 > words_ ? 0 : next_ + piece / 8;
    return copy_ ? 2.0 * piece : 1.0 * piece;
  }
  bool right() {
    memory::Part all = at(0, words_);
    if (!copy_) {
      memory::find_loop(memory::Kernel::read, false, 0)(all);
      const auto n = static_cast<std::uint64_t>(words_);
      return static_cast<std::uint64_t>(all.sum) == factor * (n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n);
    }
    std::memset(to_.data(), 0xa5, static_cast<std::size_t>(words_) * 8);
    memory::find_loop(memory::Kernel::copy, false, 0)(all);
    touched();
    const auto* words = reinterpret_cast<const std::uint64_t*>(to_.data());
    for (std::int64_t i = 0; i < words_; ++i)
      if (words[i] != factor * static_cast<std::uint64_t>(i)) return false;
    return true;
  }

 private:
  static constexpr std::int64_t piece = 65536;
  memory::Part at(std::int64_t word, std::int64_t count) {
    return {reinterpret_cast<double*>(to_.data()) + (copy_ ? word : 0),
            reinterpret_cast<const double*>(from_.data()) + word, nullptr, count, 0};
  }
  memory::Pages to_, from_;
  bool copy_;
  std::int64_t words_, next_ = 0;
};

struct Side {
  double bytes = 0, seconds = 0;
  files::Source source = files::Source::unknown;  // of the file's bytes
  double rate() const { return seconds > 0 ? bytes / seconds : 0; }
};

struct Shared {  // what a case works with, and what its last block gave
  std::shared_ptr<threads::Team> team;
  std::shared_ptr<memory::ScratchFile> file;
  std::shared_ptr<Stream> stream;
  bool writes;
  std::int64_t window;  // ns
  std::int64_t turn = 0, next = 0;
  Side alone[2] = {}, both[2] = {};  // the stream, the file
  std::string why = {};              // where a source is unknown

  void enter(bool streams, bool files, Side& stream_side, Side& file_side) {
    std::atomic<bool> done{!files};
    if (files && !writes && !file->direct) file->drop();
    const bool held = files && !writes && !file->direct && file->held();
    const files::Counters before = files::read_counters(file->storage);
    team->run(2, [&](int rank) {
      if (rank == 0 ? !streams : !files) return;
      const std::int64_t start = now_ns(), end = start + window;
      std::int64_t now = start;
      Side& side = rank == 0 ? stream_side : file_side;
      side = {};
      if (rank == 0) {
        for (; now < end || !done.load(std::memory_order_acquire); now = now_ns()) side.bytes += stream->work();
      } else {
        for (; now < end; now = now_ns(), next = (next + 1) % file->blocks) {
          writes ? file->write_block(next) : file->read_block(next);
          side.bytes += static_cast<double>(file->block);
        }
        if (writes) file->sync();
        now = now_ns();
        done.store(true, std::memory_order_release);
      }
      side.seconds = 1e-9 * static_cast<double>(now - start);
    });
    if (files) judge(file_side, held, files::since(files::read_counters(file->storage), before));
  }
  void judge(Side& side, bool held, const files::Counters& counted) {
    files::Evidence evidence{
        file->storage.below, file->direct, file->storage.synced, file->storage.unflushed, {}, counted, 0};
    const auto bytes = static_cast<std::int64_t>(side.bytes);
    const auto found = static_cast<std::size_t>(held ? files::Found::part : files::Found::nothing);
    (writes ? evidence.written : evidence.bytes[found]) = bytes;
    if (writes) {
      side.source = source_of_writes(evidence, why);
    } else {
      const files::Sources sources = sources_of_reads(evidence);
      side.source = sources.rate[found];
      if (!sources.why.empty()) why = sources.why;
    }
    if (side.rate() > 0) side.source = no_faster_than_link(side.source, 1 / side.rate(), file->storage.link, why);
  }
  void block() {
    Side none;
    for (std::int64_t k = 0; k < 3; ++k) {
      const std::int64_t which = (turn + k) % 3;
      if (which == 0) enter(true, false, alone[0], none);
      if (which == 1) enter(false, true, none, alone[1]);
      if (which == 2) enter(true, true, both[0], both[1]);
    }
    ++turn;
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto team = std::make_shared<threads::Team>();
  std::map<std::pair<std::int64_t, std::int64_t>, std::shared_ptr<memory::ScratchFile>> files;
  std::map<bool, std::shared_ptr<Stream>> streams;
  return run_program(record, argc, argv, [&](Case& at) {
    if (team->processors().usable() < 2)
      return at.skip("the bus shared with files: it needs two hardware threads, so that stream and file share none");
    if (!team->holds(at, 2)) return;
    const bool copy = at.choice("kernel") == "copy";
    const memory::LastLevel last = memory::find_last_level({team->cpu(0)});
    const std::int64_t cache = last.bytes;
    if (!last.warning.empty()) at.note(last.warning);
    const std::int64_t bytes = std::clamp<std::int64_t>(4 * cache, std::int64_t{64} << 20, std::int64_t{1} << 30);
    const memory::Headroom room = memory::read_headroom();
    if (!streams.count(copy) && (copy ? 2 : 1) * bytes > room.bytes / 2)
      return at.skip("a stream over " + std::to_string(bytes) + " bytes: more than half of what " + room.by +
                     " leaves");
    const std::pair<std::int64_t, std::int64_t> of{at.integer("size"), at.integer("bytes")};
    if (of.second > of.first)
      throw refused_value("bytes", "are more than a file has", of.second, "at most " + std::to_string(of.first));
    if (!files.count(of)) files[of] = std::make_shared<memory::ScratchFile>(of.first, of.second);
    if (!streams.count(copy)) streams[copy] = std::make_shared<Stream>(bytes, copy);
    const memory::ScratchFile& file = *files[of];
    at.note("the file lies in " + file.folder + (file.direct ? ", past the page cache (O_DIRECT)" : ""));
    if (file.in_memory)
      at.note("that is a file system in memory: no device, and both sides of a copy cross the bus");
    else if (of.second % 4096 != 0)
      at.note("O_DIRECT takes multiples of 4096 bytes: these pass through the page cache, and reads may come from it");
    else if (!file.direct)
      at.note("O_DIRECT is refused there: writes pass through the page cache until fsync, reads may come from it");
    auto shared = std::make_shared<Shared>(
        Shared{team, files[of], streams[copy], at.choice("direction") == "write", std::llround(1e9 * at.slice() / 3)});
    Case* self = &at;
    at.observe("stream_kept", [=] {
      shared->block();
      return shared->both[0].rate() / std::max(1.0, shared->alone[0].rate());
    });
    at.add_metric("file_kept", [=] { return shared->both[1].rate() / std::max(1.0, shared->alone[1].rate()); });
    at.observe("stream", "load", "alone", [=] { return shared->alone[0].rate(); });
    at.observe("stream", "load", "both", [=] { return shared->both[0].rate(); });
    for (const auto& [load, of] : {std::pair{"alone", &Shared::alone}, std::pair{"both", &Shared::both}})
      for (std::size_t which = 0; which < files::source_names.size(); ++which)
        at.observe_all("file", {{"load", load}, {"source", files::source_names[which]}}, [=] {
          const Side& side = (*shared.*of)[1];
          return side.source == static_cast<files::Source>(which) ? std::vector{side.rate()} : std::vector<double>();
        });
    at.observe("sum", "load", "both", [=] { return shared->both[0].rate() + shared->both[1].rate(); });
    at.on_finish([=] {
      if (!shared->why.empty()) self->note("source=unknown: " + shared->why);
      return std::string();
    });
    at.check([=] {
      const std::int64_t right = shared->file->right();
      const bool streamed = shared->stream->right();
      return Check{right == shared->file->blocks && streamed,
                   std::to_string(right) + " of " + std::to_string(shared->file->blocks) +
                       " blocks of the file right; the stream " + (streamed ? "right" : "wrong")};
    });
  });
}
