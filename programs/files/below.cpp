#include "files/below.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay::files {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 8;  // devices and file systems that lie on one another

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* each) { return word == each; });
}

Below below_of(const std::string& type) {
  if (one_of(type, {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})) return Below::memory;
  if (type.starts_with("nfs") || type.starts_with("fuse") || type.starts_with("smb") ||
      one_of(type, {"cifs", "9p", "virtiofs", "ceph", "lustre", "gpfs", "beegfs", "pvfs2", "orangefs", "panfs", "afs",
                    "glusterfs", "ocfs2", "gfs2", "wekafs", "coda"}))
    return Below::remote;
  if (one_of(type, {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "bcachefs", "reiserfs", "jfs", "vfat",
                    "exfat", "ntfs3", "overlay", "nilfs2"}))
    return Below::device;
  return Below::unknown;
}

std::string unescaped(const std::string& text) {  // \040 and its like, as the kernel writes blanks
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size()) {
      plain += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

bool within(const std::string& path, const std::string& mount) {
  return mount == "/" || path == mount || path.starts_with(mount + "/");
}

std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// File systems whose bytes come over the network whatever else they are: no FUSE, whose process may be here, and none
// that may have disks of its own here.
bool over_the_network(const std::string& type) {
  return type.starts_with("nfs") || type.starts_with("smb") ||
         one_of(type, {"cifs", "ceph", "lustre", "beegfs", "pvfs2", "orangefs", "panfs", "afs"});
}

bool served_here(const Mount& mount) {  // whether the server that the options name is this host
  const std::string address = option_of(mount, "addr").value_or("");
  if (address.empty()) return false;
  if (address.starts_with("127.") || address == "::1") return true;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    char text[INET6_ADDRSTRLEN] = "";
    const sockaddr* own = each->ifa_addr;
    if (own != nullptr && own->sa_family == AF_INET)
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(own)->sin_addr, text, sizeof text);
    if (own != nullptr && own->sa_family == AF_INET6)
      inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(own)->sin6_addr, text, sizeof text);
    found = found || address == text;
  }
  freeifaddrs(all);
  return found;
}

void look_below(std::string name, const std::string& system, Ground& ground, int depth);

// A loop device: what its file lies on, which is read through the page cache, or past it (direct-io).
void look_below_loop(const std::string& name, const std::string& system, Ground& ground, int depth) {
  const fs::path about = fs::path(system + "sys/block") / name / "loop";
  const std::string file = line_of(about / "backing_file"), device = file.substr(file.rfind('/') + 1);
  std::error_code none;
  Ground under;
  if (file.starts_with("/dev/") && fs::exists(system + "sys/class/block/" + device, none)) {
    under.below = Below::device;
    look_below(device, system, under, depth + 1);
  } else if (const fs::path real = fs::canonical(file, none); !file.empty() && !none) {
    const auto mount = mount_of(real, system);
    if (mount && depth < deepest) under = ground_of(*mount, "", system, depth + 1);
  }
  const bool direct = line_of(about / "dio") == "1";
  if (under.below == Below::memory || direct) {
    ground.below = under.below;
    ground.caveat = under.caveat;
    if (under.own_device) {  // what reached the loop device alone may come from a cache above its file
      ground.counted = under.counted;
      ground.link = under.link;
    }
    if (under.below == Below::unknown)
      ground.caveat = name + " is a file (a loop device), and what that lies on is not known";
  } else {
    ground.below = Below::unknown;
    ground.caveat = name + " is a file that is read through the page cache (a loop device)";
  }
}

// What a device rests on: memory, a file, another host; its own slaves where it is made of others (dm, md).
void look_below(std::string name, const std::string& system, Ground& ground, int depth) {
  std::error_code none;
  const fs::path devices = system + "sys/class/block";
  if (fs::exists(devices / name / "partition", none)) {
    const fs::path whole = fs::canonical(devices / name, none).parent_path().filename();
    if (!none && !whole.empty()) name = whole;
  }
  if (name.starts_with("ram") || name.starts_with("zram") || name.starts_with("pmem") || name.starts_with("nullb"))
    ground.below = Below::memory;
  const std::string model = line_of(devices / name / "device/model");
  if (model.starts_with("scsi_debug") || model.starts_with("RAMDISK-MCP")) ground.below = Below::memory;
  if (name.starts_with("nbd") || name.starts_with("rbd") || name.starts_with("drbd")) ground.below = Below::remote;
  if (name.starts_with("loop")) look_below_loop(name.substr(0, name.find('p', 4)), system, ground, depth);
  if (name.starts_with("vd") || name.starts_with("xvd"))
    ground.caveat = name + " is a virtual disk: whether its host reads a device or its own memory is not visible here";
  for (const auto& each : fs::directory_iterator(devices / name / "slaves", none)) {
    Ground part = ground;
    if (depth < deepest) look_below(each.path().filename(), system, part, depth + 1);
    ground.below = part.below;
    ground.caveat = part.caveat;
  }
}

// An overlay writes into its upper layer, and what it writes it reads there. Where that is not to be seen (a
// container's) any device of this host may have it.
void look_below_overlay(const Mount& mount, const std::string& system, Ground& ground, int depth) {
  std::error_code none;
  const fs::path upper = fs::canonical(option_of(mount, "upperdir").value_or(""), none);
  const auto on = none ? std::nullopt : mount_of(upper, system);
  if (on && depth < deepest) {
    ground = ground_of(*on, "", system, depth + 1);
    ground.layer = on->type + " on " + on->source;
  }
  if (option_of(mount, "volatile") || option_of(mount, "fsync") == "volatile") ground.synced = false;
}

}  // namespace

std::optional<Mount> mount_of(const std::string& path, const std::string& system) {
  std::ifstream lines(system + "proc/self/mountinfo");
  std::optional<Mount> longest;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string id, parent, root;
    Mount mount;
    before >> id >> parent >> mount.number >> root >> mount.path;
    after >> mount.type >> mount.source >> mount.options;
    mount.path = unescaped(mount.path);
    mount.source = unescaped(mount.source);
    mount.options = unescaped(mount.options);
    if (within(path, mount.path) && (!longest || mount.path.size() >= longest->path.size())) longest = mount;
  }
  return longest;
}

std::optional<std::string> option_of(const Mount& mount, const std::string& name) {
  std::istringstream words(mount.options);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t is = word.find('=');
    if (word.substr(0, is) == name) return is == std::string::npos ? "" : word.substr(is + 1);
  }
  return std::nullopt;
}

std::vector<Disk> disks(const std::string& system) {
  std::vector<Disk> found;
  std::ifstream lines(system + "proc/diskstats");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string major, minor;
    Disk disk;
    std::int64_t skipped = 0, sectors_read = 0, sectors_written = 0;
    words >> major >> minor >> disk.name >> skipped >> skipped >> sectors_read >> skipped >> skipped >> skipped >>
        sectors_written;
    if (!words) continue;
    disk.number = major + ":" + minor;
    disk.read = 512 * sectors_read;
    disk.wrote = 512 * sectors_written;
    found.push_back(disk);
  }
  return found;
}

Ground ground_of(const Mount& mount, const std::string& number, const std::string& system, int depth) {
  Ground ground;
  ground.below = below_of(mount.type);
  const std::vector<Disk> all = disks(system);
  const auto own = std::ranges::find_if(all, [&](const Disk& disk) {
    return disk.number == number || disk.number == mount.number || "/dev/" + disk.name == mount.source;
  });
  if (own != all.end()) {
    ground.own_device = true;
    ground.counted = {own->name};
    ground.link = link_of_device(own->name, system);
    look_below(own->name, system, ground, depth);
  } else {
    for (const Disk& disk : all) ground.counted.push_back(disk.name);
  }
  if (mount.type == "overlay") look_below_overlay(mount, system, ground, depth);
  if (ground.below == Below::memory || ground.below == Below::remote) ground.counted.clear();
  if (ground.below != Below::device) ground.link = Link();
  if (over_the_network(mount.type) && !served_here(mount)) {
    ground.link = link_of_network(system);
    if (ground.link.rate > 0) ground.link.words = "this host's network: " + ground.link.words;
  }
  return ground;
}

}  // namespace assay::files
