#include "timing/energy.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "timing/clock.hpp"

namespace assay::timing {
namespace {

std::string line_of(const std::string& path) {  // without what follows the first word; "" where it cannot be read
  char text[128];
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text, sizeof text);
  const int why = errno;
  close(file);
  errno = why;
  const std::string all(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  return all.substr(0, all.find_first_of(" \n"));
}

std::optional<std::uint64_t> number_of(const std::string& path) {
  const std::string text = line_of(path);
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> count_of(int event) {
  std::uint64_t count = 0;
  if (::read(event, &count, sizeof count) != sizeof count) return std::nullopt;
  return count;
}

// The zones of the control type intel-rapl, which AMD's processors have as well: `intel-rapl:0` and below it
// `intel-rapl:0:0`. intel-rapl-mmio shows the same counters a second time.
std::vector<std::string> zones_of(const std::string& folder) {
  std::vector<std::string> found;
  if (DIR* const all = opendir(folder.c_str())) {
    while (const dirent* const entry = readdir(all))
      if (std::strncmp(entry->d_name, "intel-rapl:", 11) == 0) found.emplace_back(entry->d_name);
    closedir(all);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string powercap_folder() {
  const char* const stated = std::getenv("ASSAY_POWERCAP");
  return stated && *stated ? stated : "/sys/class/powercap";
}

EnergyMeter::EnergyMeter(const std::string& folder, std::function<std::int64_t()> clock, const std::string& devices,
                         const OpenCounter& open)
    : clock_(clock ? std::move(clock) : now_ns), folder_(folder) {
  take_zones(folder);
  if (!zones_.empty() && refused_ == 0) return;
  events_ = std::make_unique<EnergyEvents>(devices, open);
  if (!events_->events().empty()) take_events();
}

void EnergyMeter::take_zones(const std::string& folder) {
  for (const std::string& each : zones_of(folder)) {
    const std::string at = folder + "/" + each, name = line_of(at + "/name");
    EnergyPart part{};
    if (name.starts_with("package")) {
      part = EnergyPart::package;
    } else if (name == "dram") {
      part = EnergyPart::memory;
    } else if (name == "psys") {
      part = EnergyPart::platform;
    } else {
      continue;  // core and uncore are parts of the package
    }
    const std::string counter = at + "/energy_uj";
    errno = 0;
    if (!number_of(counter) && refused_ == 0) refused_ = errno ? errno : EINVAL;
    zones_.push_back({counter, name, part, number_of(at + "/max_energy_range_uj").value_or(0)});
  }
}

void EnergyMeter::take_events() {
  zones_.clear();
  refused_ = 0;
  for (const EnergyEvents::Event& each : events_->events()) {
    const EnergyPart part = each.name == "energy-pkg"   ? EnergyPart::package
                            : each.name == "energy-ram" ? EnergyPart::memory
                                                        : EnergyPart::platform;
    zones_.push_back({{}, std::string(each.name), part, 0, each.joules, each.file});  // 64 bits: never begins anew
  }
}

std::optional<std::uint64_t> EnergyMeter::counted(const Zone& zone) {
  return zone.file < 0 ? number_of(zone.counter) : count_of(zone.file);
}

const Energy& EnergyMeter::read() {
  const std::int64_t now = clock_();
  const double elapsed = 1e-9 * static_cast<double>(now - read_at_);
  std::array<bool, 3> whole{};
  std::array<double, 3> gained{};
  for (const Zone& zone : zones_) whole[static_cast<std::size_t>(zone.part)] = true;
  for (Zone& zone : zones_) {
    const auto part = static_cast<std::size_t>(zone.part);
    const std::optional<std::uint64_t> count = counted(zone);
    bool right = count && zone.known;
    if (right) {
      const bool anew = *count < zone.last;
      right = !anew || zone.range >= zone.last;
      const std::uint64_t more = anew ? zone.range - zone.last + *count : *count - zone.last;
      const double joules = zone.joules * static_cast<double>(more);
      right = right && joules <= most_power * elapsed;
      gained[part] += joules;
    }
    whole[part] = whole[part] && right;
    zone.known = count.value_or(0) != 0;  // at 0 it has not begun: what a hypervisor shows may never
    zone.last = count.value_or(0);
  }
  for (std::size_t part = 0; read_at_ >= 0 && part < 3; ++part) {
    ++total_[part].intervals;
    if (!whole[part]) continue;
    ++total_[part].known;
    if (events_) ++total_[part].by_perf;
    total_[part].joules += gained[part];
  }
  read_at_ = now;
  return total_;
}

// Whether every counter is at 0 and stays there for as long as those of hardware take for several steps.
bool EnergyMeter::stands_still() const {
  for (const std::int64_t end = now_ns() + 10'000'000; now_ns() < end; usleep(500))
    for (const Zone& zone : zones_)
      if (counted(zone).value_or(1) != 0) return false;
  return true;
}

std::string EnergyMeter::state(bool guest) const {
  const bool events = events_ && !events_->events().empty();
  if (guest && !zones_.empty() && refused_ == 0 && stands_still())
    return "not readable: " + listed(events ? "perf" : "powercap") + " at 0: the hypervisor counts no energy";
  if (events) return listed("perf");
  if (zones_.empty() && events_ && events_->there())
    return std::string("not readable: perf's energy events: ") + std::strerror(events_->refused()) +
           (events_->refused() == EACCES || events_->refused() == EPERM ? " (kernel.perf_event_paranoid above 0)" : "");
  if (zones_.empty())
    return guest ? "not readable: no powercap interface: a virtual machine has none"
                 : "not readable: no powercap interface in " + folder_ + " (module intel_rapl_msr not loaded?)";
  if (refused_ == EACCES || refused_ == EPERM)
    return "not readable: permission denied: energy_uj is for root alone since CVE-2020-8694";
  if (refused_ != 0) return std::string("not readable: energy_uj: ") + std::strerror(refused_);
  return listed("powercap");
}

std::string EnergyMeter::listed(const std::string& source) const {
  std::string names = source + ":";
  for (const Zone& zone : zones_) names += (names.back() == ':' ? " " : ", ") + zone.name;
  return names;
}

}  // namespace assay::timing
