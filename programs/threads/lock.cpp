// Taking and freeing a lock, alone and against others (Dunigan 1995, section 3, Tables 3.2 and 3.3): every thread adds
// to a counter that the lock guards, as fast as it can.
#include "threads/locks.hpp"

constexpr std::string_view record = R"record(
name = "lock"
title = "Lock and unlock"
part = "threads"
kind = "node"
summary = "time to take and free a lock, uncontended and contended by 1 to p threads"
cost = "one operation: every thread takes the lock, adds one to what it guards, and frees it"
check = "the guarded counter against the additions made; then each thread stays inside with its hardware thread given up, and nobody else may be there"
source = "Dunigan 1995, section 3, Tables 3.2 and 3.3; Mellor-Crummey and Scott 1991"
published = ["threads.lock-unlock"]
flags = ["-fopenmp"]
slice_quick = 0.003
slice_standard = 0.008
blocks_quick = 2
blocks_standard = 5

[parameter.kind]
type = "choice"
default = ["mutex", "spin", "ticket", "mcs", "openmp"]
choices = ["mutex", "spin", "ticket", "mcs", "openmp", "pthread"]
sweep = true
help = "std::mutex, test and test-and-set, ticket, Mellor-Crummey and Scott's queue, OpenMP's lock; pthread: POSIX's mutex, what its call returns unseen"

[parameter.sharing]
type = "choice"
default = ["one", "own"]
choices = ["one", "own"]
sweep = true
help = "one: all threads want one lock; own: each has a lock of its own, so that nobody waits"

[parameter.threads]
from = "threads/parameters.hpp"

[metric.time]
unit = "s"
help = "time in which every thread takes and frees the lock once"

[headline.lock]
figure = "time"
where = "kind=mutex threads=1 sharing=one"
title = "lock and unlock (std::mutex, uncontended)"
says = "takes and frees a lock in"
bound = "two_atomics"
advice = "another kind of lock may be cheaper: see the part on threads"
order = 2

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "as each thread sees it: from one acquisition to the next"

[figure.rate]
metric = "time"
formula = "threads / value"
unit = "1/s"
better = "higher"
help = "acquisitions per second, all threads together"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

template <class Lock>
struct alignas(threads::line_bytes) Guarded {
  Lock lock;
  alignas(threads::line_bytes) std::int64_t count = 0;
};

// The loop begins at a line's start wherever the linker puts it: elsewhere in it some locks took 1 to 6 cycles more.
template <class Lock>
[[gnu::noinline, gnu::aligned(64)]] void add(Guarded<Lock>& guarded, std::int64_t times) {
  for (; times > 0; --times) {
    guarded.lock.lock();
    std::int64_t count = guarded.count;
    opaque(count);
    guarded.count = count + 1;
    touched();
    guarded.lock.unlock();
  }
}

// How often another thread entered while one was inside and gave up its hardware thread.
template <class Lock>
std::int64_t intrusions(threads::Team& team, int members, bool shared, std::vector<Guarded<Lock>>& guarded) {
  std::atomic<int> inside{0}, bad{0};
  team.run(members, [&](int rank) {
    Lock& lock = guarded[shared ? 0 : static_cast<std::size_t>(rank)].lock;
    for (int turn = 0; turn < 50; ++turn) {
      lock.lock();
      if (shared && inside.fetch_add(1) != 0) bad.fetch_add(1);
      std::this_thread::sleep_for(std::chrono::microseconds(5));
      if (shared) inside.fetch_sub(1);
      lock.unlock();
    }
  });
  return bad.load();
}

template <class Lock>
void set_up(Case& at, const std::shared_ptr<threads::Team>& team) {
  const int members = static_cast<int>(at.integer("threads"));
  const bool shared = at.choice("sharing") == "one";
  auto guarded = std::make_shared<std::vector<Guarded<Lock>>>(static_cast<std::size_t>(shared ? 1 : members));
  auto made = std::make_shared<std::int64_t>(0);
  const auto work = [=](std::int64_t operations) {
    team->run(members, [&](int rank) { add((*guarded)[shared ? 0 : static_cast<std::size_t>(rank)], operations); });
    *made += operations * members;
  };
  at.measure("time", work, {.reading = threads::least_reading});
  at.check([=] {
    std::int64_t counted = 0;
    for (const auto& each : *guarded) counted += each.count;
    const std::int64_t bad = intrusions(*team, members, shared, *guarded);
    return Check{counted == *made && bad == 0, std::to_string(counted) + " of " + std::to_string(*made) +
                                                   " additions kept, " + std::to_string(bad) + " intrusions"};
  });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace assay::threads;
  auto team = std::make_shared<Team>();
  return run_program(record, argc, argv, [&](Case& at) {
    if (!team->holds(at, at.integer("threads"))) return;
    const std::string& kind = at.choice("kind");
#ifdef ASSAY_BREAK
    if (kind == "spin") return set_up<NoLock>(at, team);
#endif
    if (kind == "mutex") return set_up<MutexLock>(at, team);
    if (kind == "pthread") return set_up<PthreadLock>(at, team);
    if (kind == "spin") return set_up<SpinLock>(at, team);
    if (kind == "ticket") return set_up<TicketLock>(at, team);
    if (kind == "mcs") return set_up<McsLock>(at, team);
#ifdef _OPENMP
    set_up<OpenMpLock>(at, team);
#else
    at.skip("OpenMP's lock: this compiler has no OpenMP");
#endif
  });
}
