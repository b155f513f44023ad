#include "ranks/play.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "events/stop.hpp"
#include "ranks/constant.hpp"
#include "ranks/frames.hpp"
#include "ranks/machine_parameters.hpp"
#include "ranks/networked.hpp"
#include "ranks/playing.hpp"
#include "timing/launch.hpp"

namespace assay::described {
namespace {

constexpr std::size_t most_places = 1024;  // ranks whose placement is listed
constexpr std::size_t most_waiting = 64;

const std::string& word(const Description& machine, const std::string& key) {
  return std::get<std::string>(machine.at(key).held);
}
}  // namespace

std::unique_ptr<MessageModel> model_of(const Description& description) {
  MachineParameters machine = read_machine(description);
  if (const auto network = description.find("network"); network != description.end()) {
    const bool passing = machine.forward > 0 || machine.forward_byte > 0;
    auto live = network::make_live(std::get<network::Table>(network->second.held), passing);
    return std::make_unique<Networked>(std::move(machine), std::move(live));
  }
  return std::make_unique<Constant>(machine);
}

namespace {
// Where a message's time went, on the average of the messages since the last block; `block` is that event's line.
timing::Json where_json(const Where& where, const std::string& block) {
  const auto from = block.find("\"case\":") + 7;
  const std::string label = block.substr(from, block.find(",\"metric\"") - from);
  const double n = static_cast<double>(std::max<std::uint64_t>(1, where.messages)) * picoseconds_a_second;
  return timing::Json()
      .text("event", "where")
      .raw("case", label)
      .integer("messages", static_cast<std::int64_t>(where.messages))
      .number("startup", static_cast<double>(where.startup) / n)
      .number("copying", static_cast<double>(where.copying) / n)
      .number("waiting", static_cast<double>(where.waiting) / n)
      .number("transport", static_cast<double>(where.transport) / n)
      .number("protocol", static_cast<double>(where.protocol) / n);
}

}  // namespace

std::string lines_of(const timing::Json& event, MessageModel& model) {
  const std::string line = event.str();
  std::string lines = line + "\n";
  if (const Where* where = model.where()) {
    if (line.starts_with("{\"event\":\"block\"")) lines += where_json(*where, line).str() + "\n";
    model.forget_where();
  }
  return lines;
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

timing::Json deadlock_event(const std::vector<Waiting>& waiting, Time now) {
  std::string list;
  for (std::size_t i = 0; i < std::min(waiting.size(), most_waiting); ++i) {
    const Waiting& each = waiting[i];
    timing::Json json;
    json.integer("rank", each.rank).text("call", each.call);
    each.peer < 0 ? json.null("peer") : json.integer("peer", each.peer);
    list += (list.empty() ? "" : ",") + json.integer("tag", each.tag).str();
  }
  timing::Json json;
  json.text("event", "deadlock").number("t", static_cast<double>(now) / picoseconds_a_second);
  return json.raw("waiting", "[" + list + "]").integer("count", static_cast<std::int64_t>(waiting.size()));
}

namespace {
// The network's nodes that the I/O nodes are at: as the description says, or spread evenly.
std::vector<std::uint32_t> places_of(const storage::StorageParameters& storage, int nodes) {
  std::vector<std::uint32_t> found = storage.nodes;
  for (auto each = static_cast<std::uint64_t>(found.size()); each < storage.io_nodes; ++each)
    found.push_back(static_cast<std::uint32_t>(each * static_cast<std::uint64_t>(nodes) / storage.io_nodes));
  return found;
}

std::vector<Program>& all_programs() {
  static std::vector<Program> all = programs();
  return all;
}
}  // namespace

const Program& program_named(const std::string& name) {
  for (const Program& program : all_programs())
    if (timing::name_of(program.record) == name) return program;
  throw timing::InputFault("no rank program '" + name + "'");
}

// The first of the tables that a program `needs` and that a machine with a network lacks, as a person would write it:
// what the benchmark measures is not described then. `forwarding` is needed where nodes store and forward.
std::string undescribed(const std::vector<std::string>& needs, const Description& machine) {
  static const std::map<std::string, std::string> written = {
      {"self", "[[self]], what a message within a node takes"},
      {"host", "[[host]], what a message between host and node takes"},
      {"forced", "[forced], what a message takes whose receive is known to be posted"},
      {"storage", "[storage], what its I/O nodes and disks take"},
      {"progress", "[progress], how a node answers while its program computes"},
      {"forwarding", "[node.forwarding], what a message that passes takes of a node's processor"}};
  const auto network = machine.find("network");
  const auto inside = [](const Description& table, const std::string& key) -> const network::Value* {
    const auto found = table.find(key);
    return found == table.end() || found->second.absent() ? nullptr : &found->second;
  };
  for (const std::string& each : needs) {
    const network::Value* there = inside(machine, each);
    if (network == machine.end() && each != "storage") continue;  // a machine without a network has none of the others
    if (each == "forwarding") {
      const auto* how = inside(std::get<network::Table>(network->second.held), "switching");
      if (!how || std::get<std::string>(how->held) != "store-and-forward") continue;
      const auto* node = inside(machine, "node");
      there = node ? inside(std::get<network::Table>(node->held), "forwarding") : nullptr;
    }
    const auto* list = there ? std::get_if<network::Value::List>(&there->held) : nullptr;
    if (!there || (list && list->empty())) return written.contains(each) ? written.at(each) : each;
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

std::optional<storage::StorageParameters> storage_of(const Description& machine) {
  const auto found = machine.find("storage");
  if (found == machine.end() || found->second.absent()) return std::nullopt;
  return storage::read_storage(std::get<network::Table>(found->second.held));
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

void load(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  using Describe = void(Program*);
  auto* const describe = handle ? reinterpret_cast<Describe*>(dlsym(handle, "assay_program")) : nullptr;
  if (!describe) throw timing::InputFault(library + ": no program: " + dlerror());
  Program made;
  describe(&made);
  all_programs().push_back(made);
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const Program& program : all_programs()) names.push_back(timing::name_of(program.record));
  std::ranges::sort(names);
  return names;
}

int room(const Description& machine) {
  const MachineParameters read = read_machine(machine);
  const auto network = machine.find("network");
  if (network == machine.end()) return read.nodes;
  return static_cast<int>(network::live_nodes(std::get<network::Table>(network->second.held))) * read.processors;
}

std::string play(const std::string& name, const Description& machine, int count,
                 const std::vector<std::string>& arguments, Log* log, Recorder* recorder) {
  const Program& program = program_named(name);
  const auto model = model_of(machine);
  if (count < 1) throw timing::InputFault("ranks: " + std::to_string(count) + "; expected 1 or more");
  if (model->nodes() > 0 && count > model->nodes()) {
    const int on_each = machine.contains("network") ? read_machine(machine).processors : 1,
              nodes = model->nodes() / on_each;
    throw timing::InputFault("-n: more ranks than there is room for; got " + std::to_string(count) +
                             "; expected 1 to " + std::to_string(model->nodes()) + ": " + std::to_string(nodes) +
                             " nodes, " + std::to_string(on_each) + (on_each == 1 ? " rank" : " ranks") + " on each");
  }
  const timing::Options options = options_of(program, arguments);
  const double began = timing::unix_time();
  std::string lines = launch_event(name, options, word(machine, "name"), count, began).str() + "\n";
  const auto sink = [&](const timing::Json& event) { lines += lines_of(event, *model); };
  ranks::Session session(options, sink, true, 0, 0);
  session.began = began;
  const auto skipped = [&](const std::string& what) {
    session.skip("not described by " + word(machine, "name") + ": " + what);
    return lines + timing::Json().text("event", "done").str() + "\n";
  };
  if (const std::string table = undescribed(options.needs, machine); !table.empty()) return skipped(table);
  const FrameArena arena;  // outlives the ranks' coroutines
  const bool hosted = options.host && model->has_host();
  MachineParameters read = read_machine(machine);
  const auto storing = storage_of(machine);
  const int servers = storing ? static_cast<int>(storing->io_nodes) : 0;
  World world(count + (hosted ? 1 : 0) + servers, *model);
  std::unique_ptr<FileSystem> files;
  if (storing) files = file_system(world, *model, *storing, read.processors);
  if (hosted) {
    model->host_is(count);
    world.last_is_host();
  }
  world.log(log);
  world.recorder(recorder);
  furnish(world, std::move(read));
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
  lines += (waiting.empty() ? timing::Json().text("event", "done") : deadlock_event(waiting, world.now())).str() + "\n";
  return lines;
}

}  // namespace assay::described
