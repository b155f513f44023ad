#include "ranks/play.hpp"

#include <algorithm>
#include <memory>

#include "ranks/constant.hpp"
#include "ranks/registry.hpp"
#include "timing/launch.hpp"

namespace assay::described {
namespace {

constexpr std::size_t most_places = 1024;  // ranks whose placement is listed
constexpr std::size_t most_waiting = 64;

const std::string& word(const Description& machine, const std::string& key) {
  return std::get<std::string>(machine.at(key));
}
double number(const Description& machine, const std::string& key, double otherwise) {
  const auto found = machine.find(key);
  return found == machine.end() ? otherwise : std::get<double>(found->second);
}

std::unique_ptr<MessageModel> model_of(const Description& machine) {
  return std::make_unique<Constant>(number(machine, "messages.startup", 0), number(machine, "messages.per_byte", 0),
                                    static_cast<int>(number(machine, "nodes", 0)));
}

timing::Json launch(const timing::Record& record, const timing::Options& options, const std::string& host, int ranks,
                    double now) {
  std::string places;
  for (int rank = 0; rank < ranks && rank < static_cast<int>(most_places); ++rank) {
    const auto place = timing::Json().integer("rank", rank).text("host", host).integer("pid", 0).raw("cpus", "[]");
    places += (places.empty() ? "" : ",") + timing::Json(place).integer("cpu", 0).str();
  }
  timing::Json json;
  json.text("event", "launch").text("program", record.top().text("name")).integer("launch", options.launch);
  json.integer("seed", static_cast<std::int64_t>(options.seed)).number("t", now).integer("ranks", ranks);
  json.raw("placement", "[" + places + "]").text("transport", "described").text("compiler", timing::compiler_name());
  json.text("flags", "").null("library");
  return json.object("clock",
                     timing::Json().text("name", "simulated").number("resolution", 1e-12).number("overhead", 0));
}

timing::Json deadlock(const std::vector<Waiting>& waiting, Time now) {
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

}  // namespace

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const Program& program : programs()) names.push_back(timing::parse_record(program.record).top().text("name"));
  std::ranges::sort(names);
  return names;
}

std::string play(const std::string& name, const Description& machine, int count,
                 const std::vector<std::string>& arguments) {
  for (const Program& program : programs()) {
    const timing::Record record = timing::parse_record(program.record);
    if (record.top().text("name") != name) continue;
    std::vector<const char*> words{name.c_str()};
    for (const auto& each : arguments) words.push_back(each.c_str());
    const timing::Options options = timing::parse_options(record, static_cast<int>(words.size()), words.data(), true);

    const auto model = model_of(machine);
    if (count < 1) throw timing::InputFault("ranks: " + std::to_string(count) + "; accepted: 1 or more");
    if (model->nodes() > 0 && count > model->nodes()) {
      throw timing::InputFault(word(machine, "name") + " has " + std::to_string(model->nodes()) +
                               " nodes; ranks asked for: " + std::to_string(count));
    }
    const double began = timing::unix_time();
    std::string lines = launch(record, options, word(machine, "name"), count, began).str() + "\n";
    ranks::Session session(options, [&](const timing::Json& event) { lines += event.str() + "\n"; }, true, 0, 0);
    session.began = began;
    World world(count, *model);
    std::vector<Simulated> communicators;
    communicators.reserve(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
      world.start(rank, program.run(communicators.emplace_back(world, rank), session));
    }
    const std::vector<Waiting> waiting = world.run();
    lines += (waiting.empty() ? timing::Json().text("event", "done") : deadlock(waiting, world.now())).str() + "\n";
    return lines;
  }
  throw timing::InputFault("no rank program '" + name + "'");
}

}  // namespace assay::described
