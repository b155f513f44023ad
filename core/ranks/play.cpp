#include "ranks/play.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "events/stop.hpp"
#include "network/fields.hpp"
#include "ranks/constant.hpp"
#include "ranks/frames.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/networked.hpp"
#include "ranks/playing.hpp"
#include "timing/launch.hpp"

namespace assay::described {
namespace {

constexpr std::size_t most_places = 1024;  // ranks whose placement is listed
}  // namespace

std::unique_ptr<MessageModel> model_of(const MachineParameters& machine) {
  if (!machine.network) return std::make_unique<Constant>(machine);
  const bool passing = machine.forward > 0 || machine.forward_byte > 0;
  return std::make_unique<Networked>(machine, network::make_live(*machine.network, passing));
}

timing::Json launch_event(const std::string& program, const timing::Options& options, const std::string& host,
                          int ranks, double now) {
  std::string places;
  for (int rank = 0; rank < ranks && rank < static_cast<int>(most_places); ++rank) {
    const auto place = timing::Json().integer("rank", rank).text("host", host).integer("pid", 0).raw("cpus", "[]");
    auto all = timing::Json(place).integer("cpu", 0).integer("cores", 0).integer("sockets", 0).integer("threads", 0);
    places += (places.empty() ? "" : ",") + all.str();
  }
  timing::Json json;
  json.text("event", "launch").integer("version", timing::launch_version).text("program", program);
  json.integer("launch", options.launch);
  json.integer("seed", static_cast<std::int64_t>(options.seed)).number("t", now).integer("ranks", ranks);
  json.raw("placement", "[" + places + "]")
      .raw("hosts", "[]")
      .text("transport", "described")
      .text("compiler", timing::compiler_name());
  json.text("flags", "").null("library");
  return json.object("clock",
                     timing::Json().text("name", "simulated").number("resolution", 1e-12).number("overhead", 0));
}

namespace {
// The network's nodes that the I/O nodes are at: as the description says, or spread evenly.
std::vector<std::uint32_t> places_of(const storage::StorageParameters& storage, int nodes) {
  std::vector<std::uint32_t> found = storage.nodes;
  for (auto each = static_cast<std::uint64_t>(found.size()); each < storage.io_nodes; ++each)
    found.push_back(static_cast<std::uint32_t>(each * static_cast<std::uint64_t>(nodes) / storage.io_nodes));
  return found;
}

// load() adds to them while other threads play, for play() runs without Python's lock: every access takes `access`,
// and what leaves it is a copy.
struct Programs {
  std::mutex access;
  std::vector<Program> all = programs();
};
Programs& known() {
  static Programs every;
  return every;
}
}  // namespace

Program program_named(const std::string& name) {
  Programs& every = known();
  const std::lock_guard locked(every.access);
  for (const Program& program : every.all)
    if (timing::name_of(program.record) == name) return program;
  throw timing::InputFault("no rank program '" + name + "'");
}

namespace {
// Whether a machine with a network says what a program `needs`: a table of the description.
bool says(const MachineParameters& machine, const std::string& need) {
  if (need == "self") return !machine.self.empty();
  if (need == "host") return !machine.host.empty();
  if (need == "forced") return !machine.ready.empty();
  if (need == "storage") return machine.storage.has_value();
  if (need == "progress") return machine.says_progress;
  if (need != "forwarding") return false;
  const bool stores = network::Fields(*machine.network, "network").text("switching") == "store-and-forward";
  return !stores || machine.says_forwarding;
}
}  // namespace

// The first of the tables that a program `needs` and that a machine with a network lacks, as a person would write it:
// what the benchmark measures is not described then. `forwarding` is needed where nodes store and forward.
std::string undescribed(const std::vector<std::string>& needs, const MachineParameters& machine) {
  static const std::map<std::string, std::string> written = {
      {"self", "[[self]], what a message within a node takes"},
      {"host", "[[host]], what a message between host and node takes"},
      {"forced", "[forced], what a message takes whose receive is known to be posted"},
      {"storage", "[storage], what its I/O nodes and disks take"},
      {"progress", "[progress], how a node answers while its program computes"},
      {"forwarding", "[node.forwarding], what a message that passes takes of a node's processor"}};
  for (const std::string& each : needs) {
    if (!machine.network && each != "storage") continue;  // a machine without a network has none of the others
    if (!says(machine, each)) return written.contains(each) ? written.at(each) : each;
  }
  return "";
}

timing::Options options_of(const Program& program, const std::vector<std::string>& arguments) {
  const std::string name = timing::name_of(program.record);
  std::vector<const char*> words{name.c_str()};
  for (const auto& each : arguments) words.push_back(each.c_str());
  timing::Options options = timing::parse_options(static_cast<int>(words.size()), words.data());
  if (options.metrics.empty()) throw timing::InputFault(timing::unresolved(program.record));
  return options;
}

void furnish(World& world, MachineParameters machine) {
  world.clock_tick(machine.clock_tick);
  world.noise(std::move(machine.noise));
  world.costs(std::move(machine.costs), machine.processors);
  world.library(std::move(machine.mpi));
}

std::unique_ptr<FileSystem> file_system(World& world, MessageModel& model, const storage::StorageParameters& storage,
                                        int processors) {
  world.last_are_servers(static_cast<int>(storage.io_nodes));
  model.servers_are(world.ranks(), places_of(storage, model.nodes() / processors));
  auto files = std::make_unique<FileSystem>(world, storage, world.ranks());
  world.files(files.get());
  return files;
}
void serve(World& world, FileSystem& files) {
  for (int server = 0; server < files.io_nodes(); ++server) world.start(world.ranks() + server, files.serve(server));
}

void add(const Program& program) {
  Programs& every = known();
  const std::lock_guard locked(every.access);
  every.all.push_back(program);
}

void load(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  using Describe = void(Program*);
  auto* const describe = handle ? reinterpret_cast<Describe*>(dlsym(handle, "assay_program")) : nullptr;
  if (!describe) throw timing::InputFault(library + ": no program: " + dlerror());
  Program made;
  describe(&made);
  add(made);
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  Programs& every = known();
  const std::lock_guard locked(every.access);
  for (const Program& program : every.all) names.push_back(timing::name_of(program.record));
  std::ranges::sort(names);
  return names;
}

int room(const MachineParameters& machine) {
  if (!machine.network) return machine.nodes;
  return static_cast<int>(network::live_nodes(*machine.network)) * machine.processors;
}

Launch play(const std::string& name, const MachineParameters& machine, int count,
            const std::vector<std::string>& arguments, Log* log, Recorder* recorder) {
  const Program program = program_named(name);
  const auto model = model_of(machine);
  if (count < 1) throw timing::InputFault("ranks: " + std::to_string(count) + "; expected 1 or more");
  if (model->nodes() > 0 && count > model->nodes()) {
    const int on_each = machine.network ? machine.processors : 1, nodes = model->nodes() / on_each;
    throw timing::InputFault("-n: more ranks than there is room for; got " + std::to_string(count) +
                             ", expected 1 to " + std::to_string(model->nodes()) + ": " + std::to_string(nodes) +
                             " nodes, " + std::to_string(on_each) + (on_each == 1 ? " rank" : " ranks") + " on each");
  }
  const timing::Options options = options_of(program, arguments);
  const double began = timing::unix_time();
  Launch launch;
  launch.add(launch_event(name, options, machine.name, count, began));
  ranks::Session session(options, [&](const ranks::Event& event) { launch.add(event, model.get()); }, true, 0, 0);
  session.began = began;
  const auto skipped = [&](const std::string& what) {
    session.skip("not described by " + machine.name + ": " + what);
    launch.end({}, 0);
    return std::move(launch);
  };
  if (const std::string table = undescribed(options.needs, machine); !table.empty()) return skipped(table);
  const FrameArena arena;  // outlives the ranks' coroutines
  const bool hosted = options.host && model->has_host();
  const int servers = machine.storage ? static_cast<int>(machine.storage->io_nodes) : 0;
  World world(count + (hosted ? 1 : 0) + servers, *model);
  std::unique_ptr<FileSystem> files;
  if (machine.storage) files = file_system(world, *model, *machine.storage, machine.processors);
  if (hosted) {
    model->host_is(count);
    world.last_is_host();
  }
  world.log(log);
  world.recorder(recorder);
  furnish(world, machine);
  events::Steps steps;
  std::uint32_t left = steps.next();
  for (int rank = 0; rank < world.ranks(); ++rank) {
    world.start(rank, program.run(*new (world.beside(rank)) Simulated(world, rank), session));
    if (--left == 0) left = steps.next();
  }
  if (files) serve(world, *files);
  std::vector<Waiting> waiting;
  try {
    waiting = world.run();
  } catch (const NotDescribed& missing) {
    return skipped(missing.what());
  }
  if (!waiting.empty())
    if (const std::string stuck = model->stuck(); !stuck.empty()) throw timing::MeasurementFault(stuck);
  launch.end(std::move(waiting), world.now());
  return launch;
}

}  // namespace assay::described
