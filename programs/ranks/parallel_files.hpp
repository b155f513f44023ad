// Parallel files: all ranks read or write at once, each its own file or its part of a shared one: on I/O nodes that a
// described machine has, or in a folder of a real one, by POSIX's calls or MPI-IO's.
//
// From a common start to the last exit, opening and closing included, as in the papers. What is read lies there
// beforehand, and no cache holds any of it, as far as that can be had. Sources: Dunigan 1991, section 5 and Figure 11;
// Dunigan 1991 (DELTA), section 4 and Figure 4.1; Dunigan 1995, section 4 and Figures 4.2 and 4.3.
#pragma once

#include <numeric>
#include <vector>

#include "ranks/buffers.hpp"
#include "ranks/files_of_host.hpp"
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
machine = "mpi/files.hpp"
or_nothing = true
writes = [2, "section", "ranks"]
blocks_quick = 1
blocks_standard = 3
blocks_full = 3
answers_for = ["file-rate"]
profiles = ["full"]
ranks = "all"
least_ranks = 1
summary = "all ranks read or write files at once, by POSIX or MPI-IO or through a described machine's I/O nodes, opening and closing included"
cost = "ranks * section bytes, in calls of `bytes` bytes"
check = "every byte is compared by another rank with a pattern of its file, offset, writer and pass: of each pass on a real machine; on a described one of a file written by calls that cross the stripes' edges"
source = "Dunigan 1991, section 5; Dunigan 1991 (DELTA), section 4; Dunigan 1995, section 4"
published = ["cfs-read", "pfs"]

[parameter.folder]
type = "path"
default = "scratch"
help = "where the files go on a real machine, into a folder of the launch's own that is removed at the end"

[parameter.direction]
type = "choice"
default = "read"
standard = ["read", "write"]
full = ["read", "write"]
described = "read"
choices = ["read", "write", "mixed"]
sweep = true
help = "what the ranks do; mixed: each reads about half of its blocks and writes the others, as they come (layout=own, sections or records)"

[parameter.bytes]
type = "integer"
default = 65536
full = [4096, 65536, 1048576]
described = 65536
min = 1
max = 1073741824
unit = "B"
sweep = true
help = "length of each call; on a real machine a multiple of 512"

[parameter.section]
type = "integer"
default = 4194304
min = 1
max = 1099511627776
unit = "B"
help = "what each rank reads or writes in all; on a real machine a multiple of `bytes`"

[parameter.layout]
type = "choice"
default = "own"
full = ["own", "sections", "records", "append"]
described = "own"
choices = ["own", "sections", "records", "append", "broadcast"]
sweep = true
help = "a file each; one file in sections, or call after call in turn, or to which each call appends (written only; of MPI-IO by the pointer that all share); one file that rank 0 reads and broadcasts, or writes alone"

[parameter.interface]
type = "choice"
default = "posix"
full = ["posix", "independent", "collective"]
described = "posix"
choices = ["posix", "direct", "independent", "collective"]
sweep = true
help = "the system's own calls (POSIX, or those of a described machine); these past the page cache (O_DIRECT); MPI-IO's, each rank for itself; MPI-IO's, all ranks of a shared file together"

[parameter.active]
type = "integer"
default = 0
full = [1, 2, 0]
described = 0
min = 0
max = 1048576
sweep = true
help = "ranks that read or write, the first ones, while the others wait (layout=own by posix or direct), fewer than there are; 0: all"

[parameter.io_nodes]
type = "integer"
default = 0
min = 0
max = 65536
help = "I/O nodes that a file is spread over; 0: all"

[parameter.preallocate]
type = "choice"
default = "no"
described = "yes"
choices = ["yes", "no"]
help = "whether what is written is allocated when the file is opened (lsize; fallocate), which counts in open; what is read always was"

[metric.time]
unit = "s"
help = "from the common start to the last exit, opening and closing included; source: where the bytes came from, or went; of writes source=cache: until the last call; of direction=mixed on a real machine operation: read or write, each with the part of the calls' time that its own took (and fsync), as if all blocks were such"

[metric.first]
unit = "s/B"
help = "time per byte of all ranks, until the first of them has made its last call"

[metric.last]
unit = "s/B"
help = "time per byte of all ranks, until the last of them has made its last call"

[metric.latency]
unit = "s"
help = "of one call; of direction=mixed operation: read or write"

[metric.open]
unit = "s"
help = "opening, the longest of the ranks"

[metric.sync]
unit = "s"
help = "fsync after the last write, the longest of the ranks"

[metric.close]
unit = "s"
help = "closing, the longest of the ranks"

[metric.share]
unit = "1"
help = "part of the ranks' time that opening, fsync and closing took"

[figure.rate_aggregate]
metric = "time"
formula = "active * section / value"
unit = "B/s"
better = "higher"
headline = true
help = "what all ranks that work read or write together per second; source=cache: of memory, no rate of the storage; of writes source=device counts fsync"

[figure.rate]
metric = "time"
formula = "section / value"
unit = "B/s"
better = "higher"
help = "what each rank reads or writes per second"

[figure.rate_first]
metric = "first"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "of all ranks until the first has finished (stonewalled): all of them work"

[figure.rate_last]
metric = "last"
unit = "B/s"
formula = "1 / value"
better = "higher"
help = "of all ranks until the last has finished, without fsync and close"

[figure.latency]
metric = "latency"
unit = "s"
help = "of one call; source=cache: a copy in memory, no latency of the storage"

[figure.open]
metric = "open"
unit = "s"
help = "opening the file"

[figure.sync]
metric = "sync"
unit = "s"
help = "fsync after the last write"

[figure.close]
metric = "close"
unit = "s"
help = "closing the file"

[figure.share]
metric = "share"
unit = "1"
help = "part of the ranks' time that opening, fsync and closing took"
)record";

  template <Communicator C>
  static Task run(C& comm, Session& session) {
    if constexpr (HostFiles<C>) {
      co_await on_host(comm, session);
    } else if constexpr (Files<C>) {
      for (const auto& each : session.cases())
        if (const std::int64_t wanted = each.at("io_nodes").integer; wanted > comm.io_nodes())
          refuse("io_nodes", "more than there are", std::to_string(wanted), "0 to " + std::to_string(comm.io_nodes()));
      if (comm.rank() == 0)
        session.keep([](const auto& each) { return each.at("interface").text == "posix"; },
                     {"a described machine has its own calls alone", "interface", "posix"}, true);
      if (comm.rank() == 0 && !comm.writes_described())
        session.keep(
            [](const auto& each) { return !file_case(each).write && !file_case(each).mixed; },
            {"[storage.solid_state] says what reading a page takes, and not what programming one does (program)",
             "direction", "read"},
            true);
      if (comm.rank() == 0) left_out_all(comm, session);
      if (comm.rank() == 0) left_out_mixed(comm, session);
      if (comm.rank() == 0)
        session.keep([](const auto& each) { return each.at("layout").text != "append"; },
                     {"files of a described machine have no common end that calls append to", "layout",
                      "own, sections, records, broadcast"},
                     true);
      ParallelFiles kernel;
      co_await sample(comm, session, kernel);
    } else {
      if (comm.rank() == 0) session.skip("here files are measured by other benchmarks");
    }
  }

  static constexpr double settled = 0.01;  // s, after which the disks are at rest

  // --- the kernel of sampling.hpp, of described machines ------------------------------------------------------------
  static constexpr std::string_view metric = "time";
  std::string_view cache(const FileCase&) const { return "emptied"; }
  FileCase at(const timing::CaseSettings& settings) const { return file_case(settings); }
  template <Files C>
  timing::Json label(C& comm, const FileCase& at) const {
    return file_label(comm, at);
  }

  template <Files C>
  Task operate(C& comm, const FileCase& at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const std::string name = file_name(at, "timed " + std::to_string(taken_), comm.rank());
      typename C::File file;
      if (!at.write) {
        co_await comm.open(file, name, at.io_nodes, file_length(at, comm.size()));
        co_await comm.close(file);
        co_await together(comm, comm.size(), nullptr, settled);
      }
      if (comm.rank() == 0) co_await comm.forget();
      co_await together(comm, comm.size(), nullptr, settled);
      const std::int64_t start = comm.now();
      Unwatched none;
      co_await file_pass(comm, at, file, name, none);
      std::int64_t last = comm.now();
      co_await together(comm, comm.size(), &last, settled);
      if (ticks) ticks[reading] = last - start;
      ++taken_;
    }
  }

  // Every rank writes a pattern; after that its neighbour reads it. Lengths and places fit no stripe.
  template <Files C>
  Task verify(C& comm, const FileCase& at, Verdict& verdict) {
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
  // All ranks drop the cases; rank 0 says so.
  template <class C>
  static void left_out_all(const C& comm, Session& session) {
    session.keep([&](const auto& each) { return file_case(each).active < comm.size(); },
                 {"all of the ranks and more", "active", "0, all of them, to " + std::to_string(comm.size() - 1)},
                 comm.rank() == 0);
  }
  template <class C>
  static void left_out_mixed(const C& comm, Session& session) {
    session.keep(
        [](const auto& each) {
          const FileCase at = file_case(each);
          return !at.mixed || at.layout == FileLayout::own || at.layout == FileLayout::sections ||
                 at.layout == FileLayout::records;
        },
        {"direction=mixed is of blocks that are there", "layout", "own, sections, records"}, comm.rank() == 0);
  }
  template <HostFiles C>
  static Task on_host(C& comm, Session& session) {
    for (const auto& each : session.cases()) {
      const std::int64_t bytes = each.at("bytes").integer, section = each.at("section").integer;
      if (each.at("io_nodes").integer != 0) refuse("io_nodes", "of a described machine", each.at("io_nodes").text, "0");
      if (bytes % files::sector != 0) refuse("bytes", "no whole sectors", std::to_string(bytes), "a multiple of 512");
      if (file_case(each).mixed && bytes % 4096 != 0)
        refuse("bytes", "with direction=mixed, parts of pages are read before they are written", std::to_string(bytes),
               "a multiple of 4096");
      if (section % bytes != 0)
        refuse("section", "no whole blocks", std::to_string(section), "a multiple of bytes, " + std::to_string(bytes));
    }
    session.keep(
        [](const auto& each) {
          const FileCase at = file_case(each);
          return at.shared() || at.calls != Calls::collective;
        },
        {"interface=collective is of a file that all ranks share", "layout", "sections, records"}, comm.rank() == 0);
    session.keep(
        [](const auto& each) {
          const FileCase at = file_case(each);
          return at.write || !at.append();
        },
        {"layout=append is of what is written", "direction", "write"}, comm.rank() == 0);
    session.keep(
        [&](const auto& each) {
          const FileCase at = file_case(each);
          return at.active == 0 || (at.layout == FileLayout::own && by_system(at.calls));
        },
        {"some ranks alone are of layout=own by interface=posix or direct", "active", "0, all of them"},
        comm.rank() == 0);
    left_out_all(comm, session);
    left_out_mixed(comm, session);
    const std::string why = co_await comm.settle(session.cases().front().path("folder"), session.options().subfolder);
    if (!why.empty()) throw timing::InputFault(why);
    if (comm.rank() == 0)
      session.note("the files lie in " + session.cases().front().path("folder") + ": " + comm.system());
    if (!comm.no_space_ahead().empty())
      session.keep([](const auto& each) { return !file_case(each).write || !file_case(each).reserve; },
                   {"fallocate is refused by " + comm.no_space_ahead(), "preallocate", "no"}, comm.rank() == 0);
    if (!comm.no_direct().empty())
      session.keep([](const auto& each) { return file_case(each).calls != Calls::direct; },
                   {"O_DIRECT is refused by " + comm.no_direct(), "interface", "posix, collective"}, comm.rank() == 0);
    const auto fits = [&](const auto& each) { return 2 * each.at("section").integer * comm.size() <= comm.room(); };
    std::int64_t whole = 1;  // a section that has whole blocks in every case
    for (const auto& each : session.cases()) whole = std::lcm(whole, each.at("bytes").integer);
    const std::int64_t greatest = comm.room() / (2 * comm.size()) / whole * whole;
    const std::string ranks = std::to_string(comm.size()) + (comm.size() == 1 ? " rank" : " ranks");
    session.keep(fits,
                 {"twice the sections of " + ranks + " must fit, as the space of removed files is freed late, into " +
                      std::to_string(comm.room()) + " bytes, a quarter of what is free there",
                  "section",
                  greatest > 0 ? "up to " + std::to_string(greatest) + " for each rank"
                               : "none with these bytes: fewer bytes or ranks, or a folder with more space"},
                 comm.rank() == 0);
    FilesOfHost kernel(session);
    co_await sample(comm, session, kernel);
  }

  std::int64_t taken_ = 0, checked_ = 0;  // files of one rank's run have names of their own
};

using Program = ParallelFiles;

}  // namespace assay::ranks
