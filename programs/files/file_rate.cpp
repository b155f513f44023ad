// Reading and writing of files by block size, engine, depth and processes, each rate and latency with where its bytes
// came from: a device, the page cache, another host, or unknown (files/source.hpp). A pass writes or reads each block
// of the files once, or as many as its time allows; a block of measurement is one pass.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "files/copy_ceiling.hpp"
#include "files/flush.hpp"
#include "files/pass.hpp"
#include "files/ring.hpp"
#include "files/room.hpp"
#include "timing/program.hpp"
#include "timing/sampler.hpp"

constexpr std::string_view record = R"record(
name = "file-rate"
title = "Files: rate and latency"
part = "files"
kind = "node"
summary = "writing and reading of files by block size, engine, depth and processes: rate and latency, each with where its bytes came from"
cost = "bytes of the operations; writing to a device ends with fsync, which counts"
check = "every block that was written is read back past the page cache and compared byte by byte with a pattern of its file, offset, writer and pass; of every block that a timed pass reads the first sector is"
source = "Dunigan 1991, section 5 and 1995, section 4; the full coverage at random of elbencho; the depth of fio"
or_nothing = true
noise_immune = ["held"]
exact = ["link"]
writes = [2, "size", "processes"]
first_look = true
slice_quick = 0.15
slice_standard = 1
slice_full = 5
blocks_quick = 1
blocks_standard = 3
blocks_full = 4

[parameter.folder]
type = "path"
default = "scratch"
help = "where the files go, into a folder of the launch's own that is removed at the end"

[parameter.direction]
type = "choice"
default = ["write", "read"]
choices = ["write", "read", "reread", "mixed"]
sweep = true
help = "write new files; read files that are not in the page cache, as far as that can be emptied; read them again; mixed: read about half of the blocks and write the others, as they come"

[parameter.access]
type = "choice"
default = "sequential"
choices = ["sequential", "random", "append"]
sweep = true
help = "sequential: one block after the other; random: each block once, in a random order; append: each write to where the file ends (O_APPEND), one file of all processes too, where the kernel orders them: each block is found again and must be there once and whole"

[parameter.engine]
type = "choice"
default = ["buffered", "direct"]
choices = ["buffered", "direct", "uring", "mmap"]
sweep = true
help = "buffered: pread and pwrite through the page cache; direct: past it (O_DIRECT); uring: io_uring (O_DIRECT where the file system takes it), left out where the kernel refuses it; mmap: a mapping of the file"

[parameter.bytes]
type = "integer"
default = 1048576
quick = [4096, 1048576]
standard = [4096, 65536, 1048576]
full = [512, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216]
min = 512
max = 67108864
unit = "B"
sweep = true
help = "bytes of an operation, a multiple of 512; O_DIRECT may want multiples of 4096"

[parameter.depth]
type = "integer"
default = 1
min = 1
max = 1024
sweep = true
help = "operations in flight of each process: threads, or requests of io_uring"

[parameter.processes]
type = "integer"
default = 1
min = 1
max = 4096
sweep = true
help = "processes that work at once"

[parameter.layout]
type = "choice"
default = "own"
choices = ["own", "segmented", "strided"]
sweep = true
help = "own: a file for each process; segmented: one file, of which each process has a part; strided: one file, whose blocks the processes take in turn"

[parameter.size]
type = "integer"
default = 268435456
quick = 33554432
min = 512
max = 1099511627776
unit = "B"
help = "bytes that each process writes or reads in a pass"

[parameter.before]
type = "choice"
default = "emptied"
choices = ["emptied", "written", "half", "all"]
help = "what the page cache holds before reading: nothing, as far as it can be emptied; what writing left; the first half of each file; all"

[parameter.allocated]
type = "choice"
default = "no"
choices = ["no", "yes"]
help = "whether the space of files is allocated before they are written (fallocate), which counts in open; of what is appended beyond the file's end"

[metric.time]
unit = "s/B"
help = "time per byte; source: where the bytes came from, or went; of direction=mixed operation: read or write, each with the part of the pass that its operations took"

[metric.latency]
unit = "s"
help = "of one operation; source: where its bytes came from, or went; of direction=mixed operation: read or write"

[metric.first]
unit = "s/B"
help = "time per byte of all processes, until the first of them has done all of its blocks"

[metric.last]
unit = "s/B"
help = "time per byte of all processes, until the last of them has done all of its blocks"

[metric.open]
unit = "s"
help = "opening a file, the longest of the processes"

[metric.sync]
unit = "s"
help = "fsync after the last write, the longest of the processes"

[metric.close]
unit = "s"
help = "closing a file, the longest of the processes"

[metric.held]
unit = "1"
help = "part of the bytes that were in the page cache before the pass"

[metric.copy]
unit = "s/B"
help = "time per byte of a copy within memory, in blocks as long, by one thread"

[metric.link]
unit = "s/B"
help = "time per byte of the link to the device, or of this host's network to another one, as the kernel rates it"

[figure.rate]
metric = "time"
unit = "B/s"
formula = "1 / value"
better = "higher"
headline = true
help = "bytes over time; source=cache: of the page cache or of memory, no rate of the storage; of writes source=device counts fsync"

[figure.latency]
metric = "latency"
unit = "s"
help = "of one operation; source=cache: a copy in memory, no latency of the storage"

[figure.rate_first]
metric = "first"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "of all processes until the first has finished: all of them work"

[figure.rate_last]
metric = "last"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "of all processes until the last has finished, without open, fsync and close"

[figure.open]
metric = "open"
unit = "s"
help = "opening a file"

[figure.sync]
metric = "sync"
unit = "s"
help = "fsync after the last write: what the page cache had not yet brought to the storage"

[figure.close]
metric = "close"
unit = "s"
help = "closing a file"

[figure.copy]
metric = "copy"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "of a copy within memory, by one thread, in blocks as long: an operation through the page cache that is near it is bound by the copy and not by the storage"

[figure.link]
metric = "link"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "that the link or the bus to the device, or this host's network, carries at most: what is faster did not come from there; none where a part of the way has no rating, and in virtual machines"

[figure.held]
metric = "held"
unit = "1"
help = "part of the bytes that were in the page cache before they were read"

[headline.write]
title = "Storage: writing"
figure = "rate"
where = "direction=write source=device engine=direct access=sequential bytes=1048576"
says = "1 MiB blocks past the page cache, with fsync"
order = 1

[headline.read]
title = "Storage: reading"
figure = "rate"
where = "direction=read source=device engine=direct access=sequential bytes=1048576"
says = "1 MiB blocks past the page cache"
order = 2

[headline.cached]
title = "Page cache, not storage: writing"
figure = "rate"
where = "direction=write source=cache engine=buffered access=sequential bytes=1048576"
says = "1 MiB blocks into memory, before fsync"
order = 3
)record";

namespace {

using namespace assay;
using namespace assay::files;
using timing::Case;

struct Program {  // what all cases share
  std::unique_ptr<OwnFolder> folder;
  Storage storage;
  bool direct = false;
  std::string no_ring, no_space_ahead;  // why io_uring, and fallocate(2), are refused here
  CopyCeiling copy;
  std::map<std::string, std::shared_ptr<Files>> read;  // sets of files that are read
};

struct State {
  std::shared_ptr<Files> files, filled;
  Outcome last;
  std::int64_t wrong = 0, passes = 0;
  std::string why;
};

Work work_of(const Case& at) {
  Work work;
  work.write = at.choice("direction") == "write";
  work.mixed = at.choice("direction") == "mixed";
  work.random = at.choice("access") == "random";
  work.append = at.choice("access") == "append";
  const std::string& engine = at.choice("engine");
  work.engine = engine == "direct"  ? Engine::direct
                : engine == "uring" ? Engine::uring
                : engine == "mmap"  ? Engine::mmap
                                    : Engine::buffered;
  const std::string& layout = at.choice("layout");
  work.layout = layout == "own" ? Layout::own : layout == "segmented" ? Layout::segmented : Layout::strided;
  work.bytes = at.integer("bytes");
  if (work.bytes % sector != 0)
    throw timing::refused_value("bytes", "are no whole sectors", work.bytes, "a multiple of 512");
  if (work.bytes > at.integer("size"))
    throw timing::refused_value("bytes", "are more than a file has", work.bytes,
                                "at most the parameter 'size', " + std::to_string(at.integer("size")));
  work.blocks = at.integer("size") / work.bytes;
  work.depth = at.integer("depth");
  work.processes = at.integer("processes");
  work.preallocate = work.write && at.choice("allocated") == "yes";
  work.at_most = at.slice();
  if (const char* patience = std::getenv("ASSAY_FILES_PATIENCE")) work.patience = std::max(0.1, std::atof(patience));
  if (work.processes * work.blocks > (std::int64_t{1} << 27))
    throw timing::refused_value(
        "size", "takes too many operations in a pass", at.integer("size"),
        "at most " + std::to_string(std::int64_t{1} << 27) + " operations, by a smaller size or larger bytes");
  work.prefix = work.write ? "written" : work.mixed ? "mixed" : "read";
  return work;
}

void prepare(Program& program, Case& at) {
  if (program.folder) return;
  program.folder = std::make_unique<OwnFolder>(at.path("folder"), at.subfolder());
  program.storage = storage_of(program.folder->descriptor(), program.folder->path());
  const int probe = program.folder->open("probe", O_RDWR | O_CREAT | O_EXCL);
  program.direct = takes_direct(probe);
  program.storage.unflushed = flush_missing(probe, program.storage);
  if (fallocate(probe, 0, 0, page_bytes) != 0) program.no_space_ahead = std::strerror(errno);
  close(probe);
  program.folder->remove("probe");
  program.no_ring = Ring(4).refused();
  at.note("the files lie in " + at.path("folder") + ": " + program.storage.words());
  if (program.storage.below == Below::memory)
    at.note("files there lie in memory: every rate is one of memory, none of a storage device");
  if (!program.storage.caveat.empty()) at.note(program.storage.caveat);
  if (const std::string way = program.storage.link_words(); !way.empty()) at.note(way);
}

// Reads what the case reads, its page cache made ready as asked for; nothing of it is timed.
void make_ready(Case& at, State& state) {
  const std::string& before = at.choice("before");
  if (before == "written" && at.choice("direction") == "read") state.filled->fill();
  if (state.filled != state.files) state.files->read_what(*state.filled);
  if (at.choice("direction") == "reread" || before == "all") return state.files->warm(1);
  if (before == "written") return;
  state.files->drop();
  if (before == "half") state.files->warm(0.5);
}

// Why the case's files are too large for the folder, the greatest size that is not first; "" where they fit. What is
// read and what is written lie there at once. The advice names the blocks, too: a launch may have longer ones, which
// files of that size would be refused for.
std::string too_large(const Room& room, const Case& at, const Work& work) {
  const std::int64_t wanted = 2 * work.bytes * work.blocks * work.processes;
  if (wanted <= room.bytes && work.file_bytes() <= room.file) return "";
  const std::int64_t of_file = work.layout == Layout::own ? room.file : room.file / work.processes;
  const std::int64_t greatest = std::min(room.bytes / (2 * work.processes), of_file) / sector * sector;
  const std::string by = std::to_string(work.processes) + (work.processes == 1 ? " process" : " processes");
  const std::string advice =
      greatest >= work.bytes ? "--set size=" + std::to_string(greatest) + " --set bytes=" + std::to_string(work.bytes) +
                                   " is the most that fits with " + by
                             : "no size fits with " + by + " and blocks of " + std::to_string(work.bytes) + " bytes";
  const std::string limit = wanted > room.bytes ? std::to_string(room.bytes) + " may be written in " +
                                                      at.path("folder") + ", a quarter of what " + room.by + " leaves"
                                                : std::to_string(room.file) + " are allowed for a file";
  return advice + " (size=" + std::to_string(at.integer("size")) + " takes " + std::to_string(wanted) +
         " bytes, as files to read and files to write lie there at once; " + limit + ")";
}

// Why the case cannot be measured here; "" where it can.
std::string obstacle(const Program& program, const Case& at, Work& work) {
  if (const std::string why = too_large(read_room(program.folder->descriptor()), at, work); !why.empty()) return why;
  if (work.engine == Engine::uring && !program.no_ring.empty())
    return "engine uring: io_uring is refused here (" + program.no_ring +
           "); engine=direct with depth=" + std::to_string(work.depth) +
           " has as many operations in flight, by threads";
  const bool past = work.engine == Engine::direct || work.engine == Engine::uring;
  work.past_cache = past && program.direct && work.bytes % page_bytes == 0;
  if (work.engine == Engine::direct && !work.past_cache)
    return "engine direct with " + std::to_string(work.bytes) + " bytes: " +
           (program.direct ? "O_DIRECT takes multiples of 4096 bytes" : program.storage.type + " refuses O_DIRECT");
  if (work.append && (!work.write || work.engine == Engine::mmap))
    return "access append: that is of writing, by another engine than mmap";
  if (work.preallocate && !program.no_space_ahead.empty())
    return "allocated=yes: " + program.storage.type + " refuses fallocate (" + program.no_space_ahead + ")";
  if (at.choice("allocated") == "yes" && !work.write) return "allocated=yes: that is of direction=write";
  if (work.mixed && (work.engine == Engine::mmap || work.bytes % page_bytes != 0))
    return "direction mixed by mmap or with parts of pages: to write them the kernel reads the page; expected other "
           "engines, multiples of 4096 bytes";
  if (work.mixed && at.choice("before") == "written") return "direction mixed with before=written: that is of read";
  if (!work.write || at.choice("before") == "emptied") return "";
  return "writing with before=" + at.choice("before") + ": that is of reading";
}

void measure(Program& program, Case& at) {
  prepare(program, at);
  Work work = work_of(at);
  if (const std::string why = obstacle(program, at, work); !why.empty()) return at.leave_out(why);
  if (work.engine == Engine::uring && !work.past_cache)
    at.note("io_uring without O_DIRECT, which " + program.storage.type +
            " or the block size does not allow: through the page cache");
  auto state = std::make_shared<State>();
  if (!work.changes())
    work.prefix = "read-" + std::to_string(static_cast<int>(work.layout)) + "-" + std::to_string(work.processes) + "-" +
                  std::to_string(work.layout == Layout::strided ? work.bytes : 0) + "-" +
                  std::to_string(work.file_bytes());
  work.copy = program.copy.least(work.bytes);
  state->files = std::make_shared<Files>(work, *program.folder, program.storage, at.seed());
  Case* self = &at;
  Program* shared = &program;
  at.observe("open", [=] {
    State& own = *state;
    if (work.mixed) {
      (own.filled = state->files)->fill();
      make_ready(*self, own);
    } else if (!work.write) {
      auto& filled = shared->read[work.prefix];
      if (!filled) (filled = state->files)->fill();
      own.filled = filled;
      make_ready(*self, own);
    }
    own.last = own.files->pass();
    ++own.passes;
    if (!own.last.why.empty()) own.why = own.last.why;
    if (work.changes()) {
      own.wrong += own.files->wrong();
      own.files->remove();
    }
    own.last.over_time.lines(self->label().text("source", own.last.calls), own.passes, work.bytes,
                             [&](const timing::Json& line) { self->write(line); });
    return own.last.open;
  });
  for (std::size_t which = 0; which < source_names.size(); ++which) {
    const auto source = static_cast<Source>(which);
    const std::vector<std::pair<std::string, std::string>> label{{"source", source_names[which]}};
    const auto observe = [&](auto operations, const std::vector<std::pair<std::string, std::string>>& about) {
      at.observe_all("time", about, [=] {
        const auto& moved = operations(state->last).moved;
        const auto found = moved.find(source);
        return found == moved.end() ? std::vector<double>() : std::vector<double>{found->second.per_byte()};
      });
      at.observe_all("latency", about, [=] {
        const auto& latency = operations(state->last).latency;
        const auto found = latency.find(source);
        if (found == latency.end()) return std::vector<double>();
        std::vector<double> kept;  // as many as a block keeps, spread over the pass
        const std::size_t step = 1 + (found->second.size() - 1) / timing::Sampler::most;
        for (std::size_t each = 0; each < found->second.size(); each += step) kept.push_back(found->second[each]);
        return kept;
      });
    };
    const auto reads = [](const Outcome& of) -> const Operations& { return of.read; };
    const auto writes = [](const Outcome& of) -> const Operations& { return of.written; };
    if (work.mixed) {
      observe(reads, {label.front(), {"operation", "read"}});
      observe(writes, {label.front(), {"operation", "write"}});
    } else if (work.write) {
      observe(writes, label);
    } else {
      observe(reads, label);
    }
    if (work.processes == 1) continue;
    const auto alone = [=] {  // whether this is the one source of all
      std::set<Source> found;
      for (const Operations* each : {&state->last.read, &state->last.written})
        for (const auto& [of, values] : each->latency) found.insert(of);
      return source == (found.size() == 1 ? *found.begin() : Source::unknown);
    };
    at.observe_all("first", label, [=] {
      return alone() ? std::vector<double>{state->last.to_first / static_cast<double>(state->last.at_first)}
                     : std::vector<double>();
    });
    at.observe_all("last", label, [=] {
      return alone() ? std::vector<double>{state->last.to_last / static_cast<double>(state->last.bytes)}
                     : std::vector<double>();
    });
  }
  if (work.changes()) at.also_observe("sync", [=] { return state->last.sync; });
  if (!work.write) at.also_observe("held", [=] { return state->last.held; });
  if (!work.past_cache) at.also_observe("copy", [=, bytes = work.bytes] { return shared->copy.from_memory(bytes); });
  if (const double rate = program.storage.link.rate; rate > 0) at.also_observe("link", [=] { return 1 / rate; });
  at.also_observe("close", [=] { return state->last.close; });
  at.afterwards([=] {
    if (!state->why.empty()) self->note("source=unknown: " + state->why);
    if (!state->last.complete) self->note("a pass ended by its time, before all blocks were done");
    return std::string();
  });
  at.check([=] {
    if (state->filled && !work.mixed) state->files->read_what(*state->filled);
    const std::int64_t wrong = work.changes() ? state->wrong : state->files->wrong();
    return timing::Check{wrong == 0, std::to_string(wrong) + " blocks of " + std::to_string(state->passes) +
                                         " passes are not as they were written"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  Program program;
  return timing::run_program(record, argc, argv, [&](Case& at) { measure(program, at); });
}
