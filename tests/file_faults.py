"""Faults of files, planted by a preloaded library: what FAULT names, in calls of FAULT_BYTES bytes after FAULT_AFTER.

`eio`, `full`, `stall`, `pause` (one call takes FAULT_PAUSE ms), `short` (another truncates the file), `damage` (a byte
of what is written), `lost` and `twice` (one write is not made, or made twice), `nofallocate` (no space can be
allocated ahead), `warm` (the page cache cannot be emptied),
`nosync` (fsync does nothing), `nouring` (io_uring is refused), and by the calls' own names, in forked processes:
`rename`, `unlink`, `fsync` fail with ERROR; `kept` leaves one file that is unlinked where it is. `quota` is as `full`;
`stuck` never returns from removing the mark of a folder; `killed` ends the process that removes a launch's folder,
whose output goes to /dev/null, and which all others spare.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static _Atomic int calls, unlinked, paused;
static pid_t first;
__attribute__((constructor)) static void begin(void) { first = getpid(); }
static long number(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text ? atol(text) : otherwise;
}
static int is(const char* wanted) {
  const char* fault = getenv("FAULT");
  return fault && !strcmp(fault, wanted);
}
static int due(size_t bytes) {
  const long wanted = number("FAULT_BYTES", 65536);
  return (wanted ? (long)bytes == wanted : bytes >= 1024) && atomic_fetch_add(&calls, 1) >= number("FAULT_AFTER", 4);
}
static int removes(void) {
  char to[16] = "";
  return readlink("/proc/self/fd/2", to, sizeof to - 1) > 0 && !strcmp(to, "/dev/null");
}
static int fails(const char* call) {  // in the processes that a program forks only
  if (!is(call) || getpid() == first || removes()) return 0;
  errno = (int)number("ERROR", EIO);
  return 1;
}
ssize_t pread64(int file, void* buffer, size_t bytes, off_t offset) {
  if (is("eio") && due(bytes)) { errno = EIO; return -1; }
  if (is("stall") && due(bytes)) for (;;) pause();
  if (is("pause") && due(bytes) && !atomic_fetch_add(&paused, 1)) usleep(1000 * number("FAULT_PAUSE", 900));
  if (is("short") && due(bytes)) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (truncate(path, 0) != 0) _exit(99);
  }
  return syscall(SYS_pread64, file, buffer, bytes, offset);
}
ssize_t pread(int file, void* buffer, size_t bytes, off_t offset) { return pread64(file, buffer, bytes, offset); }
ssize_t pwrite64(int file, const void* buffer, size_t bytes, off_t offset) {
  if ((is("full") || is("quota")) && due(bytes)) { errno = is("quota") ? EDQUOT : ENOSPC; return -1; }
  if (is("damage") && due(bytes)) ((char*)buffer)[702] ^= 1;
  if (is("lost") && due(bytes) && !atomic_fetch_add(&paused, 1)) return (ssize_t)bytes;
  if (is("twice") && due(bytes) && !atomic_fetch_add(&paused, 1)) syscall(SYS_pwrite64, file, buffer, bytes, offset);
  return syscall(SYS_pwrite64, file, buffer, bytes, offset);
}
ssize_t pwrite(int file, const void* from, size_t bytes, off_t offset) { return pwrite64(file, from, bytes, offset); }
int posix_fadvise64(int file, off_t from, off_t bytes, int advice) {
  if (is("warm") && advice == POSIX_FADV_DONTNEED) return 0;
  return (int)-syscall(SYS_fadvise64, file, from, bytes, advice);
}
int posix_fadvise(int file, off_t from, off_t bytes, int advice) { return posix_fadvise64(file, from, bytes, advice); }
int fallocate64(int file, int mode, off_t from, off_t bytes) {
  if (is("nofallocate")) { errno = EOPNOTSUPP; return -1; }
  return (int)syscall(SYS_fallocate, file, mode, from, bytes);
}
int fallocate(int file, int mode, off_t from, off_t bytes) { return fallocate64(file, mode, from, bytes); }
int renameat(int a, const char* b, int c, const char* d) {
  return fails("rename") ? -1 : (int)syscall(SYS_renameat2, a, b, c, d, 0);
}
int unlinkat(int a, const char* b, int c) {
  if (is("stuck") && !strcmp(b, ".assay-own")) for (;;) pause();
  if (is("killed") && removes()) kill(getpid(), SIGKILL);
  if (b[0] == 'g' && fails("unlink")) return -1;
  const int spared = getpid() == first || removes();
  if (b[0] == 'g' && is("kept") && !spared && atomic_fetch_add(&unlinked, 1) == 0) return 0;
  return (int)syscall(SYS_unlinkat, a, b, c);
}
long syscall(long call, ...) {
  static long (*kernel)(long, ...);
  if (!kernel) kernel = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list list;
  long a[6];
  va_start(list, call);
  for (int at = 0; at < 6; ++at) a[at] = va_arg(list, long);
  va_end(list);
  if (is("nouring") && call == SYS_io_uring_setup) { errno = EPERM; return -1; }
  return kernel(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int fsync(int a) {
  if (is("nosync")) return 0;
  return fails("fsync") ? -1 : (int)syscall(SYS_fsync, a);
}
"""


@functools.cache
def shim() -> Path:
    """The library to preload, compiled once."""
    folder = Path(tempfile.mkdtemp(prefix="assay-shim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "shim.c").write_text(SHIM)
    made = folder / "shim.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", made, folder / "shim.c"], check=True, capture_output=True)
    return made


def faulty(fault: str, **more: object) -> dict[str, str]:
    """The environment of a program with that fault."""
    return {"LD_PRELOAD": str(shim()), "FAULT": fault} | {name: str(value) for name, value in more.items()}
