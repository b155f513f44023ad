// Each rank plays its operations with one processor: what may begin begins in the file's order; receives are posted,
// sends and computing take the processor for their time. With nothing to begin it waits: in order, where all that is
// under way is waited for by the same operations, and else for whatever comes first.
#include <algorithm>

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
  described::Time end = 0;
};

struct First {
  Player& player;
  std::size_t place = 0;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    std::vector<RequestId> ids;
    for (const Open& each : player.open) ids.push_back(each.id);
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

bool all_alike(const Player& player) {
  const Lists& lists = player.its.on_end;
  const auto first = player.open.front().op;
  return std::ranges::all_of(player.open, [&](const Open& each) {
    return std::equal(lists.begin(first), lists.end(first), lists.begin(each.op), lists.end(each.op));
  });
}

ranks::Task run(Player& mine) {
  World& world = mine.world;
  while (!mine.progress.over()) {
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
          mine.open.push_back({request, number});
        }
      } else if (op.kind == Kind::calc) {
        co_await Simulated::Compute{world, mine.rank, {static_cast<double>(op.size) * 1e-9, 0, 0}};
        mine.progress.ended(number);
        if (!mine.open.empty()) {
          co_await Later{world};
          pass_over(mine);
        }
      } else if (mine.open.empty() && !mine.progress.ready()) {
        co_await Simulated::Send{world, nullptr, op.size, mine.rank, op.peer, op.tag, false};
        mine.progress.ended(number);
      } else {
        Simulated::Isend send{world, nullptr, op.size, mine.rank, op.peer, op.tag};
        const auto request = co_await send;
        mine.open.push_back({request.id, number});
        if (mine.progress.ready()) {
          co_await Later{world};
          pass_over(mine);
        }
      }
    } else if (all_alike(mine)) {
      if (mine.open.size() == 2 && mine.its.ops[mine.open[1].op].kind == Kind::send)
        std::swap(mine.open[0], mine.open[1]);  // as a sendrecv waits
      for (const Open& each : mine.open) {
        co_await Simulated::WaitSent{{world, each.id, described::Call::wait, 0}};
      }
      for (const Open& each : std::exchange(mine.open, {})) mine.progress.ended(each.op);
    } else {
      const std::size_t place = co_await First{mine};
      const Open over = mine.open[place];
      mine.open.erase(mine.open.begin() + static_cast<std::ptrdiff_t>(place));
      world.finish(over.id);
      mine.progress.ended(over.op);
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
