"""Names of temporary files with their process, so that files of killed processes can be removed.

The mark in a name is that of the marked folders in /tmp (execute/stale_files.py): host, boot and process namespace,
here as a digest, the process, and when that began. A file is removed only where it is this user's, its mark is of this
host, boot and namespace, and that process is gone. Old files of other hosts, boots and containers stay.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import secrets
import shutil
import stat
from pathlib import Path

_MARKED = re.compile(r"own-([0-9a-f]{12})-(\d{1,10})-(\d{1,20})-")


def marked(prefix: str, suffix: str = "") -> str:
    """A name that no other file has, with the mark of this process between `prefix` and `suffix`."""
    return f"{prefix}own-{_here()}-{os.getpid()}-{began(os.getpid())}-{secrets.token_hex(6)}{suffix}"


def is_marked(name: str) -> bool:
    """Whether a name has the mark of a process, which need not be of this host."""
    return _MARKED.search(name) is not None


def clear(folder: Path, prefix: str) -> list[str]:
    """Remove from a folder what names with `prefix` and the mark of a process that is gone hold; their names."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        found = [each.name for each in entries if each.name.startswith(prefix) and _is_left(each.name)]
        return [name for name in found if _removed(folder / name)]
    return []


def _is_left(name: str) -> bool:
    mark = _MARKED.search(name)
    return mark is not None and mark[1] == _here() and began(int(mark[2])) != int(mark[3])


def _removed(path: Path) -> bool:
    try:
        about = path.lstat()
        if about.st_uid != os.geteuid():
            return False
        shutil.rmtree(path) if stat.S_ISDIR(about.st_mode) else path.unlink()
    except OSError:
        return False
    return True


@functools.cache
def _here() -> str:
    """Host, boot and process namespace; where unknown, a name that no other process has."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        words = f"{os.uname().nodename} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        words = secrets.token_hex(16)
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def began(process: int) -> int | None:
    """When a process began, in the kernel's ticks since its start; None where there is none of this number.

    One that has ended, and that its parent has not waited for, is gone.
    """
    words = stat_words(process)
    return None if words is None or words[0] in "ZX" else int(words[19])


def stat_words(process: int) -> list[str] | None:
    """The words of /proc/PID/stat behind the name, which may be any bytes: state, parent, group, session …"""
    try:
        words = Path(f"/proc/{int(process)}/stat").read_text(encoding="utf-8", errors="replace")
        return words.rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
