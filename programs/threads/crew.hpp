// Two ways to have p members work on one problem, each with the same face: `run(body)` has every member call
// body(member), and a member knows its rank, its share of a range, and `together()`, where all wait for all.
// PlainCrew: the team's pinned threads and a dissemination barrier. OpenMpCrew: a parallel region and its barrier.
#pragma once

#include "threads/barriers.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace assay::threads {

template <class Wait>
struct Member {
  int rank, count;
  const Wait& together;

  std::int64_t from(std::int64_t all) const { return all * rank / count; }
  std::int64_t to(std::int64_t all) const { return all * (rank + 1) / count; }
};

class PlainCrew {
 public:
  PlainCrew(std::shared_ptr<Team> team, int members) : team_(std::move(team)), members_(members), barrier_(members) {}
  template <class Body>
  void run(const Body& body) {
    team_->run(members_, [&](int rank) {
      const auto wait = [&] { barrier_.arrive(rank); };
      body(Member<decltype(wait)>{rank, members_, wait});
    });
  }

 private:
  std::shared_ptr<Team> team_;
  int members_;
  DisseminationBarrier barrier_;
};

#ifdef _OPENMP
class OpenMpCrew {
 public:
  OpenMpCrew(std::shared_ptr<Team> team, int members) : team_(std::move(team)), members_(members) {}
  template <class Body>
  void run(const Body& body) {
#pragma omp parallel num_threads(members_)
    {
      const int rank = omp_get_thread_num();
      pin(team_->cpu(rank));
      const auto wait = [] {
#pragma omp barrier
      };
      body(Member<decltype(wait)>{rank, members_, wait});
    }
  }

 private:
  std::shared_ptr<Team> team_;
  int members_;
};
#endif

// Calls `use(crew)` with the crew that the case's parameters `by` and `threads` ask for, or says why there is none.
template <class Use>
void with_crew(timing::Case& at, const std::shared_ptr<Team>& team, const Use& use) {
  const int members = static_cast<int>(at.integer("threads"));
  if (!team->holds(at, members)) return;
  if (at.choice("by") == "threads") return use(std::make_shared<PlainCrew>(team, members));
#ifdef _OPENMP
  use(std::make_shared<OpenMpCrew>(team, members));
#else
  at.skip("OpenMP: this compiler has none");
#endif
}

}  // namespace assay::threads
