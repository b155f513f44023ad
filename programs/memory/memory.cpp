// Free memory that a process can really touch (Dunigan 1991, section 3.3, Table 5, there by malloc in steps of 1 KB).
//
// Today an allocation promises nothing: pages exist once they are written. So a child process maps and populates
// memory in growing steps (MADV_POPULATE_WRITE, else a write to each page), writes a word of its own into every page,
// and stops with a margin to spare before anything bad happens: the kernel's available memory, the cgroup's limit (v1
// and v2, every ancestor), the process's limits, pages swapped out by anybody, memory pressure, a refused mapping, or
// the time that may be spent. The child offers itself to the out-of-memory killer first and only reports what it
// reached, so that even then the program ends well.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "timing/memory_limits.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "memory"
title = "Memory available to a process"
part = "memory"
kind = "node"
summary = "free memory that a process can really touch, beside the total; never swapping, never being killed"
cost = "every page touched is written once by the kernel and once by the program, and read once"
check = "a word of its own read back from every page; the kernel's count of resident pages"
source = "Dunigan 1991, section 3.3, Table 5"
published = ["malloc"]
exact = ["total"]
unjudged = ["available", "touched"]  # amounts, not times: what others hold is part of the answer
blocks_quick = 1
blocks_standard = 1
blocks_full = 1

[parameter.most]
type = "integer"
default = 0
min = 0
max = 1000000000000000
unit = "B"
help = "touch no more than this; 0: all that is available but the margin"

[parameter.margin]
type = "real"
default = 0.04
min = 0.01
max = 0.9
unit = "1"
help = "share of the total that is left untouched, never less than 64 MiB"

[parameter.time]
type = "real"
default = 30
quick = 0.2
standard = 1
full = 600
min = 0.01
max = 86400
unit = "s"
help = "time after which no more is touched"

[described]
metric = { available = "node_memory" }

[metric.available]
unit = "B"
help = "memory available to a process: what was touched, and where time ended that or a bound was set, what was still free"

[metric.touched]
unit = "B"
help = "memory that was written and read back"

[metric.total]
unit = "B"
help = "memory of the machine, or of the container where its limit is lower"

[headline.available]
figure = "memory_available"
title = "memory free for one process"
says = "has free for one process"
bound = "memory_limit"
advice = "other processes hold the rest"
order = 8

[figure.memory_available]
metric = "available"
formula = "value"
unit = "B"
better = "higher"
headline = true
help = "memory available to a process, as in Table 5"

[figure.memory_total]
metric = "total"
formula = "value"
unit = "B"
better = "higher"
headline = false
help = "memory of the machine, as in Table 5"
)record";

namespace {

using namespace assay::timing;
using namespace assay::memory;

constexpr std::int64_t mebibyte = 1 << 20;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, Linux 5.14; older headers lack it

struct Progress {  // shared with the child
  std::atomic<std::int64_t> touched{0}, wrong{0}, resident{0};
  std::atomic<bool> verified{false};
  char ended[160] = "the child ended before it said why";
};

struct Result {
  std::int64_t touched = 0, left = 0, total = 0;
  bool passed = false;
  std::string ended, detail;
};

struct Piece {
  char* from;
  std::int64_t bytes;
};

std::uint64_t mark(std::uint64_t page) { return page * 0x9e3779b97f4a7c15 + 1; }

bool populate(const Piece& piece, std::int64_t page) {
  madvise(piece.from, static_cast<std::size_t>(piece.bytes), MADV_HUGEPAGE);
  if (madvise(piece.from, static_cast<std::size_t>(piece.bytes), populate_write) == 0) return true;
  if (errno != EINVAL) return false;  // ENOMEM: there is none left; EINVAL: the kernel does not know the advice
  for (std::int64_t at = 0; at < piece.bytes; at += page) *static_cast<volatile char*>(piece.from + at) = 1;
  return true;
}

// In the child: takes steps until a reason to stop, then reads everything back.
void touch(Progress& progress, std::int64_t most, std::int64_t margin, double seconds) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto end = [&](const std::string& why) {
    std::snprintf(progress.ended, sizeof progress.ended, "%s", why.c_str());
  };
  const double start = 1e-9 * static_cast<double>(now_ns());
  const Pressure before = read_pressure();
  std::vector<Piece> pieces;
  std::uint64_t pages = 0;
  std::int64_t touched = 0;
  for (std::int64_t step = 16 * mebibyte;; step = std::min(2 * step, 512 * mebibyte)) {
    const Headroom room = read_headroom();
    std::int64_t wanted = std::min(step, room.bytes - margin) / page * page;
    if (most > 0) wanted = std::min(wanted, (most - touched) / page * page);
    if (most > 0 && wanted == 0 && room.bytes - margin >= page) {
      end("the bound that was set is reached");
      break;
    }
    if (wanted < page) {
      end("margin reached, of " + room.by);
      break;
    }
    if (1e-9 * static_cast<double>(now_ns()) - start > seconds) {
      end("time spent");
      break;
    }
    const Pressure now = read_pressure();
    if (now.swapped_out > before.swapped_out) {
      end("pages are being swapped out");
      break;
    }
    if (now.stalled - before.stalled > 0.2) {
      end("processes stall for memory");
      break;
    }
    void* from = mmap(nullptr, static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (from == MAP_FAILED) {
      end(std::string("mapping refused: ") + std::strerror(errno));
      break;
    }
    pieces.push_back({static_cast<char*>(from), wanted});
    if (!populate(pieces.back(), page)) {
      end(std::string("pages refused: ") + std::strerror(errno));
      munmap(from, static_cast<std::size_t>(wanted));
      pieces.pop_back();
      break;
    }
    for (std::int64_t at = 0; at < wanted; at += page)
      *reinterpret_cast<volatile std::uint64_t*>(pieces.back().from + at) = mark(pages++);
    touched += wanted;
    progress.touched = touched;
  }
  progress.resident = resident_bytes();
#ifdef ASSAY_BREAK
  if (!pieces.empty()) *reinterpret_cast<volatile std::uint64_t*>(pieces[0].from) = 0;
#endif
  std::uint64_t seen = 0;
  std::int64_t wrong = 0;
  for (const Piece& piece : pieces)
    for (std::int64_t at = 0; at < piece.bytes; at += page)
      wrong += *reinterpret_cast<volatile std::uint64_t*>(piece.from + at) != mark(seen++);
  progress.wrong = wrong;
  progress.verified = true;
}

Result measure_memory(std::int64_t most, double share, double seconds) {
  Result result;
  result.total = read_total();
  const auto margin = std::max(64 * mebibyte, static_cast<std::int64_t>(share * static_cast<double>(result.total)));
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw MeasurementFault("no page of memory to start with");
  auto& progress = *new (shared) Progress;
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) throw MeasurementFault(std::string("cannot fork: ") + std::strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(1);
    write_small("/proc/self/oom_score_adj", "1000");
    touch(progress, most, margin, seconds);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  const bool killed = WIFSIGNALED(status);
  result.touched = progress.touched;
  result.ended = killed ? "the child was killed by signal " + std::to_string(WTERMSIG(status)) : progress.ended;
  const bool all = result.ended != "time spent" && result.ended != "the bound that was set is reached";
  result.left = all ? 0 : std::max<std::int64_t>(0, read_headroom().bytes - result.touched - margin);
  // After the child's end its memory is free again: what is left is what there is now, less what it had.
  result.passed = !killed && progress.verified && progress.wrong == 0 && progress.resident >= result.touched;
  result.detail = std::to_string(result.touched) + " bytes touched, " + std::to_string(progress.resident) +
                  " resident, " + std::to_string(progress.wrong) + " pages read back wrong; ended: " + result.ended;
  munmap(shared, sizeof(Progress));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [](Case& at) {
    auto result = std::make_shared<std::optional<Result>>();
    const std::int64_t most = at.integer("most");
    const double margin = at.real("margin"), seconds = at.real("time");
    Case* self = &at;
    const auto once = [=]() -> const Result& {
      if (!*result) {
        *result = measure_memory(most, margin, seconds);
        self->note("memory: " + (*result)->detail);
      }
      return **result;
    };
    at.observe("available", [=] { return static_cast<double>(once().touched + once().left); }, true);
    at.observe("touched", [=] { return static_cast<double>(once().touched); }, true);
    at.observe("total", [=] { return static_cast<double>(once().total); }, true);
    at.check([=] { return Check{once().passed, once().detail}; });
  });
}
