// The cost of creating a worker and waiting for its end (Dunigan 1995, section 3, Table 3.2): a process by
// fork, a process that runs a new program, a thread, and a parallel region of OpenMP whose threads are kept.
#include <spawn.h>
#include <sys/wait.h>

#include "threads/team.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

extern char** environ;

constexpr std::string_view record = R"record(
name = "creation"
title = "Creation of processes and threads"
part = "threads"
kind = "node"
summary = "time to make a process or threads and to wait for their end"
cost = "one operation makes one process, or as many threads as the case says, and waits for all of them"
check = "each one made leaves a mark of its own: exit status by exit status, and a count that the threads keep"
source = "Dunigan 1995, section 3, Table 3.2"
published = ["threads.fork-wait", "threads.thread-join"]
flags = ["-fopenmp"]
unjudged = ["involuntary", "waited"]  # what it makes takes its maker's place
slice_quick = 0.01
slice_standard = 0.03
blocks_quick = 3
blocks_standard = 4

[parameter.what]
type = "choice"
default = ["fork", "spawn", "thread", "openmp"]
choices = ["fork", "spawn", "thread", "openmp"]
sweep = true
help = "fork and wait; posix_spawn of /bin/true and wait; std::thread and join; a parallel region of OpenMP"

[parameter.threads]
from = "threads/parameters.hpp"
help = "how many are made before the first is waited for; of processes one"

[metric.time]
unit = "s"
help = "time of making and awaiting them"

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "from the first call to the end of the last wait"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

struct Marks {
  std::int64_t wanted = 0;
  std::atomic<std::int64_t> left{0};
};

void await(Marks& marks, pid_t child, int status) {
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0)
    if (errno != EINTR) throw MeasurementFault("a child process was lost");
  marks.left += WIFEXITED(ended) && WEXITSTATUS(ended) == status;
}

void by_fork(Marks& marks, std::int64_t operations) {
  for (; operations > 0; --operations) {
    const int status = static_cast<int>(++marks.wanted % 200);
    const pid_t child = fork();
    if (child == 0) _exit(status);
    if (child < 0) throw MeasurementFault("the system refuses another process");
#ifdef ASSAY_BREAK
    await(marks, child, status + 1);
#else
    await(marks, child, status);
#endif
  }
}

void by_spawn(Marks& marks, std::int64_t operations) {
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  for (; operations > 0; --operations) {
    ++marks.wanted;
    pid_t child = 0;
    if (posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environ) != 0)
      throw MeasurementFault("/bin/true could not be started");
    await(marks, child, 0);
  }
}

void by_thread(Marks& marks, std::int64_t operations, int members) {
  std::vector<std::thread> made(static_cast<std::size_t>(members));
  for (; operations > 0; --operations) {
    marks.wanted += members;
    for (std::thread& each : made) each = std::thread([&marks] { marks.left.fetch_add(1, std::memory_order_relaxed); });
    for (std::thread& each : made) each.join();
  }
}

#ifdef _OPENMP
void by_openmp(Marks& marks, std::int64_t operations, int members) {
  for (; operations > 0; --operations) {
    marks.wanted += members;
#pragma omp parallel num_threads(members)
    marks.left.fetch_add(1, std::memory_order_relaxed);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const threads::Processors processors = threads::find_processors();
  return run_program(record, argc, argv, [&](Case& at) {
    const int members = static_cast<int>(at.integer("threads"));
    const std::string what = at.choice("what");
    auto marks = std::make_shared<Marks>();
    if (members > processors.usable())
      return at.skip("more threads than the " + std::to_string(processors.usable()) +
                         " hardware threads that this process may use",
                     "threads", "threads from 1 to " + std::to_string(processors.usable()));
    if ((what == "fork" || what == "spawn") && members > 1) return;
    if (what == "spawn" && access("/bin/true", X_OK) != 0) return at.skip("spawn: there is no /bin/true");
    if (what == "fork") {
      at.measure("time", [=](std::int64_t n) { by_fork(*marks, n); });
    } else if (what == "spawn") {
      at.measure("time", [=](std::int64_t n) { by_spawn(*marks, n); });
    } else if (what == "thread") {
      at.measure("time", [=](std::int64_t n) { by_thread(*marks, n, members); });
    } else {
#ifdef _OPENMP
      at.measure("time", [=](std::int64_t n) { by_openmp(*marks, n, members); });
#else
      return at.skip("OpenMP's parallel regions: this compiler has no OpenMP");
#endif
    }
    at.check([=] {
      const std::int64_t left = marks->left;
      return Check{left == marks->wanted, std::to_string(left) + " marks of " + std::to_string(marks->wanted)};
    });
  });
}
