#include "files/storage.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "timing/memory_limits.hpp"

namespace assay::files {
namespace {

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

struct Disk {
  std::string number, name;
  std::int64_t read = 0, wrote = 0;
};

std::vector<Disk> disks(const std::string& system) {  // Documentation/admin-guide/iostats.rst
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

// What a device rests on: memory, a file, another host; its own slaves where it is made of others (dm, md).
void look_below(const std::string& name, const std::string& system, Storage& storage, int depth = 0) {
  if (name.starts_with("ram") || name.starts_with("zram") || name.starts_with("pmem")) storage.below = Below::memory;
  if (name.starts_with("nbd") || name.starts_with("rbd") || name.starts_with("drbd")) storage.below = Below::remote;
  const std::string loop = name.starts_with("loop") ? "loop" + name.substr(4, name.find('p', 4) - 4) : "";
  std::string direct;
  if (!loop.empty() && !(std::ifstream(system + "sys/block/" + loop + "/loop/dio") >> direct && direct == "1")) {
    storage.below = Below::unknown;
    storage.caveat = name + " is a file that is read through the page cache (a loop device)";
  }
  if (name.starts_with("vd") || name.starts_with("xvd"))
    storage.caveat = name + " is a virtual disk: whether its host reads a device or its own memory is not visible here";
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator(system + "sys/class/block/" + name + "/slaves", none))
    if (depth < 8) look_below(each.path().filename(), system, storage, depth + 1);
}

// File systems whose bytes come over the network whatever else they are: no FUSE, whose process may be here, and none
// that may have disks of its own here.
bool over_the_network(const std::string& type) {
  return type.starts_with("nfs") || type.starts_with("smb") ||
         one_of(type, {"cifs", "ceph", "lustre", "beegfs", "pvfs2", "orangefs", "panfs", "afs"});
}

// Whether the server that a mount's options name (addr=ADDRESS) is this host.
bool served_here(const std::string& options) {
  const std::size_t at = ("," + options).find(",addr=");
  if (at == std::string::npos) return false;
  const std::string address = options.substr(at + 5, options.find(',', at) - at - 5);
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

}  // namespace

std::string Storage::link_words() const {
  if (link.rate <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g MB/s", 1e-6 * link.rate);
  return "the way there carries at most " + std::string(text) + " (" + link.words + ")";
}

Storage storage_of(int folder, const std::string& path, const std::string& system) {
  Storage storage;
  struct stat about{};
  fstat(folder, &about);
  const std::string number = std::to_string(major(about.st_dev)) + ":" + std::to_string(minor(about.st_dev));
  std::error_code none;
  const std::string real = std::filesystem::canonical(path, none);
  std::ifstream lines(system + "proc/self/mountinfo");
  std::string of, longest, options;
  for (std::string line; std::getline(lines, line);) {  // proc_pid_mountinfo(5)
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string id, parent, device, root, mount, type, source;
    before >> id >> parent >> device >> root >> mount;
    std::string of_mount;
    after >> type >> source >> of_mount;
    mount = unescaped(mount);
    if (!within(real, mount) || mount.size() < longest.size()) continue;
    longest = mount;
    of = device;
    storage.type = type;
    storage.source = unescaped(source);
    options = of_mount;
  }
  storage.below = below_of(storage.type);
  for (const Disk& disk : disks(system)) {
    const bool own = disk.number == number || disk.number == of || "/dev/" + disk.name == storage.source;
    if (own && !storage.own_device) storage.counted.clear();
    if (own) {
      storage.own_device = true;
      look_below(disk.name, system, storage);
      storage.link = link_of_device(disk.name, system);
    }
    if (own || !storage.own_device) storage.counted.push_back(disk.name);
  }
  if (storage.below == Below::memory || storage.below == Below::remote) storage.counted.clear();
  if (storage.below != Below::device) storage.link = Link();
  if (over_the_network(storage.type) && !served_here(options)) {
    storage.link = link_of_network(system);
    if (storage.link.rate > 0) storage.link.words = "this host's network: " + storage.link.words;
  }
  return storage;
}

Counters read_counters(const Storage& storage, const std::string& system) {
  Counters counters;
  counters.fetched = memory::entry(system + "proc/self/io", "read_bytes:").value_or(-1);
  const std::vector<Disk> all = storage.counted.empty() ? std::vector<Disk>() : disks(system);
  for (const std::string& name : storage.counted) {
    const auto disk = std::ranges::find(all, name, &Disk::name);
    counters.reads.push_back(disk == all.end() ? 0 : disk->read);
    counters.writes.push_back(disk == all.end() ? 0 : disk->wrote);
  }
  return counters;
}

Counters since(const Counters& now, const Counters& before) {
  Counters found;
  if (now.fetched >= 0 && before.fetched >= 0) found.fetched = now.fetched - before.fetched;
  for (std::size_t at = 0; at < std::min(now.reads.size(), before.reads.size()); ++at) {
    found.device_read = std::max(found.device_read, now.reads[at] - before.reads[at]);
    found.device_wrote = std::max(found.device_wrote, now.writes[at] - before.writes[at]);
  }
  return found;
}

std::int64_t resident(const void* address, std::int64_t bytes) {
  static const std::int64_t page = sysconf(_SC_PAGESIZE);
  const auto first = reinterpret_cast<std::uintptr_t>(address) / static_cast<std::uintptr_t>(page);
  const auto start = first * static_cast<std::uintptr_t>(page);
  const std::int64_t span = bytes + static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) - start);
  const std::int64_t pages = (span + page - 1) / page;
  unsigned char few[512];
  std::vector<unsigned char> many(pages > 512 ? static_cast<std::size_t>(pages) : 0);
  unsigned char* in = pages > 512 ? many.data() : few;
  if (mincore(reinterpret_cast<void*>(start), static_cast<std::size_t>(span), in) != 0) return -1;
  const std::int64_t there = std::count_if(in, in + pages, [](unsigned char each) { return (each & 1) != 0; });
  return there == pages ? bytes : std::min(bytes, there * page);
}

}  // namespace assay::files
