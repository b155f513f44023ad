// The World where several programs come and go (jobs.hpp).
//
// A program that leaves may have calls, messages and receives under way. The machine finishes what it carries, which
// others see; the coroutines are gone: none is resumed, nothing is written to their buffers or read from them, and
// what they computed ends. A program's context is never used again, so that what it left behind matches nothing. I/O
// nodes serve all programs: a message between one and a rank that leaves goes on as if the rank made a call then.
#include <algorithm>
#include <stdexcept>

#include "ranks/world.hpp"

namespace assay::described {
namespace {
constexpr std::uint32_t pieces_at_once = 8;  // of some hundredths of a second each
}

void World::goes_on(Time at, int rank, std::coroutine_handle<> caller) {
  if (seats_.empty()) [[likely]]
    return resume(at, caller);
  auto index = static_cast<std::uint32_t>(turns_.size());
  if (free_turns_.empty()) {
    turns_.emplace_back();
  } else {
    index = free_turns_.back();
    free_turns_.pop_back();
  }
  turns_[index] = {caller, rank, seats_[static_cast<std::size_t>(rank)].turn};
  schedule(at, Kind::turn, index);
}

void World::take_turn(std::uint32_t index) {
  if (index == none) return;  // the end of a stretch
  const Turn turn = turns_[index];
  free_turns_.push_back(index);
  if (turn.turn == seats_[static_cast<std::size_t>(turn.rank)].turn) turn.caller.resume();
}

GroupId World::enter(const std::vector<int>& ranks) {
  for (const int rank : ranks)
    if (rank < 0 || rank >= this->ranks() || seats_[static_cast<std::size_t>(rank)].program != 0)
      throw std::invalid_argument("a program is to have rank " + std::to_string(rank) + ", which is not free");
  const GroupId program = groups_.program(ranks, now_);
  for (const int rank : ranks) seats_[static_cast<std::size_t>(rank)].program = program;
  return program;
}

void World::start_at(Time at, int rank, ranks::Task task) {
  Rank& mine = ranks_[static_cast<std::size_t>(rank)];
  mine.task = std::move(task);
  goes_on(at, rank, mine.task.handle());
}

bool World::advance(Time until) {
  halted_ = false;
  // The network is served as far as the next event: not beyond the time at which a job may start.
  enqueue(until + 1, Kind::turn, none);
  serve(until, pieces_at_once);
  const bool more = !halted_ && (next_event() <= static_cast<std::uint64_t>(until) || model_next_ <= until);
  if (!halted_ && !more && until < never - 1) now_ = std::max(now_, until);
  return more;
}

int World::number(int rank) const {
  const GroupId program = seats_.empty() ? 0 : seats_[static_cast<std::size_t>(rank)].program;
  return program == 0 ? rank : groups_.rank_in(program, rank);
}

void World::leave(GroupId program) {
  std::vector<bool> left(ranks_.size());
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) left[rank] = seats_[rank].program == program;
  for (Request& each : requests_.all()) {
    if (!each.live || !left[static_cast<std::size_t>(each.rank)]) continue;
    each.buffer = nullptr;
    each.cost = 0;
    if (each.waiter) each.waiter = noop_;
  }
  for (InFlight& each : messages_.all()) {
    if (each.owed == 0) continue;
    const bool gets = each.message.tag == Exposed::get_tag;
    if (!left[static_cast<std::size_t>(gets ? each.message.destination : each.message.source)]) continue;
    if (each.caller) each.caller = noop_;
    if (each.data == Data::lent) each.data = Data::none;
  }
  exposed_.forget(left);
  groups_.forget(program);
  const auto of_it = [&](const auto& each) { return groups_.program_of(each.first.first) == program; };
  std::erase_if(in_barrier_, of_it);
  std::erase_if(meeting_, of_it);
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
    if (!left[rank]) continue;
    Rank& mine = ranks_[rank];
    if (const auto index = mine.computing; index != none) {
      Computing& stopped = computing_[index];
      ++stopped.version;  // its end is void
      if (on_node_ > 1 && stopped.bus + stopped.shared > 0) {
        std::erase(sharing_[static_cast<int>(rank) / on_node_], index);
        share_anew(static_cast<int>(rank) / on_node_);
      }
      mine.computing = none;
      free_computing_.push_back(index);
    }
    mine.receives = mine.messages = mine.ahead = {};
    if (const auto waits = deferred_.extract(static_cast<int>(rank)))
      for (const Deferred& each : waits.mapped()) {
        const Message& message = messages_[each.about].message;
        if (std::max(message.source, message.destination) >= ranks()) schedule(now_, Kind::model, each.subject);
      }
    several_.erase(static_cast<int>(rank));
    looking_.erase(static_cast<int>(rank));
    mine.task = {};
    seats_[rank] = {0, seats_[rank].turn + 1};
  }
}

std::vector<Waiting> World::waiting(GroupId program) const {
  std::vector<Waiting> found = waiting();
  const auto absent = [&](const Waiting& each) {
    return seats_[static_cast<std::size_t>(each.rank)].program != program;
  };
  std::erase_if(found, absent);
  for (Waiting& each : found) {
    if (each.peer >= 0) each.peer = groups_.rank_in(program, each.peer);
    each.rank = groups_.rank_in(program, each.rank);
  }
  std::ranges::sort(found, {}, &Waiting::rank);
  return found;
}

bool World::stuck(GroupId program) const {
  const auto served = [&](const Request& each) {  // it will have its answer
    return each.live && !each.done && each.peer >= ranks() && this->program(each.rank) == program;
  };
  if (std::ranges::any_of(requests_.all(), served)) return false;
  const auto found = waiting(program);
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
    if (seats_[rank].program != program || ranks_[rank].task.done()) continue;
    const int own = groups_.rank_in(program, static_cast<int>(rank));
    if (std::ranges::find(found, own, &Waiting::rank) == found.end()) return false;
  }
  return std::ranges::none_of(messages_.all(), [&](const InFlight& each) {
    if ((each.owed & owes_delivery) == 0 || gone(each)) return false;
    if (seats_[static_cast<std::size_t>(each.message.source)].program != program) return false;
    return each.message.tag < 0 || each.taken_by != none || !(each.announced || each.here || each.held);
  });
}

}  // namespace assay::described
