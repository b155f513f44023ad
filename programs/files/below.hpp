// What a folder's bytes rest on: the mount that it lies on, and what that is made of in turn: an overlay's upper layer,
// a loop device's file, the parts of a RAID. What ends in memory, or on another host, is no device, however many there
// are on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/link.hpp"

namespace assay::files {

enum class Below { device, memory, remote, unknown };  // where bytes come from that no cache has

struct Mount {  // proc_pid_mountinfo(5); `number` is "MAJOR:MINOR", `options` those of the file system
  std::string number, path, type, source, options;
};

// That a path, without symbolic links, lies on; nothing where /proc does not say.
std::optional<Mount> mount_of(const std::string& path, const std::string& system = "/");

// A mount's option, as `upperdir` of "rw,upperdir=/a": "/a"; nothing where it has none.
std::optional<std::string> option_of(const Mount& mount, const std::string& name);

struct Disk {  // a block device of /proc/diskstats (Documentation/admin-guide/iostats.rst), bytes since the system
               // started
  std::string number, name;
  std::int64_t read = 0, wrote = 0;
};
std::vector<Disk> disks(const std::string& system = "/");

struct Ground {
  Below below = Below::unknown;
  std::vector<std::string> counted;  // block devices whose counters are asked, of /proc/diskstats
  bool own_device = false;           // `counted` is the file system's one device, not all of this host's
  Link link;                         // what the way there carries at most
  std::string caveat;                // why a device's figure may be of something else (a virtual disk, a loop)
  std::string layer;                 // the file system that an overlay writes into: "ext4 on /dev/vda"
  bool synced = true;                // fsync(2) reaches it
  std::string unflushed;             // why what fsync brought there may be in the drive's own cache (files/flush.hpp)
};

// `number` is the device of a file there (stat(2)), "" where it is the mount's. `system` is "/" but in tests.
Ground ground_of(const Mount& mount, const std::string& number, const std::string& system = "/", int depth = 0);

}  // namespace assay::files
