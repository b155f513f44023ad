// A pass over files by all ranks: opened, call after call, closed; the same on every machine. Layouts of the one file
// that all share: `sections`, rank after rank; `records`, call after call in turn (the Paragon's M_RECORD);
// `append`, each call to where the file ends, in whatever order they come;
// `broadcast`, rank 0 alone reads and sends every block on to all others in log2 ranks steps (M_GLOBAL).
// Mixed, each rank writes about half of its blocks and reads the others, as they come: always the same ones, and by
// collective calls the same ones of all ranks.
#pragma once

#include <algorithm>
#include <string>

#include "files/pattern.hpp"
#include "ranks/collectives.hpp"
#include "ranks/files.hpp"
#include "timing/options.hpp"

namespace assay::ranks {

enum class FileLayout { own, sections, records, append, broadcast };

struct FileCase {
  std::uint64_t bytes, section;
  int io_nodes;
  FileLayout layout;
  Calls calls;
  bool write, mixed, reserve;  // write: all blocks; mixed: some
  int active = 0;              // ranks that read or write, the first ones; 0: all
  bool changes() const { return write || mixed; }
  // Whether the call of a rank that follows `done` bytes of its own writes.
  bool writes(int rank, std::uint64_t done) const {
    const std::uint64_t own = calls == Calls::collective ? 0 : static_cast<std::uint64_t>(rank) << 32;
    return write || (mixed && files::mixed(own + done / bytes) % 2 == 1);
  }
  int workers(int ranks) const { return active == 0 || active > ranks ? ranks : active; }
  // Ranks whose bytes are moved: what is written for all is rank 0's alone, what is read so comes to each.
  int counted(int ranks) const { return write && layout == FileLayout::broadcast ? 1 : workers(ranks); }
  bool append() const { return layout == FileLayout::append; }
  bool shared() const { return layout != FileLayout::own && layout != FileLayout::broadcast; }
};

inline FileCase file_case(const timing::CaseSettings& settings) {
  const std::string &layout = settings.at("layout").text, &calls = settings.at("interface").text;
  return {static_cast<std::uint64_t>(settings.at("bytes").integer),
          static_cast<std::uint64_t>(settings.at("section").integer),
          static_cast<int>(settings.at("io_nodes").integer),
          layout == "own"        ? FileLayout::own
          : layout == "sections" ? FileLayout::sections
          : layout == "records"  ? FileLayout::records
          : layout == "append"   ? FileLayout::append
                                 : FileLayout::broadcast,
          calls == "posix"         ? Calls::posix
          : calls == "direct"      ? Calls::direct
          : calls == "independent" ? Calls::independent
                                   : Calls::collective,
          settings.at("direction").text == "write",
          settings.at("direction").text == "mixed",
          settings.at("preallocate").text == "yes",
          static_cast<int>(settings.at("active").integer)};
}

template <Files C>
timing::Json file_label(const C& comm, const FileCase& at) {
  static constexpr const char* layouts[] = {"own", "sections", "records", "append", "broadcast"};
  return timing::Json()
      .text("direction", at.write   ? "write"
                         : at.mixed ? "mixed"
                                    : "read")
      .integer("bytes", static_cast<std::int64_t>(at.bytes))
      .integer("section", static_cast<std::int64_t>(at.section))
      .text("layout", layouts[static_cast<int>(at.layout)])
      .text("interface", calls_names[static_cast<int>(at.calls)])
      .integer("io_nodes", at.io_nodes == 0 ? comm.spread() : at.io_nodes)
      .text("preallocate", at.reserve ? "yes" : "no")
      .integer("active", at.counted(comm.size()))
      .integer("ranks", comm.size());
}

// What a pass opens, and how long that file is.
inline std::string file_name(const FileCase& at, const std::string& pass, int rank) {
  return at.layout == FileLayout::own ? pass + " of rank " + std::to_string(rank) : pass;
}
inline std::uint64_t file_length(const FileCase& at, int ranks) {
  return at.section * (at.shared() ? static_cast<std::uint64_t>(ranks) : 1);
}
// Where in the file the call of a rank lies that follows `done` bytes of its own; of appended ones it only tells them
// apart.
inline std::uint64_t file_place(const FileCase& at, int rank, int ranks, std::uint64_t done) {
  const auto own = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  if (at.layout == FileLayout::sections || at.append()) return own * at.section + done;
  if (at.layout == FileLayout::records) return done * all + own * std::min(at.bytes, at.section - done);
  return done;
}

// What is not looked at while a pass goes on, and moves no data.
struct Unwatched {
  const std::byte* leaving(std::uint64_t) { return nullptr; }
  std::byte* arriving() { return nullptr; }
  void opened() {}
  void begins(std::uint64_t) {}
  void ended(std::uint64_t) {}
  void moved() {}
  void synced() {}
  void closed() {}
};

template <Files C, class Watch>
Task file_pass(C& comm, const FileCase& at, typename C::File& file, const std::string& name, Watch& watch) {
  if (comm.rank() >= at.workers(comm.size())) co_return;
  // What is read on a real machine is there: nothing is left to be allocated.
  const bool ahead = at.reserve && (at.write || !HostFiles<C>);
  co_await comm.open(file, name, at.io_nodes, ahead ? file_length(at, comm.size()) : 0);
  watch.opened();
  const bool alone = at.layout == FileLayout::broadcast, works = !alone || comm.rank() == 0;
  for (std::uint64_t done = 0; done < at.section; done += at.bytes) {
    const std::uint64_t bytes = std::min(at.bytes, at.section - done),
                        offset = file_place(at, comm.rank(), comm.size(), done);
    if (at.write && !works) continue;
    if (at.writes(comm.rank(), done)) {
      const std::byte* from = watch.leaving(offset);
      watch.begins(offset);
      co_await comm.write(file, from, bytes, offset);
    } else {
      watch.begins(offset);
      if (works) co_await comm.read(file, watch.arriving(), bytes, offset);
      if (alone) co_await broadcast(comm, watch.arriving(), bytes);
    }
    watch.ended(offset);
  }
  watch.moved();
  if constexpr (HostFiles<C>) {
    if (at.changes()) co_await comm.sync(file);
  }
  watch.synced();
  co_await comm.close(file);
  watch.closed();
}

}  // namespace assay::ranks
