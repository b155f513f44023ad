// A barrier among 1 to p threads (Dunigan 1995, section 3, Tables 3.2 and 3.3): one after another, nothing in between.
#include "threads/barriers.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

constexpr std::string_view record = R"record(
name = "thread-barrier"
title = "Thread barrier"
part = "threads"
kind = "node"
first_look = true
summary = "time of a barrier among 1 to p threads, by how it is made"
cost = "one operation is one barrier of all threads"
check = "each thread in turn comes late on purpose, and nobody may be seen to leave before it came"
source = "Dunigan 1995, section 3, Tables 3.2 and 3.3; Mellor-Crummey and Scott 1991"
published = ["threads.barrier"]
flags = ["-fopenmp"]
slice_quick = 0.005
slice_standard = 0.015
blocks_quick = 2
blocks_standard = 5

[parameter.kind]
type = "choice"
default = ["standard", "central", "dissemination", "openmp"]
choices = ["standard", "central", "dissemination", "openmp"]
sweep = true
help = "std::barrier, one counter with turning sense, dissemination, OpenMP's"

[parameter.threads]
from = "threads/parameters.hpp"

[metric.time]
unit = "s"
help = "time of a barrier"

[headline.barrier]
figure = "time"
where = "threads=2"
title = "barrier of two threads (best kind)"
says = "brings two threads together in"
bound = "line_transfers"
advice = "compare the kinds of barrier in the part on threads"
order = 1

[figure.time]
metric = "time"
formula = "value"
unit = "s"
better = "lower"
headline = true
help = "from one barrier to the next"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

// Runs `body(rank, arrive)` in every thread, `arrive()` being the barrier.
template <class Barrier>
struct ByTeam {
  ByTeam(std::shared_ptr<threads::Team> with, int count) : team(std::move(with)), members(count), barrier(count) {}
  template <class Body>
  void run(const Body& body) {
    team->run(members, [&](int rank) { body(rank, [&] { barrier.arrive(rank); }); });
  }
  std::shared_ptr<threads::Team> team;
  int members;
  Barrier barrier;
};

#ifdef _OPENMP
struct ByOpenMp {
  ByOpenMp(std::shared_ptr<threads::Team> with, int count) : team(std::move(with)), members(count) {}
  template <class Body>
  void run(const Body& body) {
#pragma omp parallel num_threads(members)
    {
      const int rank = omp_get_thread_num();
      threads::pin(team->cpu(rank));
#pragma omp barrier
      body(rank, [&] {
#pragma omp barrier
      });
    }
  }
  std::shared_ptr<threads::Team> team;
  int members;
};
#endif

// Thread `late` comes late; whoever left before it came saw too small a number.
template <class Way>
std::int64_t early(Way& way) {
  std::vector<std::atomic<int>> came(static_cast<std::size_t>(way.members));
  std::atomic<std::int64_t> bad{0};
  way.run([&](int rank, const auto& arrive) {
    for (int turn = 0; turn < 3 * way.members; ++turn) {
      if (turn % way.members == rank) std::this_thread::sleep_for(std::chrono::microseconds(200));
      came[static_cast<std::size_t>(rank)].store(turn + 1);
      arrive();
      for (const auto& each : came)
        if (each.load() < turn + 1) bad.fetch_add(1);
      arrive();
    }
  });
  return bad.load();
}

template <class Way>
void set_up(Case& at, const std::shared_ptr<threads::Team>& team) {
  auto way = std::make_shared<Way>(team, static_cast<int>(at.integer("threads")));
  const auto work = [=](std::int64_t operations) {
    way->run([&](int, const auto& arrive) {
      for (std::int64_t left = operations; left > 0; --left) arrive();
    });
  };
  at.measure("time", work, {.reading = threads::least_reading});
  at.check([=] {
    const std::int64_t bad = early(*way);
    return Check{bad == 0, std::to_string(3 * way->members) + " late arrivals, " + std::to_string(bad) +
                               " times somebody had left before"};
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
    if (kind == "central") return set_up<ByTeam<NoBarrier>>(at, team);
#endif
    if (kind == "standard") return set_up<ByTeam<StandardBarrier>>(at, team);
    if (kind == "central") return set_up<ByTeam<CentralBarrier>>(at, team);
    if (kind == "dissemination") return set_up<ByTeam<DisseminationBarrier>>(at, team);
#ifdef _OPENMP
    set_up<ByOpenMp>(at, team);
#else
    at.skip("OpenMP's barrier: this compiler has no OpenMP");
#endif
  });
}
