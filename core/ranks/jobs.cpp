#include "ranks/jobs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ranks/playing.hpp"

namespace assay::described {

struct Jobs::Tenant {
  Tenant(Jobs& all, std::size_t its_number, timing::Options options)
      : jobs(all),
        number(its_number),
        session(std::move(options), [this](const ranks::Event& event) { write(event); }, true, 0, 0) {}
  // The model counts the messages of all jobs: of one that had the machine to itself they are its own.
  void write(const ranks::Event& event) {
    seen.launch.add(event, jobs.tenants_.size() == 1 ? jobs.model_.get() : nullptr);
  }

  Jobs& jobs;
  std::size_t number;
  Job seen;
  ranks::Session session;
  std::deque<Simulated> ranks;
  GroupId group = 0;
  int left = 0;  // ranks that have not ended
};

namespace {
Time cycle_of(const MachineParameters& machine) {
  constexpr Time without_network = 1000;  // 1 ns
  return machine.tick > 0 ? std::max<Time>(1, std::llround(machine.tick)) : without_network;
}
double seconds(Time time) { return static_cast<double>(time) / picoseconds_a_second; }
}  // namespace

Jobs::Jobs(MachineParameters machine, Log* log)
    : machine_(std::move(machine)), model_(model_of(machine_)), cycle_(cycle_of(machine_)) {
  if (model_->nodes() == 0)
    throw timing::InputFault(machine_.name + " does not say how many nodes it has, on which jobs could be");
  World::ShortCuts shorter;
  shorter.near = std::numeric_limits<std::size_t>::max();
  const auto& storing = machine_.storage;
  const int servers = storing ? static_cast<int>(storing->io_nodes) : 0;
  world_ = std::make_unique<World>(model_->nodes() + servers, *model_, shorter);
  world_->hold_programs();
  world_->log(log);
  if (storing) files_ = file_system(*world_, *model_, *storing, machine_.processors);
  furnish(*world_, machine_);
  if (files_) serve(*world_, *files_);
}
Jobs::~Jobs() = default;

int Jobs::nodes() const { return model_->nodes() / machine_.processors; }

// A rank of a job: its program, and what is to happen at its end.
ranks::Task Jobs::occupy(Tenant& tenant, ranks::Task program) {
  bool failed = true;
  // The first failure is the job's, with its kind.
  const auto fails = [&seen = tenant.seen](const char* why, bool Job::* kind = nullptr) {
    if (!seen.failure.empty()) return;
    seen.failure = why;
    if (kind != nullptr) seen.*kind = true;
  };
  try {
    co_await program;
    failed = false;
  } catch (const timing::InputFault& fault) {
    fails(fault.what(), &Job::input);
  } catch (const NotDescribed& missing) {
    fails(missing.what(), &Job::undescribed);
  } catch (const std::exception& failure) {
    fails(failure.what());
  }
  if (!failed && --tenant.left > 0) co_return;
  if (tenant.seen.ended != never) co_return;
  tenant.seen.ended = world_->now();
  over_.push_back(tenant.number);
  world_->halt();
}

std::size_t Jobs::begin(const std::string& name, const std::vector<std::string>& arguments,
                        const std::vector<int>& places) {
  const Program program = program_named(name);
  const timing::Options options = options_of(program, arguments);
  if (places.empty()) throw timing::InputFault(name + ": a job without ranks; expected 1 or more");
  if (options.host && model_->has_host())
    throw timing::InputFault(name + " uses the host processor of " + machine_.name + ", which no job has to itself");
  if (const std::string table = undescribed(options.needs, machine_); !table.empty())
    throw timing::InputFault(name + ": not described by " + machine_.name + ": " + table);
  const Time at = (world_->now() + cycle_ - 1) / cycle_ * cycle_;
  while (world_->now() < at) advance(at);
  Tenant& tenant = tenants_.emplace_back(*this, tenants_.size(), options);
  try {
    tenant.group = world_->enter(places);
  } catch (const std::invalid_argument& taken) {
    tenants_.pop_back();
    throw timing::InputFault(name + ": " + taken.what());
  }
  tenant.seen.begun = at;
  tenant.left = static_cast<int>(places.size());
  tenant.session.began = seconds(at);
  tenant.seen.launch.add(launch_event(name, options, machine_.name, tenant.left, seconds(at)));
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    Simulated& comm = tenant.ranks.emplace_back(*world_, Groups::Place{tenant.group, rank});
    world_->start_at(at, places[static_cast<std::size_t>(rank)], occupy(tenant, program.run(comm, tenant.session)));
  }
  return tenant.number;
}

bool Jobs::advance(Time until) {
  const bool more = world_->advance(until);
  const bool some = !over_.empty();
  for (const std::size_t number : std::exchange(over_, {})) {
    Tenant& tenant = tenants_[number];
    leave(tenant, !tenant.seen.failure.empty() ? State::failed
                  : tenant.session.passed()    ? State::completed
                                               : State::wrong);
  }
  if (!some && !more && until >= never - 1)
    if (const std::string stuck = model_->stuck(); !stuck.empty()) throw timing::MeasurementFault(stuck);
  return more;
}

std::vector<std::size_t> Jobs::ended() { return std::exchange(ended_, {}); }

void Jobs::end(std::size_t number) {
  if (number >= tenants_.size() || tenants_[number].seen.state != State::running)
    throw timing::InputFault("job " + std::to_string(number) + " does not run");
  Tenant& tenant = tenants_[number];
  tenant.seen.ended = world_->now();
  leave(tenant, world_->stuck(tenant.group) ? State::deadlock : State::ended);
}

void Jobs::leave(Tenant& tenant, State state) {
  tenant.seen.state = state;
  std::vector<Waiting> waiting;
  if (state == State::deadlock) waiting = world_->waiting(tenant.group);
  world_->leave(tenant.group);
  if (state == State::deadlock || state == State::completed || state == State::wrong)
    tenant.seen.launch.end(std::move(waiting), tenant.seen.ended);
  ended_.push_back(tenant.number);
}

const Jobs::Job& Jobs::job(std::size_t job) const { return tenants_.at(job).seen; }

}  // namespace assay::described
