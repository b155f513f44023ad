#include "timing/accounting.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "timing/children.hpp"
#include "timing/energy.hpp"
#include "timing/node_looks.hpp"

namespace assay::timing {

Accounting Accounting::since(const Accounting& start) const {
  Energy spent;
  for (std::size_t part = 0; part < spent.size(); ++part) spent[part] = energy[part].since(start.energy[part]);
  return {steal - start.steal,
          busy - start.busy,
          own - start.own,
          wall - start.wall,
          waited - start.waited,
          involuntary - start.involuntary,
          voluntary - start.voluntary,
          minor_faults - start.minor_faults,
          major_faults - start.major_faults,
          frequency,
          spent};
}

Json Accounting::json(double ours) const {
  Json json;
  json.number("steal", std::max(0.0, steal)).number("others", std::max(0.0, busy - ours)).number("own", own);
  json.number("wall", wall).integer("involuntary", involuntary).integer("voluntary", voluntary);
  json.integer("minor_faults", minor_faults).integer("major_faults", major_faults);
  std::isnan(waited) ? json.null("waited") : json.number("waited", std::max(0.0, waited));  // threads may have ended
  frequency > 0 ? json.number("frequency", frequency) : json.null("frequency");
  EnergyOfPart any;
  for (std::size_t part = 0; part < energy.size(); ++part) {  // a host that shows none writes none
    if (!energy[part].holds()) continue;
    json.number(energy_keys[part], energy[part].joules);
    any += energy[part];
  }
  return any.holds() ? json.text("energy_source", any.source()) : json;
}

namespace {

std::string small_file(const char* path) {  // its first 512 bytes, "" when it cannot be read
  char text[512];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

std::vector<pid_t>& children_at_work() {
  static std::vector<pid_t> all;
  return all;
}

double time_of(pid_t child) {  // s, 0 once it was waited for: RUSAGE_CHILDREN has it then
  clockid_t clock{};
  timespec spent{};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &spent) != 0) return 0;
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

// How long a task was ready to run without a processor (s), by FOLDER/schedstat: time on a processor, time waited (ns),
// and how often it ran. Nothing of one that never ran or has ended, and in a kernel that does not count.
std::optional<double> waited_of(const std::string& folder) {
  unsigned long long ran = 0, waited = 0, times = 0;
  std::sscanf(small_file((folder + "/schedstat").c_str()).c_str(), "%llu %llu %llu", &ran, &waited, &times);
  return times > 0 ? std::optional(1e-9 * static_cast<double>(waited)) : std::nullopt;
}

double waited_of_all() {  // of this process's threads and of its children at work; NaN in a kernel that does not count
  std::optional<double> sum;
  const auto add = [&](const std::string& folder) {
    if (const auto waited = waited_of(folder)) sum = sum.value_or(0) + *waited;
  };
  for (const pid_t child : children_at_work()) add("/proc/" + std::to_string(child));
  if (DIR* tasks = opendir("/proc/self/task")) {
    for (const dirent* each = readdir(tasks); each != nullptr; each = readdir(tasks))
      if (each->d_name[0] != '.') add(std::string("/proc/self/task/") + each->d_name);
    closedir(tasks);
  }
  return sum.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

void count_as_own(pid_t child) { children_at_work().push_back(child); }

Accounting read_accounting() {
  Accounting at;
  at.wall = 1e-9 * static_cast<double>(now_ns());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  rusage children{};  // those that ended and were waited for
  getrusage(RUSAGE_CHILDREN, &children);
  for (const rusage& each : {usage, children}) at.own += seconds(each.ru_utime) + seconds(each.ru_stime);
  for (const pid_t child : children_at_work()) at.own += time_of(child);
  at.waited = waited_of_all();
  at.involuntary = usage.ru_nivcsw;
  at.voluntary = usage.ru_nvcsw;
  at.minor_faults = usage.ru_minflt;
  at.major_faults = usage.ru_majflt;
  // First line of /proc/stat: cpu user nice system idle iowait irq softirq steal (proc(5)), in clock ticks; guest time
  // is part of user.
  unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  std::sscanf(small_file("/proc/stat").c_str(), "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
              &idle, &wait, &irq, &soft, &steal);
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  at.busy = tick * static_cast<double>(user + nice + system + irq + soft);
  at.steal = tick * static_cast<double>(steal);
  char path[96];
  std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", sched_getcpu());
  double kilohertz = 0;
  if (std::sscanf(small_file(path).c_str(), "%lf", &kilohertz) == 1) at.frequency = 1e3 * kilohertz;
  static EnergyMeter meter;
  at.energy = meter.read();
  node_looks().may_look();
  return at;
}

}  // namespace assay::timing
