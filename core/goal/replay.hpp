// A GOAL schedule on a described machine, and what LogGOPS says of the same.
#pragma once

#include <vector>

#include "goal/schedule.hpp"
#include "ranks/play.hpp"
#include "ranks/world.hpp"

namespace assay::goal {

struct Played {
  described::Time makespan = 0;             // until the last rank has ended
  std::vector<described::Waiting> waiting;  // who waits for whom, where they do for ever
  std::uint64_t events = 0;
};
// timing::InputFault where the machine has not so many ranks.
Played play(const Schedule& schedule, const described::MachineParameters& machine);

// The same by LogGOPS (Hoefler, Schneider and Lumsdaine, 2010), without a network in which messages meet: a send takes
// the sender's processor for o and its interface for nG, L later the receiver's interface is taken for nG, then its
// processor for o. L, o and nG are what one message of n bytes alone takes on the empty machine.
described::Time first_order(const Schedule& schedule, const described::MachineParameters& machine);

}  // namespace assay::goal
