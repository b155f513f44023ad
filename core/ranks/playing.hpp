// What simulating one program on a described machine (play.cpp) and several at a time (jobs.cpp) have in common.
#pragma once

#include <memory>
#include <optional>
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
std::unique_ptr<MessageModel> model_of(const Description& machine);
// What of the tables that a program `needs` a machine lacks, as a person would write it; nothing where it has all.
std::string undescribed(const std::vector<std::string>& needs, const Description& machine);
// Clock, noise, costs of computing and the MPI library.
void furnish(World& world, MachineParameters machine);
// What the machine's files lie on, where it has any.
std::optional<storage::StorageParameters> storage_of(const Description& machine);
// The world's file system: its I/O nodes are the world's last ranks, and the model is to know where they are. They do
// nothing before serve().
std::unique_ptr<FileSystem> file_system(World& world, MessageModel& model, const storage::StorageParameters& storage,
                                        int processors);
void serve(World& world, FileSystem& files);

// Events of a launch on the machine `host`: its first, at the time `now` (s), and that of a deadlock.
timing::Json launch_event(const std::string& program, const timing::Options& options, const std::string& host,
                          int ranks, double now);
timing::Json deadlock_event(const std::vector<Waiting>& waiting, Time now);
// An event's line; behind that of a block, where the time of its messages went, if the model counts that. What the
// model has counted is forgotten: it begins anew behind each event.
std::string lines_of(const timing::Json& event, MessageModel& model);

}  // namespace assay::described
