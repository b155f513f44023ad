#include "files/room.hpp"

#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "timing/faults.hpp"
#include "timing/memory_limits.hpp"

#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

namespace assay::files {
namespace {

// What a quota leaves to this user (or group), bytes; nothing where there is none, or the kernel cannot be asked
// (quotactl_fd(2) is of Linux 5.14).
std::optional<std::int64_t> quota_left(int folder, int type, std::uint32_t id) {
  struct dqblk found{};
  const auto command = static_cast<unsigned>(QCMD(Q_GETQUOTA, type));
  if (syscall(SYS_quotactl_fd, folder, command, id, &found) != 0) return std::nullopt;
  const std::uint64_t blocks = found.dqb_bsoftlimit ? found.dqb_bsoftlimit : found.dqb_bhardlimit;  // of 1 KiB
  if (blocks == 0) return std::nullopt;
  const std::uint64_t most = blocks * 1024;
  return most > found.dqb_curspace ? static_cast<std::int64_t>(most - found.dqb_curspace) : 0;
}

}  // namespace

Room read_room(int folder) {
  struct statvfs about{};
  if (fstatvfs(folder, &about) != 0)
    throw timing::MeasurementFault(std::string("the file system does not say its free space: ") + std::strerror(errno));
  std::int64_t free = static_cast<std::int64_t>(about.f_bavail) * static_cast<std::int64_t>(about.f_frsize);
  Room room{0, std::numeric_limits<std::int64_t>::max(), "the file system's free space"};
  const auto at_most = [&](std::int64_t bytes, const std::string& by) {
    if (bytes >= free) return;
    free = bytes;
    room.by = by;
  };
  if (const auto left = quota_left(folder, USRQUOTA, getuid())) at_most(*left, "the user's quota");
  if (const auto left = quota_left(folder, GRPQUOTA, getgid())) at_most(*left, "the group's quota");
  struct statfs kind{};
  constexpr long tmpfs = 0x01021994, ramfs = 0x858458f6;
  if (fstatfs(folder, &kind) == 0 &&
      (static_cast<long>(kind.f_type) == tmpfs || static_cast<long>(kind.f_type) == ramfs)) {
    const memory::Headroom memory = memory::read_headroom();
    at_most(memory.bytes, "free memory by " + memory.by + ", in which these files lie");
  }
  struct rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    room.file = static_cast<std::int64_t>(limit.rlim_cur);
  room.bytes = static_cast<std::int64_t>(most_share * static_cast<double>(free));
  return room;
}

}  // namespace assay::files
