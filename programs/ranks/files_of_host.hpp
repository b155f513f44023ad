// parallel-files on a real machine: each pass with where its bytes came from or went, the first and the last rank to
// finish, what opening, fsync and closing took, every call's latency, and all data compared by another rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "files/appended.hpp"
#include "ranks/file_passes.hpp"
#include "ranks/sampling.hpp"
#include "timing/over_time.hpp"

namespace assay::ranks {

// A rank's pass, in ticks (ns) since its own start behind the barrier; its blocks are files::Pattern's.
class WatchedPass {
 public:
  struct Call {
    std::int64_t began = 0, took = -1;   // -1: not made by this rank
    bool write = false, copied = false;  // copied: all of it was in the page cache when the call began
  };
  struct Times {
    std::int64_t opened = 0, moved = 0, synced = 0, closed = 0, wrong = 0;
  };

  // `writes`: whose blocks are that it writes, `reads`: those that it reads.
  WatchedPass(const FileCase& at, const files::Origin& reads, const files::Origin& writes)
      : bytes_(static_cast<std::int64_t>(at.bytes)),
        pattern_(bytes_),
        of_(reads),
        written_(writes),
        data_(on_page(at.bytes)),
        calls_(at.section / at.bytes) {}

  // `held`: bytes in the page cache from an offset on, looked up before each call that reads; the clock stands
  // meanwhile.
  void ask(std::function<std::int64_t(std::uint64_t)> held) { held_ = std::move(held); }
  void start() { start_ = timing::now_ns(); }
  const std::byte* leaving(std::uint64_t offset) {
    calls_[made_].write = true;
    pattern_.stamp(block(), static_cast<std::int64_t>(offset), written_);
    return data_.get();
  }
  std::byte* arriving() { return data_.get(); }
  void opened() { times_.opened = since(); }
  void begins(std::uint64_t offset) {
    if (held_ && !calls_[made_].write) {
      const std::int64_t before = timing::now_ns();
      calls_[made_].copied = held_(offset) >= bytes_;
      start_ += timing::now_ns() - before;
    }
    calls_[made_].began = since();
  }
  void ended(std::uint64_t offset) {
    calls_[made_].took = since() - calls_[made_].began;
    if (!calls_[made_].write) times_.wrong += !pattern_.begins_right(block(), static_cast<std::int64_t>(offset), of_);
    ++made_;
  }
  void moved() { times_.moved = since(); }
  void synced() { times_.synced = since(); }
  void closed() { times_.closed = since(); }

  Times& times() { return times_; }
  const std::vector<Call>& calls() const { return calls_; }
  // Whether the block that arrived is byte by byte that of `of`.
  bool right(std::uint64_t offset, const files::Origin& of) const {
    return pattern_.right(reinterpret_cast<const char*>(data_.get()), static_cast<std::int64_t>(offset), of);
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  using Aligned = std::unique_ptr<std::byte[], Free>;
  static Aligned on_page(std::uint64_t bytes) {  // as O_DIRECT wants it
    constexpr std::uint64_t page = 4096;
    const std::uint64_t whole = (bytes + page - 1) / page * page;
    Aligned data(static_cast<std::byte*>(std::aligned_alloc(page, whole)));
    if (!data) throw std::bad_alloc();
    std::memset(data.get(), 0, whole);
    return data;
  }
  char* block() { return reinterpret_cast<char*>(data_.get()); }
  std::int64_t since() const { return timing::now_ns() - start_; }

  std::int64_t bytes_;
  files::Pattern pattern_;
  files::Origin of_, written_;
  Aligned data_;
  std::vector<Call> calls_;
  Times times_;
  std::size_t made_ = 0;
  std::int64_t start_ = 0;
  std::function<std::int64_t(std::uint64_t)> held_;
};

class FilesOfHost {
 public:
  explicit FilesOfHost(Session& session) : session_(session) {}

  static constexpr std::array<std::string_view, 8> metrics = {"time", "first", "last",  "latency",
                                                              "open", "sync",  "close", "share"};
  std::string_view cache(const FileCase&) const { return "emptied"; }
  std::string_view ended() const { return "pass"; }
  FileCase at(const timing::CaseSettings& settings) const { return file_case(settings); }
  template <HostFiles C>
  timing::Json label(const C& comm, const FileCase& at) const {
    return file_label(comm, at);
  }

  template <HostFiles C>
  Task take(C& comm, const FileCase& at, std::vector<BlockLine>& lines) {
    ++version_;
    const std::string pass = "pass " + std::to_string(version_);
    const std::string name = file_name(at, pass, comm.rank());
    const auto of_section = static_cast<std::int64_t>(at.section);
    if (!at.write) co_await lay_out(comm, at, name);
    typename C::File look;
    look.shared = at.shared();
    std::int64_t held = 0;
    const bool active = comm.rank() < at.workers(comm.size());
    if (!at.write && active) {
      co_await comm.open(look, name, 0, 0);
      co_await comm.drop(look);
    }
    co_await barrier(comm);
    // What O_DIRECT reads comes from no page cache, whatever that holds: the counters say whether it came.
    const bool reads =
        !at.write && active && at.calls != Calls::direct && (at.layout != FileLayout::broadcast || comm.rank() == 0);
    if (!at.write && active) {
      for (std::uint64_t done = 0; reads && done < at.section; done += at.bytes)
        if (!at.writes(comm.rank(), done))
          held += comm.held(look, static_cast<std::int64_t>(file_place(at, comm.rank(), comm.size(), done)),
                            static_cast<std::int64_t>(at.bytes));
      co_await comm.close(look);
    }
    const bool works = active && (at.layout != FileLayout::broadcast || comm.rank() == 0);
    typename C::File file;
    file.calls = at.calls;
    file.shared = at.shared();
    file.append = at.append();
    WatchedPass watch(at, origin(at, comm.rank()), origin(at, comm.rank(), at.mixed));
    if (reads)
      watch.ask([&](std::uint64_t offset) {
        return comm.held(look, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(at.bytes));
      });
    std::int64_t written = 0;
    for (std::uint64_t done = 0; works && done < at.section; done += at.bytes)
      if (at.writes(comm.rank(), done)) written += static_cast<std::int64_t>(at.bytes);
    co_await barrier(comm);
    comm.begin();
    co_await barrier(comm);
    watch.start();
    co_await file_pass(comm, at, file, name, watch);
    Sources from;
    if (at.changes()) from.written = co_await comm.origin(true, written, 0);
    if (!at.write) from.read = co_await comm.origin(false, works ? of_section - written : 0, held);
    for (const BytesOrigin* each : {&from.written, &from.read})
      if (comm.rank() == 0 && !each->why.empty())
        session_.note(std::string("source=") + each->source + ": " + each->why);
    if (at.append())
      co_await compare_appended(comm, at, name);
    else
      co_await compare(comm, at, pass, watch);
    co_await report(comm, at, watch, from, lines);
    co_await barrier(comm);
    if (active && (!at.shared() || comm.rank() == 0)) comm.erase(name);
  }

  // Says what the comparisons of the passes found; later passes that find anything say so themselves.
  template <HostFiles C>
  Task verify(C& comm, const FileCase& at, Verdict& verdict) {
    verdict = verdict_of(comm, at);
    verified_ = true;
    co_await barrier(comm);
  }

 private:
  struct Sources {
    BytesOrigin written, read;
  };

  // Whose a block is; `mixed`: written by a mixed pass over what was there.
  files::Origin origin(const FileCase& at, int rank, bool mixed = false) const {
    const auto writer = static_cast<std::uint64_t>(at.layout == FileLayout::broadcast ? 0 : rank) + 1;
    return {at.layout == FileLayout::own ? writer : 1, writer, version_ + (mixed ? files::mixed_version : 0),
            files::of_launch(session_.options().subfolder)};
  }
  template <HostFiles C>
  Verdict verdict_of(const C& comm, const FileCase& at) const {
    return {wrong_ == 0, std::to_string(at.section / at.bytes * static_cast<std::uint64_t>(at.workers(comm.size()))) +
                             " blocks, each compared by another rank: " + std::to_string(wrong_) + " wrong"};
  }

  // What is read: written by the ranks that read it, by the system's own calls, and brought to the storage.
  template <HostFiles C>
  Task lay_out(C& comm, const FileCase& at, const std::string& name) {
    FileCase writing = at;
    writing.write = true;
    writing.mixed = writing.reserve = false;
    writing.calls = Calls::posix;
    typename C::File file;
    WatchedPass watch(at, origin(at, comm.rank()), origin(at, comm.rank()));
    co_await file_pass(comm, writing, file, name, watch);
    co_await barrier(comm);
  }

  // Every rank reads what its neighbour wrote, or read.
  template <HostFiles C>
  Task compare(C& comm, const FileCase& at, const std::string& pass, WatchedPass& watch) {
    co_await barrier(comm);
    const int workers = at.workers(comm.size()), other = (comm.rank() + 1) % workers;
    typename C::File file;
    if (comm.rank() < workers) co_await comm.open(file, file_name(at, pass, other), 0, 0);
    for (std::uint64_t done = 0; comm.rank() < workers && done < at.section; done += at.bytes) {
      const std::uint64_t offset = file_place(at, other, comm.size(), done);
      co_await comm.read(file, watch.arriving(), at.bytes, offset);
      watch.times().wrong += !watch.right(offset, origin(at, other, at.mixed && at.writes(other, done)));
    }
    if (comm.rank() < workers) co_await comm.close(file);
    std::int64_t wrong = watch.times().wrong, room = 0;
    co_await reduce(comm, comm.size(), &wrong, &room, 1, [](auto& here, auto there) { here += there; });
    found_wrong(comm, at, wrong);
  }
  template <HostFiles C>
  void found_wrong(const C& comm, const FileCase& at, std::int64_t wrong) {
    if (comm.rank() != 0) return;
    wrong_ = wrong;
    if (wrong > 0 && verified_) session_.check(label(comm, at), verdict_of(comm, at));
  }

  // The file's blocks in turn by all ranks: each must be one of those that were appended, whole, and none there twice.
  template <HostFiles C>
  Task compare_appended(C& comm, const FileCase& at, const std::string& name) {
    const auto bytes = static_cast<std::int64_t>(at.bytes);
    files::Appended written(bytes);
    for (int writer = 0; writer < comm.size(); ++writer)
      for (std::uint64_t done = 0; done < at.section; done += at.bytes)
        written.add(static_cast<std::int64_t>(file_place(at, writer, comm.size(), done)), origin(at, writer));
    std::vector<std::int64_t> times(written.size()), room(written.size());  // that each was found
    std::vector<std::byte> block(at.bytes);
    co_await barrier(comm);
    typename C::File file;
    file.shared = true;
    co_await comm.open(file, name, 0, 0);
    const auto ranks = static_cast<std::size_t>(comm.size());
    for (auto each = static_cast<std::size_t>(comm.rank()); each < written.size(); each += ranks) {
      try {
        co_await comm.read(file, block.data(), at.bytes, each * at.bytes);
      } catch (const timing::MeasurementFault&) {
        break;  // the file ends before all is there
      }
      const std::int64_t which = written.which(reinterpret_cast<const char*>(block.data()));
      if (which >= 0) ++times[static_cast<std::size_t>(which)];
    }
    co_await comm.close(file);
    co_await reduce(comm, comm.size(), times.data(), room.data(), times.size(),
                    [](auto& here, auto there) { here += there; });
    found_wrong(comm, at, std::ranges::count_if(times, [](std::int64_t each) { return each != 1; }));
  }

  template <HostFiles C>
  Task report(C& comm, const FileCase& at, WatchedPass& watch, const Sources& from, std::vector<BlockLine>& lines) {
    const std::size_t ranks = comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0, each = watch.calls().size();
    std::vector<WatchedPass::Times> times(ranks);
    std::vector<WatchedPass::Call> calls(ranks * each);
    co_await gather(comm, &watch.times(), sizeof(WatchedPass::Times), times.data());
    co_await gather(comm, watch.calls().data(), each * sizeof(WatchedPass::Call), calls.data());
    if (comm.rank() != 0) co_return;
    WatchedPass::Times most, longest;  // moments, and what each of the last two took
    std::int64_t first = INT64_MAX, around = 0, all = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const WatchedPass::Times& one = times[rank];
      if (calls[rank * each].took >= 0) first = std::min(first, one.moved);  // of those that move anything
      most = {std::max(most.opened, one.opened), std::max(most.moved, one.moved), 0, std::max(most.closed, one.closed),
              0};
      around += one.opened + one.closed - one.moved;
      all += one.closed;
      longest.synced = std::max(longest.synced, one.synced - one.moved);
      longest.closed = std::max(longest.closed, one.closed - one.synced);
    }
    struct Kind {                             // all calls of reading, or of writing
      std::vector<double> latencies, copies;  // copies: of what was in the page cache when the call began
      double took = 0;                        // s
      std::size_t calls() const { return latencies.size() + copies.size(); }
    };
    Kind read, written;
    std::int64_t by_first = 0, made = 0;
    timing::OverTime over_time(most.moved);
    for (std::size_t at_call = 0; at_call < calls.size(); ++at_call) {
      const WatchedPass::Call& call = calls[at_call];
      if (call.took < 0) continue;
      ++made;
      by_first += call.began + call.took <= first;
      Kind& kind = call.write ? written : read;
      // What rank 0 broadcasts was there for all, or for none.
      const std::size_t reader = at.layout == FileLayout::broadcast ? at_call % each : at_call;
      const double took = 1e-9 * static_cast<double>(call.took);
      (calls[reader].copied ? kind.copies : kind.latencies).push_back(took);
      kind.took += took;
      over_time.add(static_cast<std::int64_t>(at_call / each), call.began + call.took, call.took);
    }
    // Calls of writing end in the page cache, but for O_DIRECT's; the rate of the storage counts fsync.
    const bool cached = at.changes() && at.calls != Calls::direct;
    const std::string stored = from.written.source, fetched = from.read.source, by_write = cached ? "cache" : stored;
    const auto about = [&](const std::string& source, const char* operation) {
      timing::Json label = this->label(comm, at);
      if (!source.empty()) label.text("source", source);
      if (*operation != '\0') label.text("operation", operation);
      return label;
    };
    const auto put = [&](std::string_view metric, const std::string& source, std::vector<double> values,
                         const char* operation = "") {
      lines.push_back({metric, about(source, operation), 1, std::move(values)});
    };
    const auto s = [](std::int64_t ns) { return 1e-9 * static_cast<double>(ns); };
    // A call's own time has a source of its own: what the kernel had read ahead was a copy, whatever the pass is of.
    const auto latency = [&](const Kind& kind, const std::string& source, const char* operation) {
      std::map<std::string, std::vector<double>> by_source;
      by_source[source] = kind.latencies;
      std::vector<double>& copies = by_source[source == "unknown" ? source : "cache"];
      copies.insert(copies.end(), kind.copies.begin(), kind.copies.end());
      for (const auto& [of, values] : by_source) {
        if (values.empty()) continue;
        const std::size_t step = 1 + (values.size() - 1) / 1000;
        std::vector<double> kept;
        for (std::size_t one = 0; one < values.size(); one += step) kept.push_back(values[one]);
        put("latency", of, std::move(kept), operation);
      }
    };
    std::string by_call = at.write ? by_write : fetched, all_calls = by_call;
    if (at.mixed) {
      // Each operation with its part of the pass, as if all blocks were such ones.
      const auto part = [&](const Kind& kind, double more) {
        const double alone = s(most.moved) * kind.took / (read.took + written.took) + more;
        return std::vector<double>{alone * static_cast<double>(made) / static_cast<double>(kind.calls())};
      };
      if (read.calls() > 0) {
        put("time", fetched, part(read, 0), "read");
        latency(read, fetched, "read");
      }
      if (written.calls() > 0) {
        put("time", stored, part(written, s(longest.synced)), "write");
        if (cached && stored != "cache") put("time", "cache", part(written, 0), "write");
        latency(written, by_write, "write");
      }
      by_call = fetched == by_write ? fetched : "unknown";
      all_calls = fetched == by_write ? fetched : "writes " + by_write + ", reads " + fetched;
    } else {
      put("time", at.write ? stored : fetched, {s(most.closed)});
      if (cached && stored != "cache") put("time", "cache", {s(most.moved)});
      latency(at.write ? written : read, by_call, "");
    }
    const double bytes = static_cast<double>(at.bytes);
    put("first", by_call, {s(first) / (bytes * static_cast<double>(by_first))});
    put("last", by_call, {s(most.moved) / (bytes * static_cast<double>(made))});
    put("open", "", {s(most.opened)});
    if (at.changes()) put("sync", "", {s(longest.synced)});
    put("close", "", {s(longest.closed)});
    put("share", "", {s(around) / s(all)});
    over_time.lines(about(all_calls, ""), static_cast<std::int64_t>(version_), static_cast<std::int64_t>(at.bytes),
                    [&](const timing::Json& line) { session_.write(line); });
  }

  Session& session_;
  std::uint64_t version_ = 0;
  std::int64_t wrong_ = 0;
  bool verified_ = false;
};

}  // namespace assay::ranks
