#include "files/link.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace assay::files {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The number that a file begins with, "8.0 GT/s PCIe"; nothing where it says "Unknown", or -1 as a network without one.
std::optional<double> number_in(const fs::path& path) {
  double found = 0;
  std::istringstream words(line_of(path));
  return words >> found && found > 0 ? std::optional(found) : std::nullopt;
}

bool virtual_machine(const std::string& system) {
  std::ifstream lines(system + "proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != std::string::npos;
  return !line_of(system + "sys/hypervisor/type").empty();
}

void lower(Link& link, double rate, const std::string& words) {
  if (rate > 0 && (link.rate == 0 || rate < link.rate)) link = {rate, words};
}

// PCI Express: 8b/10b up to 5 GT/s, 128b/130b up to 32, flits of 256 bytes with 242 of payload beyond. Packet headers,
// which take more of it, are left to the device.
void along_pci(const fs::path& device, Link& link) {
  const auto speed = number_in(device / "current_link_speed"), width = number_in(device / "current_link_width");
  if (!speed || !width || *width > 32) return;
  const double payload = *speed <= 5 ? 0.8 : *speed <= 32 ? 128.0 / 130 : 242.0 / 256;
  std::ostringstream words;
  words << "PCI Express link of " << *speed << " GT/s x" << *width;
  lower(link, 1e9 / 8 * *speed * *width * payload, words.str());
}

// SATA codes 8b/10b. The links are named by the host's ports: ata3 has link3.
void along_sata(const fs::path& device, const std::string& system, Link& link) {
  const std::string name = device.filename();
  if (!name.starts_with("ata") || name.size() == 3 || std::isdigit(name[3]) == 0) return;
  const fs::path rated = fs::path(system + "sys/class/ata_link") / ("link" + name.substr(3)) / "sata_spd";
  if (const auto speed = number_in(rated))  // Gbit/s
    lower(link, 1e8 * *speed, "SATA link of " + line_of(rated));
}

void along_usb(const fs::path& device, Link& link) {
  std::error_code none;
  if (!fs::exists(device / "idVendor", none)) return;
  if (const auto speed = number_in(device / "speed"))  // Mbit/s; its coding is left to the device
    lower(link, 1e6 / 8 * *speed, "USB link of " + line_of(device / "speed") + " Mbit/s");
}

Link way_of(const fs::path& device, const std::string& system) {
  Link link;
  for (fs::path at = device; at.has_filename() && at != at.root_path(); at = at.parent_path()) {
    along_pci(at, link);
    along_sata(at, system, link);
    along_usb(at, link);
  }
  return link;
}

struct Sum {  // of ways that are used side by side: known where each is
  Link link;
  bool known = true;
  void add(const Link& each) {
    known = known && each.rate > 0;
    link.rate += each.rate;
    link.words += (link.words.empty() ? "" : " and ") + each.words;
  }
  Link all() const { return known ? link : Link(); }
};

Link of_device(const std::string& name, const std::string& system, int depth) {
  std::error_code none;
  Sum parts;
  for (const auto& each : fs::directory_iterator(system + "sys/class/block/" + name + "/slaves", none))
    if (depth < 8) parts.add(of_device(each.path().filename(), system, depth + 1));
  if (!parts.link.words.empty() || !parts.known) return parts.all();
  const fs::path device = fs::canonical(system + "sys/class/block/" + name, none);
  if (none) return {};
  return way_of(device, system);
}

}  // namespace

Link link_of_device(const std::string& name, const std::string& system) {
  return virtual_machine(system) ? Link() : of_device(name, system, 0);
}

Link link_of_network(const std::string& system) {
  if (virtual_machine(system)) return {};
  Sum ways;
  std::error_code none;
  for (const auto& each : fs::directory_iterator(system + "sys/class/net", none)) {
    // Those without a device lie on others, or within this host.
    if (!fs::exists(each.path() / "device", none) || line_of(each.path() / "operstate") == "down") continue;
    const auto speed = number_in(each.path() / "speed");  // Mbit/s
    ways.add({speed ? 1e6 / 8 * *speed : 0, each.path().filename().string()});
  }
  for (const auto& each : fs::directory_iterator(system + "sys/class/infiniband", none))
    for (const auto& port : fs::directory_iterator(each.path() / "ports", none)) {
      if (line_of(port.path() / "state").find("ACTIVE") == std::string::npos) continue;
      const auto speed = number_in(port.path() / "rate");  // "100 Gb/sec (4X EDR)"
      ways.add({speed ? 1e9 / 8 * *speed : 0, each.path().filename().string()});
    }
  return ways.all();
}

}  // namespace assay::files
