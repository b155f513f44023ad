// Each rank plays its operations with one processor: what may begin begins in the file's order; receives are posted,
// sends and computing take the processor for their time, `calc 0` lets all else happen first that happens at its time.
#include <algorithm>
#include <initializer_list>

#include "goal/replay.hpp"
#include "ranks/frames.hpp"
#include "ranks/playing.hpp"
#include "ranks/simulated.hpp"

namespace assay::goal {
namespace {
using described::RequestId;
using described::Simulated;
using described::World;

struct Open {
  RequestId id;
  std::uint32_t op;
};

struct Player {
  World& world;
  int rank;
  const RankOps& its;
  Progress progress;
  std::vector<Open> open;
  std::uint32_t earliest = described::none;  // no operation above this one waits for the end of one that is open
  described::Time end = 0;
};

struct First {
  Player& player;
  const std::vector<Open>& of;
  std::size_t place = 0;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    std::vector<RequestId> ids;
    for (const Open& each : of) ids.push_back(each.id);
    player.world.await_any(player.rank, std::move(ids), place, caller);
  }
  std::size_t await_resume() const noexcept { return place; }
};

// Behind what else happens at this time.
struct Later {
  World& world;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) const { world.wake(world.now(), caller); }
  void await_resume() const noexcept {}
};

// What is over by now, and costs the processor nothing more.
void pass_over(Player& mine) {
  std::erase_if(mine.open, [&](const Open& each) {
    if (!mine.world.complete(each.id)) return false;
    mine.world.finish(each.id);
    mine.progress.ended(each.op);
    return true;
  });
}

std::uint32_t first_behind(const Player& mine, std::uint32_t op) {
  const Lists& lists = mine.its.on_end;
  return lists.begin(op) == lists.end(op) ? described::none : *std::min_element(lists.begin(op), lists.end(op));
}
void opens(Player& mine, RequestId id, std::uint32_t op) {
  mine.open.push_back({id, op});
  mine.earliest = std::min(mine.earliest, first_behind(mine, op));
}
// Whether something may begin once what is under way is over, before what may begin now.
bool may_come_first(Player& mine) {
  if (!mine.progress.ready() || mine.earliest >= mine.progress.next()) return false;
  mine.earliest = described::none;
  for (const Open& each : mine.open) mine.earliest = std::min(mine.earliest, first_behind(mine, each.op));
  return mine.earliest < mine.progress.next();
}

// What a rank with nothing to begin waits for: that of what is under way without which nothing begins. All of it, in
// the order in which the file requires it, where that is the same for everything that may begin next; else whatever
// comes first.
struct Awaited {
  std::vector<Open> of;
  bool all = true;
  // Whether it is all of these, in this order.
  bool are(std::initializer_list<std::uint32_t> ops) const { return all && std::ranges::equal(of, ops, {}, &Open::op); }
};
Awaited awaited(const Player& mine) {
  std::vector<std::uint32_t> waiting;
  for (const Open& each : mine.open)
    waiting.insert(waiting.end(), mine.its.on_end.begin(each.op), mine.its.on_end.end(each.op));
  std::ranges::sort(waiting);
  std::vector<Open> open = mine.open;
  std::ranges::sort(open, {}, &Open::op);
  std::vector<bool> taken(open.size());
  Awaited found;
  for (auto at = waiting.begin(); at != waiting.end();) {
    const auto behind = std::find_if(at, waiting.end(), [&](const std::uint32_t op) { return op != *at; });
    const std::uint32_t op = *at;
    const auto count = static_cast<std::uint32_t>(behind - at);
    at = behind;
    if (count < mine.progress.lacks(op)) continue;  // waits for what has not begun
    const bool first = found.of.empty();
    std::size_t its = 0;
    for (const auto* each = mine.its.requires_ends.begin(op); each != mine.its.requires_ends.end(op); ++each) {
      const auto place = std::ranges::lower_bound(open, *each, {}, &Open::op);
      if (place == open.end() || place->op != *each) continue;
      ++its;
      const auto at_place = static_cast<std::size_t>(place - open.begin());
      if (taken[at_place]) continue;
      taken[at_place] = true;
      found.of.push_back(*place);
      found.all = found.all && first;
    }
    found.all = found.all && its >= found.of.size();
  }
  if (found.of.empty()) found.of = mine.open;
  return found;
}

RequestId take(Player& mine, std::uint32_t op) {
  const auto found = std::ranges::find(mine.open, op, &Open::op);
  const RequestId id = found->id;
  mine.open.erase(found);
  return id;
}

// A send whose end alone is waited for next; one that is waited for with the receive above it; any other.
enum class Sent : std::uint8_t { alone, exchanged, immediately };
Sent way(Player& mine, std::uint32_t send) {
  if (mine.open.empty()) return Sent::alone;
  mine.open.push_back({described::none, send});
  const Awaited next = awaited(mine);
  mine.open.pop_back();
  if (next.are({send})) return Sent::alone;
  const bool exchanged = send > 0 && mine.its.ops[send - 1].kind == Kind::recv && next.are({send, send - 1});
  return exchanged ? Sent::exchanged : Sent::immediately;
}

ranks::Task run(Player& mine) {
  World& world = mine.world;
  while (!mine.progress.over()) {
    if (may_come_first(mine)) {
      co_await Later{world};
      pass_over(mine);
    }
    if (mine.progress.ready()) {
      const std::uint32_t number = mine.progress.take();
      const Op& op = mine.its.ops[number];
      mine.progress.started(number);
      if (op.kind == Kind::recv) {
        const RequestId request = world.post(mine.rank, nullptr, op.size, op.peer, op.tag);
        if (world.complete(request)) {
          world.finish(request);
          mine.progress.ended(number);
        } else {
          opens(mine, request, number);
        }
      } else if (op.kind == Kind::calc) {
        if (op.size == 0) co_await Later{world};
        co_await Simulated::Compute{world, mine.rank, {static_cast<double>(op.size) * 1e-9, 0, 0}};
        mine.progress.ended(number);
      } else {
        const Sent how = mine.progress.ready() ? Sent::immediately : way(mine, number);
        if (how == Sent::alone) {
          co_await Simulated::Send{world, nullptr, op.size, mine.rank, op.peer, op.tag, false};
          mine.progress.ended(number);
        } else if (how == Sent::exchanged) {
          const RequestId with = take(mine, number - 1);
          const auto sent = world.sendrecv(mine.rank, nullptr, op.size, op.peer, op.tag, with);
          co_await Simulated::Sendrecv{world, sent, with, 0};
          mine.progress.ended(number);
          mine.progress.ended(number - 1);
        } else {
          Simulated::Isend send{world, nullptr, op.size, mine.rank, op.peer, op.tag};
          const auto request = co_await send;
          opens(mine, request.id, number);
        }
      }
    } else {
      const Awaited next = awaited(mine);
      if (next.all) {
        for (const Open& each : next.of) {
          co_await Simulated::WaitSent{{world, take(mine, each.op), described::Call::wait, 0}};
          mine.progress.ended(each.op);
        }
      } else {
        First first{mine, next.of};
        const std::uint32_t over = next.of[co_await first].op;
        world.finish(take(mine, over));
        mine.progress.ended(over);
      }
    }
  }
  mine.end = world.now();
}
}  // namespace

Played play(const Schedule& schedule, const described::MachineParameters& machine) {
  const auto model = described::model_of(machine);
  const int count = static_cast<int>(schedule.ranks.size());
  if (model->nodes() > 0 && count > model->nodes())
    throw timing::InputFault("has more ranks than the machine has room for; got " + std::to_string(count) +
                             ", expected 1 to " + std::to_string(model->nodes()));
  const described::FrameArena arena;  // outlives the ranks' coroutines
  std::vector<Player> players;
  players.reserve(schedule.ranks.size());
  World world(count, *model);
  described::furnish(world, machine);
  for (int rank = 0; rank < count; ++rank) {
    const RankOps& its = schedule.ranks[static_cast<std::size_t>(rank)];
    players.push_back({world, rank, its, Progress(its), {}});
    world.start(rank, run(players.back()));
  }
  Played played;
  played.waiting = world.run();
  if (!played.waiting.empty())
    if (const std::string stuck = model->stuck(); !stuck.empty()) throw timing::MeasurementFault(stuck);
  played.events = world.events();
  for (const Player& each : players) played.makespan = std::max(played.makespan, each.end);
  if (!played.waiting.empty()) played.makespan = world.now();
  return played;
}

}  // namespace assay::goal
