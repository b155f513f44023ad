// What the kernel counts of each hardware thread: interrupts by their row of /proc/interrupts, and time stolen by a
// hypervisor (/proc/stat). `system` is "/" but in tests.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace assay::threads {

struct Counters {
  std::map<int, std::map<std::string, std::int64_t>> interrupts;  // by hardware thread, by row ("LOC", "36")
  std::map<int, std::int64_t> steal;                              // clock ticks
};

inline Counters read_counters(const std::string& system = "/") {
  Counters found;
  std::ifstream interrupts(system + "proc/interrupts");
  std::string line, word;
  std::getline(interrupts, line);
  std::vector<int> columns;  // hardware threads, in the order of the columns
  for (std::istringstream words(line); words >> word;)
    if (word.starts_with("CPU")) columns.push_back(std::atoi(word.c_str() + 3));
  while (std::getline(interrupts, line)) {
    std::istringstream words(line);
    std::string name;
    std::int64_t count = 0;
    if (!(words >> name) || name.back() != ':') continue;
    name.pop_back();
    for (std::size_t at = 0; at < columns.size() && words >> count; ++at) found.interrupts[columns[at]][name] = count;
  }
  std::ifstream stat(system + "proc/stat");
  while (std::getline(stat, line)) {
    int cpu = -1;
    long long fields[8] = {};
    if (std::sscanf(line.c_str(), "cpu%d %lld %lld %lld %lld %lld %lld %lld %lld", &cpu, fields, fields + 1, fields + 2,
                    fields + 3, fields + 4, fields + 5, fields + 6, fields + 7) == 9)
      found.steal[cpu] = fields[7];
  }
  return found;
}

}  // namespace assay::threads
