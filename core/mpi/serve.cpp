#include "mpi/serve.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "mpi/pump.hpp"
#include "ranks/frames.hpp"
#include "ranks/playing.hpp"

namespace assay::mpirun {

Served serve(OwnedSegment& segment, const described::MachineParameters& machine, const std::vector<int>& places,
             const std::function<bool()>& alive, described::Log* log, bool traced) {
  const auto model = described::model_of(machine);
  const int ranks = segment.ranks(), most = *std::ranges::max_element(places) + 1;
  if (model->nodes() > 0 && most > model->nodes())
    throw timing::InputFault("-n: more ranks than there is room for; got " + std::to_string(ranks) +
                             ", expected 1 to " + std::to_string(model->nodes()));
  const described::FrameArena arena;  // outlives the pumps
  described::World world(most, *model);
  described::furnish(world, machine);
  world.log(log);
  world.index_queues();
  std::snprintf(segment.header().personality, sizeof segment.header().personality, "%s",
                machine.mpi.empty() ? "mpich-3" : machine.mpi.c_str());
  Served served;
  const bool describes_ready = !machine.network || !machine.ready.empty();
  std::optional<Trace> trace;
  if (traced) trace.emplace(ranks, describes_ready, model->keeps_order());
  Program program(segment, world, places, alive, describes_ready, served, trace ? &*trace : nullptr);
  for (int rank = 0; rank < ranks && !program.failed(); ++rank)
    world.start(places[static_cast<std::size_t>(rank)], program.pump(rank));
  try {
    served.waiting = world.run();
    program.rethrow();
  } catch (const Ended&) {  // `served` says how
    served.waiting.clear();
  }
  served.makespan = served.waiting.empty() ? program.finished() : world.now();
  program.name_calls();
  if (trace && served.waiting.empty() && served.failure.empty()) {
    served.unlike = trace->unlike();
    served.lacks = trace->lacks();
    if (served.lacks.empty()) served.goal = trace->text();
  }
  served.events = world.events();
  served.messages = world.messages();
  return served;
}

}  // namespace assay::mpirun
