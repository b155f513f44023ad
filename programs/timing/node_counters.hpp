// What a node has done since it was started, from /proc: processor time, memory, bytes through its
// network interfaces. Counters, not rates: two lines of a node give what it did between them.
#pragma once
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace assay::timing {

struct NodeCounters {
  unsigned long long busy = 0, all = 0;       // ticks of all hardware threads
  unsigned long long used = 0, memory = 0;    // bytes
  unsigned long long received = 0, sent = 0;  // bytes, without the loopback
};

inline NodeCounters node_counters(const std::string& proc = "/proc") {
  NodeCounters found;
  std::ifstream stat(proc + "/stat");
  std::string word;
  stat >> word;
  unsigned long long ticks = 0;
  for (int column = 0; column < 8 && stat >> ticks; ++column) {  // user nice system idle iowait irq softirq steal
    found.all += ticks;
    if (column != 3 && column != 4) found.busy += ticks;
  }
  std::ifstream memory(proc + "/meminfo");
  unsigned long long kilobytes = 0, available = 0;
  for (std::string line; std::getline(memory, line);) {
    if (std::sscanf(line.c_str(), "MemTotal: %llu kB", &kilobytes) == 1) found.memory = 1024 * kilobytes;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kilobytes) == 1) available = 1024 * kilobytes;
  }
  found.used = found.memory > available ? found.memory - available : 0;
  std::ifstream network(proc + "/net/dev");
  for (std::string line; std::getline(network, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto first = line.find_first_not_of(' ');
    if (line.compare(first, colon - first, "lo") == 0) continue;
    std::istringstream columns(line.substr(colon + 1));
    unsigned long long values[9] = {};
    for (auto& value : values) columns >> value;
    found.received += values[0];
    found.sent += values[8];
  }
  return found;
}

}  // namespace assay::timing
