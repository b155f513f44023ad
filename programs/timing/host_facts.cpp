#include "timing/host_facts.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "timing/cgroups.hpp"
#include "timing/energy.hpp"
#include "timing/quota.hpp"

namespace assay::timing {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first "key : value" line of a file, without blanks and quotes around it.
std::string value_of(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != at) continue;
    const std::size_t from = line.find_first_not_of(" \t\"", at + 1), to = line.find_last_not_of(" \t\"");
    return from == std::string::npos ? "" : line.substr(from, to - from + 1);
  }
  return "";
}

void text_or_null(Json& json, std::string_view key, const std::string& text) {
  text.empty() ? json.null(key) : json.text(key, text);
}

// The hardware threads that cpusets leave to all processes of this group; empty where no cpuset limits them.
Cpus left_by_cpusets(const std::string& system) {
  for (const auto& [folder, unified] : cgroups("cpuset", system)) {
    std::string list = first_line(folder + (unified ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus"));
    if (list.empty()) list = first_line(folder + "/cpuset.cpus");
    if (!list.empty()) return cpu_list(list);
  }
  return {};
}

}  // namespace

Json host_facts(const std::string& host, const std::string& system) {
  Json json;
  json.text("host", host);
  utsname kernel{};
  uname(&kernel);
  const std::string info = system + "proc/cpuinfo";
  std::string model = value_of(info, "model name", ':');
  if (model.empty()) model = value_of(info, "Model Name", ':');
  if (model.empty()) model = value_of(info, "Processor", ':');
  if (model.empty()) model = value_of(info, "cpu", ':');
  text_or_null(json, "cpu", model);
  json.text("architecture", kernel.machine).text("kernel", kernel.release);
  text_or_null(json, "distribution", value_of(system + "etc/os-release", "PRETTY_NAME", '='));
  const Cpus online = online_cpus(system);
  const Cpus left = left_by_cpusets(system);
  const Span all = span_of(online, system);
  json.integer("sockets", all.sockets).integer("cores", all.cores);
  json.integer("threads", static_cast<std::int64_t>(online.size()));
  const Quota quota = read_quota(system);
  const auto threads = static_cast<double>(left.empty() ? online.size() : left.size());
  json.integer("processors", static_cast<std::int64_t>(threads));
  json.number("usable_cpus", quota.share > 0 ? std::min(threads, quota.share) : threads);
  quota.share > 0 ? json.number("cpu_quota", quota.share) : json.null("cpu_quota");
  const std::string memory = value_of(system + "proc/meminfo", "MemTotal", ':');  // "16316412 kB"
  memory.empty() ? json.null("memory") : json.integer("memory", 1024 * std::strtoll(memory.c_str(), nullptr, 10));
  text_or_null(json, "governor", first_line(system + "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  const std::string clock = system + "sys/devices/system/clocksource/clocksource0/current_clocksource";
  text_or_null(json, "clock_source", first_line(clock));
  const std::string load = reading::word_of(system + "proc/loadavg");
  load.empty() ? json.null("load") : json.number("load", std::strtod(load.c_str(), nullptr));
  const std::string megahertz = value_of(info, "cpu MHz", ':');
  megahertz.empty() ? json.null("frequency") : json.number("frequency", 1e6 * std::strtod(megahertz.c_str(), nullptr));
  const std::string flags = " " + value_of(info, "flags", ':') + " ";
  std::vector<std::string> vectors;  // what the peak of arithmetic depends on
  for (const std::string_view flag : {"avx", "avx2", "fma", "avx512f"})
    if (flags.find(" " + std::string(flag) + " ") != std::string::npos) vectors.push_back(Json::quote(flag));
  json.list("vectors", vectors);
  const bool guest = flags.find(" hypervisor ") != std::string::npos;
  const bool here = system == "/";
  json.text("energy", EnergyMeter(here ? powercap_folder() : system + "sys/class/powercap", nullptr,
                                  here ? perf_devices_folder() : system + "sys/bus/event_source/devices")
                          .state(guest));
  return json.truth("virtualised", guest);
}

}  // namespace assay::timing
