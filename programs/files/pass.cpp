#include "files/pass.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "files/appended.hpp"
#include "timing/clock.hpp"

namespace assay::files {
namespace {

using timing::MeasurementFault;
using timing::now_ns;

void pause_ms(long ms) {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

}  // namespace

void Files::anew() {
  for (std::int64_t file = 0; file < work_.files(); ++file) {
    folder_.remove(work_.name(file));
    close(folder_.open(work_.name(file), O_RDWR | O_CREAT | O_EXCL));
  }
  ++version_;
  versions_.assign(static_cast<std::size_t>(work_.processes),
                   std::vector<std::uint64_t>(static_cast<std::size_t>(work_.blocks), 0));
}

void Files::read_what(const Files& filled) {
  version_ = filled.version_;
  versions_.assign(static_cast<std::size_t>(work_.processes),
                   std::vector<std::uint64_t>(static_cast<std::size_t>(work_.blocks), version_));
}

void Files::remove() const {
  for (std::int64_t file = 0; file < work_.files(); ++file) folder_.remove(work_.name(file));
}

void Files::drop() const {
  for (std::int64_t file = 0; file < work_.files(); ++file) {
    const int at = folder_.open(work_.name(file), O_RDONLY);
    fsync(at);
    posix_fadvise(at, 0, 0, POSIX_FADV_DONTNEED);
    close(at);
  }
}

void Files::warm(double share) const {
  std::vector<char> buffer(1 << 20);
  for (std::int64_t file = 0; file < work_.files(); ++file) {
    const int at = folder_.open(work_.name(file), O_RDONLY);
    posix_fadvise(at, 0, 0, POSIX_FADV_RANDOM);  // no further than asked
    const auto end = static_cast<std::int64_t>(share * static_cast<double>(work_.file_bytes()));
    for (std::int64_t did = 0; did < end;) {
      const auto left = static_cast<std::size_t>(std::min<std::int64_t>(end - did, 1 << 20));
      const std::int64_t now = pread(at, buffer.data(), left, did);
      if (now <= 0) break;
      did += now;
    }
    close(at);
  }
}

double Files::mark_held(Board& board) const {
  std::int64_t held = 0, read = 0;
  for (std::int64_t file = 0; file < work_.files(); ++file) {
    const int at = folder_.open(work_.name(file), O_RDONLY);
    void* map = mmap(nullptr, static_cast<std::size_t>(work_.file_bytes()), PROT_READ, MAP_SHARED, at, 0);
    close(at);
    if (map == MAP_FAILED) continue;
    for (std::int64_t process = 0; process < work_.processes; ++process) {
      if (work_.file_of(process) != file) continue;
      for (std::int64_t turn = 0; turn < work_.blocks; ++turn) {
        const std::int64_t offset = work_.offset(process, turn, seed_);
        if (work_.writes(offset)) continue;
        read += work_.bytes;
        const std::int64_t there = resident(static_cast<char*>(map) + offset, work_.bytes);
        held += std::max<std::int64_t>(0, there);
        if (!work_.past_cache && there > 0)
          board.operation(process, turn).found = there >= work_.bytes ? Found::held : Found::part;
      }
    }
    munmap(map, static_cast<std::size_t>(work_.file_bytes()));
  }
  return static_cast<double>(held) / static_cast<double>(std::max<std::int64_t>(1, read));
}

void Files::wait(Board& board, const std::vector<int>& children) const {
  std::vector<int> left = children;
  std::string fault;
  std::int64_t seen = -1, since = now_ns();
  while (!left.empty()) {
    std::int64_t progress = 0;
    bool all_ready = true, finishing = true;
    for (std::int64_t process = 0; process < work_.processes; ++process) {
      const Worker& worker = board.worker(process);
      progress += worker.done + worker.ready + worker.ended;
      all_ready = all_ready && worker.ready;
      finishing = finishing && worker.next >= work_.blocks;
    }
    if (all_ready && board.start() == 0) board.start() = now_ns();
    if (progress != seen) since = now_ns();
    seen = progress;
    const double patience =
        work_.patience * (finishing && (work_.write || work_.mixed) ? 10 : 1);  // all that is cached is written then
    const bool stalled = seconds(now_ns() - since) > patience;
    if (stalled && fault.empty()) {
      folder_.hangs();
      char text[32];
      std::snprintf(text, sizeof text, "%g", patience);
      fault = folder_.path() + ": no operation ended within " + text + " s: the storage does not answer";
    }
    if (!fault.empty())
      for (const int each : left) kill(each, SIGKILL);
    std::erase_if(left, [&](int each) {
      int status = 0;
      if (waitpid(each, &status, WNOHANG) != each) return false;
      if (fault.empty() && WIFSIGNALED(status))
        fault = folder_.path() + ": a process of the pass was ended by signal " + std::to_string(WTERMSIG(status)) +
                (WTERMSIG(status) == SIGBUS ? ": a file that is mapped was truncated by another, or the storage is full"
                                            : "");
      return true;
    });
    if (!fault.empty() && seconds(now_ns() - since) > patience + 2) break;  // SIGKILL waits for the kernel
    if (!left.empty()) pause_ms(1);
  }
  for (std::int64_t process = 0; process < work_.processes && fault.empty(); ++process)
    fault = board.worker(process).fault;
  if (!fault.empty()) throw MeasurementFault(fault);
}

void Files::fill() {
  const Work reading = work_;
  work_.write = true;
  work_.random = work_.past_cache = work_.mixed = work_.append = false;
  work_.engine = Engine::buffered;
  work_.depth = 1;
  work_.at_most = 0;
  pass();
  work_ = reading;
}

Outcome Files::pass() {
  Board board(work_);
  if (work_.write) anew();
  const double held = work_.write ? 0 : mark_held(board);
  const Counters before = read_counters(storage_);
  std::vector<int> children;
  for (std::int64_t process = 0; process < work_.processes; ++process) {
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
      for (const int each : children) kill(each, SIGKILL);
      throw MeasurementFault(std::string("no process for a pass: ") + std::strerror(errno));
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      take_part(work_, folder_, board, process, seed_, version_);
      _exit(0);
    }
    children.push_back(child);
  }
  wait(board, children);
  Outcome outcome = gathered(board, since(read_counters(storage_), before));
  outcome.held = held;
  for (std::int64_t process = 0; process < work_.processes; ++process) {
    misplaced_ = misplaced_ || board.worker(process).wrong;
    for (std::int64_t turn = 0; (work_.write || work_.mixed) && turn < work_.blocks; ++turn) {
      const Operation& each = board.operation(process, turn);
      std::uint64_t& holds = versions_[static_cast<std::size_t>(process)][static_cast<std::size_t>(turn)];
      if (work_.write) holds = each.took >= 0 ? version_ : 0;
      if (work_.mixed && each.write && each.took >= 0) holds = version_ + mixed_version;
    }
  }
  return outcome;
}

// The operations that a pass did, as they are judged: bytes and time by what was found, and how long all were at work.
struct Files::Done {
  std::vector<std::pair<std::int64_t, Operation>> all;  // with their processes, in the order of their beginnings
  Evidence evidence;
  std::array<double, kinds_found> time{};  // s, of reads
  double writing = 0;                      // s, of all writes
  double busy = 0;                         // s, of the process that took longest

  // s of the pass that go to operations which took `of` s together.
  double part(double of) const {
    const double sum = std::accumulate(time.begin(), time.end(), writing);
    return sum > 0 ? busy * of / sum : 0;
  }
};

Outcome Files::gathered(Board& board, const Counters& counted) const {
  Outcome outcome;
  Done done;
  done.evidence.below = storage_.below;
  done.evidence.direct = work_.past_cache;
  done.evidence.synced = storage_.synced;
  done.evidence.unflushed = storage_.unflushed;
  done.evidence.counted = counted;
  outcome.to_first = 1e300;
  for (std::int64_t process = 0; process < work_.processes; ++process) {
    const Worker& worker = board.worker(process);
    std::int64_t last = 0;
    for (std::int64_t turn = 0; turn < work_.blocks; ++turn) {
      const Operation& each = board.operation(process, turn);
      if (each.took < 0) {
        outcome.complete = false;
        continue;
      }
      const auto found = static_cast<std::size_t>(each.found);
      (each.write ? done.evidence.written : done.evidence.bytes[found]) += work_.bytes;
      (each.write ? done.writing : done.time[found]) += seconds(each.took);
      last = std::max(last, each.began + each.took);
      done.all.emplace_back(process, each);
    }
    done.busy = std::max(done.busy, worker.busy);
    outcome.to_first = std::min(outcome.to_first, seconds(last));
    outcome.to_last = std::max(outcome.to_last, seconds(last));
    outcome.open = std::max(outcome.open, worker.open);
    outcome.sync = std::max(outcome.sync, worker.sync);
    outcome.close = std::max(outcome.close, worker.close);
  }
  outcome.over_time = timing::OverTime(static_cast<std::int64_t>(1e9 * outcome.to_last));
  for (const auto& [process, each] : done.all) outcome.over_time.add(process, each.began + each.took, each.took);
  std::ranges::stable_sort(done.all, {}, [](const auto& of) { return of.second.began; });
  for (const auto& [process, each] : done.all)
    if (seconds(each.began + each.took) <= outcome.to_first) outcome.at_first += work_.bytes;
  outcome.bytes = static_cast<std::int64_t>(done.all.size()) * work_.bytes;
  const std::string writes = done.evidence.written > 0 ? judge_writes(done, outcome) : "";
  const std::string reads = done.evidence.written < outcome.bytes ? judge_reads(done, outcome) : "";
  outcome.calls = writes.empty() || writes == reads ? reads
                  : reads.empty()                   ? writes
                                                    : "writes " + writes + ", reads " + reads;
  return outcome;
}

std::string Files::judge_writes(const Done& done, Outcome& outcome) const {
  const std::int64_t bytes = done.evidence.written;
  const double calls_took = done.part(done.writing);
  const Source counted_as = source_of_writes(done.evidence, outcome.why);
  const double each = (calls_took + outcome.sync) / static_cast<double>(bytes);
  const Source reached = no_faster_than_link(counted_as, each, storage_.link, outcome.why);
  const bool straight = work_.past_cache || reached == Source::cache;  // no cache between the calls and what they reach
  auto& moved = outcome.written.moved;
  if (!straight) moved[Source::cache] = {bytes, calls_took};
  moved[reached] = {bytes, calls_took + (reached == Source::cache ? 0 : outcome.sync)};
  const Source calls = straight ? reached : Source::cache;
  for (const auto& [process, operation] : done.all)
    if (operation.write) outcome.written.latency[calls].push_back(seconds(operation.took));
  return source_names[static_cast<std::size_t>(calls)];
}

std::string Files::judge_reads(const Done& done, Outcome& outcome) const {
  Sources sources = sources_of_reads(done.evidence);
  if (!sources.why.empty()) outcome.why = sources.why;
  for (std::size_t found = 0; found < kinds_found; ++found) {
    if (done.evidence.bytes[found] == 0) continue;
    Moved& moved = outcome.read.moved[sources.rate[found]];
    moved.bytes += done.evidence.bytes[found];
    moved.seconds += done.part(done.time[found]);
  }
  for (const Source label : {Source::device, Source::remote}) {
    const auto found = outcome.read.moved.find(label);
    if (found == outcome.read.moved.end()) continue;
    const double each = found->second.per_byte();
    Source now = no_faster_than_link(label, each, storage_.link, outcome.why);
    if (!work_.past_cache)
      now = no_faster_than_copies(now, each, work_.copy, work_.depth * work_.processes, outcome.why);
    if (now == label) continue;
    std::ranges::replace(sources.latency, label, now);
    Moved& moved = outcome.read.moved[now];
    moved.bytes += found->second.bytes;
    moved.seconds += found->second.seconds;
    outcome.read.moved.erase(label);
  }
  for (const auto& [process, each] : done.all)
    if (!each.write)
      outcome.read.latency[sources.latency[static_cast<std::size_t>(each.found)]].push_back(seconds(each.took));
  std::string calls;
  for (const auto& [source, moved] : outcome.read.moved)
    calls += (calls.empty() ? "" : " and ") + std::string(source_names[static_cast<std::size_t>(source)]);
  return calls;
}

std::int64_t Files::wrong_of_appended(std::int64_t file) const {
  Appended written(work_.bytes);
  for (std::int64_t process = 0; process < work_.processes; ++process) {
    if (work_.file_of(process) != file) continue;
    Origin of{static_cast<std::uint64_t>(file) + 1, static_cast<std::uint64_t>(process) + 1, 0, folder_.launch()};
    for (std::int64_t turn = 0; turn < work_.blocks; ++turn) {
      of.version = versions_[static_cast<std::size_t>(process)][static_cast<std::size_t>(turn)];
      if (of.version != 0) written.add(work_.offset(process, turn, seed_), of);
    }
  }
  std::vector<char> buffer(static_cast<std::size_t>(work_.bytes));
  std::vector<bool> found(written.size());
  std::int64_t wrong = 0;
  const int at = folder_.open(work_.name(file), O_RDONLY);
  for (std::int64_t offset = 0;; offset += work_.bytes) {
    const std::int64_t now = pread(at, buffer.data(), buffer.size(), offset);
    if (now == 0) break;
    const std::int64_t which = now == work_.bytes ? written.which(buffer.data()) : -1;
    if (which >= 0 && !found[static_cast<std::size_t>(which)])
      found[static_cast<std::size_t>(which)] = true;
    else
      ++wrong;  // torn, damaged, or there twice
    if (now != work_.bytes) break;
  }
  close(at);
  return wrong + std::ranges::count(found, false);  // what is lost
}

std::int64_t Files::wrong() {
  const Pattern pattern(work_.bytes);
  std::vector<char> buffer(static_cast<std::size_t>(work_.bytes));
  std::int64_t count = misplaced_ ? 1 : 0;
  drop();
  if (work_.append) {
    for (std::int64_t file = 0; file < work_.files(); ++file) count += wrong_of_appended(file);
    return count;
  }
  for (std::int64_t process = 0; process < work_.processes; ++process) {
    const std::int64_t file = work_.file_of(process);
    Origin of{static_cast<std::uint64_t>(file) + 1, static_cast<std::uint64_t>(process) + 1, 0, folder_.launch()};
    const int at = folder_.open(work_.name(file), O_RDONLY);
    for (std::int64_t turn = 0; turn < work_.blocks; ++turn) {
      of.version = versions_[static_cast<std::size_t>(process)][static_cast<std::size_t>(turn)];
      if (of.version == 0) continue;
      const std::int64_t offset = work_.offset(process, turn, seed_);
      const std::int64_t now = pread(at, buffer.data(), buffer.size(), offset);
      count += now != work_.bytes || !pattern.right(buffer.data(), offset, of);
    }
    close(at);
  }
  return count;
}

}  // namespace assay::files
