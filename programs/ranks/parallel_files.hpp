// Parallel files: all ranks read or write at once, each its own file or its part of a shared one, on I/O nodes that the
// machine has.
//
// From a common start to the last exit, opening and closing included, as in the papers. What is read lies there
// beforehand, allocated in one piece, and no cache holds any of it. Layouts of the one file that all share: `sections`,
// rank after rank; `records`, call after call in turn (the Paragon's M_RECORD); `broadcast`, rank 0 alone reads and
// sends every block on to all others in log2 ranks steps (M_GLOBAL). Sources: Dunigan 1991, section 5 and Figure 11;
// Dunigan 1991 (DELTA), section 4 and Figure 4.1; Dunigan 1995, section 4 and Figures 4.2 and 4.3.
#pragma once

#include <vector>

#include "ranks/buffers.hpp"
#include "ranks/files.hpp"
#include "ranks/sampling.hpp"
#include "ranks/windows.hpp"

namespace assay::ranks {

struct ParallelFiles {
  static constexpr std::string_view record = R"record(
name = "parallel-files"
title = "Parallel files"
part = "files"
kind = "ranks"
needs = ["storage"]
answers_for = ["file-rate"]
profiles = ["full"]
ranks = "all"
least_ranks = 1
summary = "all ranks read or write files at once through the machine's I/O nodes, opening and closing included"
cost = "ranks * section bytes, in calls of `bytes` bytes"
check = "every rank writes a pattern of rank and position by calls that cross the stripes' edges, its neighbour reads it back and compares every byte"
source = "Dunigan 1991, section 5; Dunigan 1991 (DELTA), section 4; Dunigan 1995, section 4"
published = ["cfs-read", "pfs"]

[parameter.direction]
type = "choice"
default = "read"
choices = ["read", "write"]
help = "what the ranks do"

[parameter.bytes]
type = "integer"
default = 65536
min = 1
max = 1073741824
unit = "B"
sweep = true
help = "length of each call"

[parameter.section]
type = "integer"
default = 4194304
min = 1
max = 1099511627776
unit = "B"
help = "what each rank reads or writes in all"

[parameter.layout]
type = "choice"
default = "own"
choices = ["own", "sections", "records", "broadcast"]
help = "a file each; one file in sections, or call after call in turn; one file that rank 0 reads and broadcasts"

[parameter.io_nodes]
type = "integer"
default = 0
min = 0
max = 65536
help = "I/O nodes that a file is spread over; 0: all"

[parameter.preallocate]
type = "choice"
default = "yes"
choices = ["yes", "no"]
help = "whether what is written was allocated when the file was opened (lsize); what is read always was"

[metric.time]
unit = "s"
help = "from the common start to the last exit, opening and closing included"

[figure.rate_aggregate]
metric = "time"
formula = "ranks * section / value"
unit = "B/s"
better = "higher"
headline = true
help = "what all ranks together read or write per second"

[figure.rate]
metric = "time"
formula = "section / value"
unit = "B/s"
better = "higher"
help = "what each rank reads or writes per second"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    if constexpr (Files<C>) {
      for (const auto& each : session.cases())
        if (const std::int64_t wanted = each.at("io_nodes").integer; wanted > comm.io_nodes())
          throw timing::InputFault("io_nodes: " + std::to_string(wanted) + "; accepted: 0 to " +
                                   std::to_string(comm.io_nodes()));
      ParallelFiles kernel;
      co_await sample(comm, session, kernel);
    } else {
      if (comm.rank() == 0) session.note("parallel-files: left out: here files are measured by other benchmarks");
    }
  }

  // --- the kernel of sampling.hpp -----------------------------------------------------------------------------------
  enum class Layout { own, sections, records, broadcast };
  struct Case {
    std::uint64_t bytes, section;
    int io_nodes;
    Layout layout;
    bool write, reserve;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "emptied"; }
  Case at(const timing::CaseSettings& settings) const {
    const std::string& layout = settings.at("layout").text;
    return {static_cast<std::uint64_t>(settings.at("bytes").integer),
            static_cast<std::uint64_t>(settings.at("section").integer),
            static_cast<int>(settings.at("io_nodes").integer),
            layout == "own"        ? Layout::own
            : layout == "sections" ? Layout::sections
            : layout == "records"  ? Layout::records
                                   : Layout::broadcast,
            settings.at("direction").text == "write",
            settings.at("preallocate").text == "yes"};
  }
  template <Files C>
  timing::Json label(C& comm, const Case& at) const {
    static constexpr const char* layouts[] = {"own", "sections", "records", "broadcast"};
    return timing::Json()
        .text("direction", at.write ? "write" : "read")
        .integer("bytes", static_cast<std::int64_t>(at.bytes))
        .integer("section", static_cast<std::int64_t>(at.section))
        .text("layout", layouts[static_cast<int>(at.layout)])
        .integer("io_nodes", at.io_nodes == 0 ? comm.io_nodes() : at.io_nodes)
        .text("preallocate", at.reserve ? "yes" : "no")
        .integer("ranks", comm.size());
  }

  template <Files C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::string name = name_of(comm, at, "timed");
      typename C::File file;
      if (!at.write) {
        co_await comm.open(file, name, at.io_nodes, length(comm, at));
        co_await comm.close(file);
        co_await together(comm, comm.size());
      }
      if (comm.rank() == 0) co_await comm.forget();
      co_await together(comm, comm.size());
      Passage passage{comm.now(), 0}, room;
      co_await comm.open(file, name, at.io_nodes, at.reserve ? length(comm, at) : 0);
      const bool alone = at.layout == Layout::broadcast;
      for (std::uint64_t done = 0; done < at.section; done += at.bytes) {
        const std::uint64_t bytes = std::min(at.bytes, at.section - done), offset = place(comm, at, done);
        if (at.write) {
          if (!alone || comm.rank() == 0) co_await comm.write(file, nullptr, bytes, offset);
        } else {
          if (!alone || comm.rank() == 0) co_await comm.read(file, nullptr, bytes, offset);
          if (alone) co_await broadcast(comm, nullptr, bytes);
        }
      }
      co_await comm.close(file);
      passage.out = comm.now();
      co_await reduce(comm, comm.size(), &passage, &room, 1, join_passages);
      if (ticks) ticks[reading] = passage.out - passage.in;
      ++taken_;
    }
  }

  // Every rank writes a pattern; after that its neighbour reads it. Lengths and places fit no stripe.
  template <Files C>
  Task verify(C& comm, const Case& at, Verdict& verdict) {
    static constexpr std::uint64_t lengths[] = {1, 4097, 300, 70001, 12};
    const std::uint64_t mine = static_cast<std::uint64_t>(comm.rank()),
                        other = static_cast<std::uint64_t>((comm.rank() + 1) % comm.size());
    std::uint64_t all = 0;
    for (const std::uint64_t each : lengths) all += each;
    std::vector<std::byte> data(all);
    typename C::File file;
    co_await comm.open(file, "checked " + std::to_string(checked_), at.io_nodes, 0);
    write_pattern(data.data(), all, mine, false);
    std::uint64_t done = 0;
    for (const std::uint64_t each : lengths) {
      co_await comm.write(file, data.data() + done, each, mine * all + done);
      done += each;
    }
    co_await barrier(comm);
    poison(data.data(), all);
    done = all;
    for (const std::uint64_t each : lengths) {  // the other way round, so that calls end elsewhere
      done -= each;
      co_await comm.read(file, data.data() + done, each, other * all + done);
    }
    co_await comm.close(file);
    std::int64_t wrong = wrong_bytes(data.data(), all, other, false), room = 0;
    co_await reduce(comm, comm.size(), &wrong, &room, 1, [](auto& here, auto there) { here += there; });
    verdict.passed = wrong == 0;
    verdict.detail = std::to_string(all) + " bytes of each rank, read by its neighbour";
    if (wrong > 0) verdict.detail += ": " + std::to_string(wrong) + " wrong";
    ++checked_;
  }

 private:
  template <Files C>
  std::string name_of(const C& comm, const Case& at, const std::string& purpose) const {
    const std::string name = purpose + " " + std::to_string(taken_);
    return at.layout == Layout::own ? name + " of rank " + std::to_string(comm.rank()) : name;
  }
  template <Files C>
  static std::uint64_t length(const C& comm, const Case& at) {
    const bool one = at.layout == Layout::own || at.layout == Layout::broadcast;
    return at.section * (one ? 1 : static_cast<std::uint64_t>(comm.size()));
  }
  // Where in the file the call lies that follows `done` bytes of this rank's.
  template <Files C>
  static std::uint64_t place(const C& comm, const Case& at, std::uint64_t done) {
    const auto rank = static_cast<std::uint64_t>(comm.rank()), ranks = static_cast<std::uint64_t>(comm.size());
    if (at.layout == Layout::sections) return rank * at.section + done;
    if (at.layout == Layout::records) return done * ranks + rank * std::min(at.bytes, at.section - done);
    return done;
  }

  std::int64_t taken_ = 0, checked_ = 0;  // files of one rank's run have names of their own
};

using Program = ParallelFiles;

}  // namespace assay::ranks
