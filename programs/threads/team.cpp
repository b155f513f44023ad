#include "threads/team.hpp"

#include <sched.h>

#include "timing/affinity.hpp"

namespace assay::threads {

bool pin(int cpu) { return timing::bind_to({cpu}) == 0 && sched_getcpu() == cpu; }

Team::Team() : processors_(find_processors()) {}

Team::~Team() {
  for (std::size_t at = 0; at < members_.size(); ++at) send(at, leave);
  for (auto& member : members_) member->thread.join();
}

bool Team::holds(timing::Case& at, std::int64_t threads) {
  if (threads > processors_.usable()) {
    std::string why = "more threads than the " + std::to_string(processors_.usable()) + " hardware threads";
    why += processors_.usable() < static_cast<int>(processors_.cpus.size())
               ? " whose time " + processors_.limited + " allows"
               : " that this process may use";
    at.leave_out(why, "threads", "threads from 1 to " + std::to_string(processors_.usable()));
    return false;
  }
  gather(static_cast<int>(threads));
  if (!pinned_) at.warn("threads could not be held on hardware threads of their own: two may share one");
  at.afterwards([this] {
    const bool moved = moved_.exchange(false);
    return std::string(moved ? "a thread was moved off its hardware thread while it measured: two may have shared one"
                             : "");
  });
  if (processors_.usable() == 1 && !alone_) {
    alone_ = true;
    at.note_skip("whatever takes two threads: this process may use one hardware thread" +
                 (processors_.cpus.size() > 1 ? ", whose time " + processors_.limited + " allows" : std::string()));
  }
  if (threads > static_cast<std::int64_t>(processors_.cores))
    at.note("beyond " + std::to_string(processors_.cores) + " threads, two share a core");
  return true;
}

void Team::gather(int threads) {
  if (!here_) {
    here_ = true;
    if (!pin(cpu(0))) pinned_ = false;
  }
  while (static_cast<int>(members_.size()) + 1 < threads) {
    const int rank = static_cast<int>(members_.size()) + 1;
    members_.push_back(std::make_unique<Member>());
    Member& member = *members_.back();
    std::atomic<int> ready{0};
    member.thread = std::thread([this, rank, &member, &ready] {
      const bool held = pin(cpu(rank));
      ready.store(held ? 1 : 2);
      work(rank, member);
    });
    while (ready.load() == 0) std::this_thread::yield();
    if (ready.load() == 2) pinned_ = false;
  }
}

void Team::work(int rank, Member& member) {
  for (std::uint64_t seen = 0;;) {
    std::uint64_t order = member.order.load(std::memory_order_acquire);
    for (int spins = 0; order == seen; order = member.order.load(std::memory_order_acquire)) {
      if (++spins < most_spins) {
        pause();
      } else {
        member.order.wait(seen);
      }
    }
    if (order == leave) return;
    seen = order;
    body_(what_, rank);
    look(rank);
    pending_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace assay::threads
