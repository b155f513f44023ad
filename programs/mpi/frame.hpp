// What every message-passing program on MPI does around its own part: options, the host's process, the launch's facts,
// the deadline, the done event, and how it ends. Compiled once for all programs; only main.cpp is each one's own.
#pragma once

#include <mpi.h>

#include <functional>
#include <string_view>

#include "mpi/communicator.hpp"
#include "ranks/session.hpp"
#include "timing/launch.hpp"

namespace assay::mpi {

// The program's own part on this rank.
using Part = std::function<void(ranks::Session& session)>;

// Runs a part on a communicator, between the launch event and the done event; returns the exit status.
using Measure = std::function<int(Communicator& comm, const Part& part)>;

// Makes of `all` ranks the communicator that the program needs and measures on it; `host`: which rank is the launching
// process, or -1.
using On = int (*)(MPI_Comm all, int host, const Measure& measure);

// main() of a program: 0, 1 where a check or the run failed, 2 where the input was refused. Options are those of every
// program and --deadline SECONDS: a job that is not done by then says on standard error which benchmark it was and what
// each rank was waiting for, and ends with status 1. Only rank 0 writes samples.
// `flags` are those that the program was compiled with, which may be more than the frame's.
int frame(int argc, char** argv, std::string_view record, On on, std::string_view flags = ASSAY_FLAGS);

}  // namespace assay::mpi
