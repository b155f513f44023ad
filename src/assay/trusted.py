"""Which files Assay may execute or act upon: those that only this user and root can have written.

A binary in a cache, a run that is resumed (its run.json names a compiler), a throughput test whose records name
processes: a file or folder must belong to this user or to root, no other user may write it, and the same applies to the
folders above it. These may be writable by others where they are sticky, as /tmp is. What a person names on PATH or as
a command (site tools, administrators' installations, a foreign checkout) is that person's choice, and not checked here.
"""

from __future__ import annotations

import contextlib
import functools
import grp
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError

ACCEPTED = "what you or root own, in folders that no other user may write (chmod go-w)"
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Fault:
    """Why something is not trusted; `shared`: this user may write there, too, as a member of a group or as anybody."""

    path: Path
    text: str
    shared: bool

    def __str__(self) -> str:
        return f"{self.path} {self.text}"


def fault(path: Path, above: Path | None = None) -> Fault | None:
    """What is wrong with a path, or with a folder above it; None where nothing is, or where nothing is there yet.

    Symbolic links count, and what they lead to. `above`: a folder above it that was checked before.
    """
    named = Path(os.path.normpath(Path(path).absolute()))
    seen: dict[Path, bool] = {}  # whether it is a folder above
    for start in (named, Path(os.path.realpath(named))):
        for each in (start, *start.parents):
            if above is not None and above == each:
                break
            seen.setdefault(each, each != start)
    for each, is_above in seen.items():
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            if (found := _fault(each, os.lstat(each), is_above)) is not None:
                return found
    return None


def check(path: Path, key: str | None = None, above: Path | None = None) -> None:
    """InputError that names what is wrong with a path."""
    try:
        found = fault(path, above)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, key=key) from None
    if found is not None:
        raise InputError(f"is not trusted: {found}", file=path, key=key, accepted=ACCEPTED)


def _fault(path: Path, about: os.stat_result, is_above: bool) -> Fault | None:
    if about.st_uid not in (0, os.geteuid()) and not (is_above and about.st_uid == _of_no_user()):
        return Fault(path, f"belongs to {_user(about.st_uid)}", _may_write(about))
    if stat.S_ISLNK(about.st_mode) or (is_above and about.st_mode & stat.S_ISVTX):
        return None
    others = about.st_mode & _OTHERS
    if others & stat.S_IWOTH:
        return Fault(path, "may be written by everybody", True)
    if others and not _is_private(about.st_gid):
        return Fault(path, f"may be written by the group {_group(about.st_gid)}", _may_write(about))
    return None


def _may_write(about: os.stat_result) -> bool:
    mine = about.st_gid in (os.getegid(), *os.getgroups())
    return bool(about.st_mode & stat.S_IWOTH or (about.st_mode & stat.S_IWGRP and mine))


@functools.lru_cache
def _is_private(gid: int) -> bool:
    """Whether a group is this user's own, which has no other member, as distributions with umask 002 make it."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return user.pw_gid == gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


@functools.lru_cache
def _of_no_user() -> int | None:
    """In a user namespace of a container, the owner that root's folders outside have; None elsewhere."""
    try:
        if Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]:
            return None
        return int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return None


def _user(uid: int) -> str:
    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def _group(gid: int) -> str:
    try:
        return f"{grp.getgrgid(gid).gr_name} (gid {gid})"
    except KeyError:
        return f"of gid {gid}"
