#include "timing/launch.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "timing/affinity.hpp"

namespace assay::timing {

// The parent may have ended before prctl took hold: then the parent's number has changed, or is not the one that
// ASSAY_PROCESS_TREE names (any number above 1).
void hold_leash() {
  const char* tree = std::getenv("ASSAY_PROCESS_TREE");
  if (!tree || !*tree) return;
  const pid_t before = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const long expected = std::strtol(tree, nullptr, 10);
  if (getppid() != before || (expected > 1 && getppid() != expected)) _exit(1);
}

Json Placement::json() const {
  std::vector<std::string> numbers;
  for (const std::int64_t each : cpus) numbers.push_back(std::to_string(each));
  Json json;
  json.integer("rank", rank).text("host", host).integer("pid", pid);
  json.list("cpus", numbers).integer("cpu", cpu);
  return json.integer("cores", span.cores).integer("sockets", span.sockets).integer("threads", span.threads);
}

std::string of_node(const std::string& subfolder) {
  const char* given = std::getenv("ASSAY_NODE");
  const std::size_t colon = subfolder.find(':');
  if (given == nullptr || *given == '\0' || subfolder.empty()) return subfolder;
  std::string node = given;
  std::ranges::replace(node, '/', '_');
  std::ranges::replace(node, ':', '_');
  const std::string token = colon == std::string::npos ? "" : subfolder.substr(colon);
  return subfolder.substr(0, colon) + "-" + node.substr(0, 60) + token;
}

Placement here(std::int64_t rank) {
  Placement at;
  at.rank = rank;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  const char* node = std::getenv("ASSAY_NODE");  // the launcher's name for this node, where it has one
  at.host = node && *node ? node : name;
  at.pid = getpid();
  at.cpu = sched_getcpu();
  at.cpus = own_affinity();
  at.span = span_of(at.cpus);
  return at;
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

Json launch_event(std::string_view program, const Options& options, const std::vector<Placement>& placement,
                  const std::vector<std::string>& hosts, std::string_view transport, std::string_view library,
                  const ClockQuality& clock, std::string_view flags) {
  std::vector<std::string> places;
  for (const Placement& place : placement) places.push_back(place.json().str());
  Json json;
  json.text("event", "launch").integer("version", launch_version).text("program", program);
  json.integer("launch", options.launch);
  json.integer("seed", static_cast<std::int64_t>(options.seed)).number("t", unix_time());
  json.integer("ranks", static_cast<std::int64_t>(placement.size())).list("placement", places);
  json.list("hosts", hosts);
  json.text("transport", transport).text("compiler", compiler_name()).text("flags", flags);
  if (library.empty()) {
    json.null("library");
  } else {
    json.text("library", library);
  }
  return json.object(
      "clock", Json().text("name", "steady").number("resolution", clock.resolution).number("overhead", clock.overhead));
}

}  // namespace assay::timing
