// What simulating one program on a described machine (play.cpp) and several at a time (jobs.cpp) have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ranks/file_system.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/registry.hpp"
#include "ranks/world.hpp"
#include "timing/options.hpp"
#include "timing/output.hpp"

namespace assay::described {

// A program that is compiled in or was added; InputFault where there is none. Safe in any thread, as add() is.
Program program_named(const std::string& name);
// Adds a program, at any time; its record must last as long as the process.
void add(const Program& program);
// InputFault for what no program takes, and where nothing was resolved against the program's record.
timing::Options options_of(const Program& program, const std::vector<std::string>& arguments);
std::unique_ptr<MessageModel> model_of(const MachineParameters& machine);
// What of the tables that a program `needs` a machine lacks, as a person would write it; nothing where it has all.
std::string undescribed(const std::vector<std::string>& needs, const MachineParameters& machine);
// Clock, noise, costs of computing and the MPI library.
void furnish(World& world, MachineParameters machine);
// The world's file system: its I/O nodes are the world's last ranks, and the model is to know where they are. They do
// nothing before serve().
std::unique_ptr<FileSystem> file_system(World& world, MessageModel& model, const storage::StorageParameters& storage,
                                        int processors);
void serve(World& world, FileSystem& files);

// The first event of a launch on the machine `host`, at the time `now` (s).
timing::Json launch_event(const std::string& program, const timing::Options& options, const std::string& host,
                          int ranks, double now);

}  // namespace assay::described
