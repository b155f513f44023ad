"""What lies in the cache: binaries, objects that they share, and what `x` keeps there for checkouts of others.

Only what Assay made is counted and removed, by its names: a key of 20 hexadecimal digits after the name. What
else lies there stays, and so does the list of a person's own programs, which nothing else knows.
A process that uses binaries holds a lock for its life (`held`); where one does, nothing is removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay import left_names, trusted
from assay.benchmark.own import cache_root
from assay.errors import InputError, MeasurementError

_LOCK = ".in-use"  # in the cache
_KEY = "[0-9a-f]{20}"


@dataclass(frozen=True)
class Part:
    """One kind of things in the cache: what they are, where, how many and how large, and why they stay, if they do.

    Of what was not made by Assay, folders are not entered: `files` counts entries, and `bytes` is 0.
    """

    name: str
    folder: Path
    files: int
    bytes: int
    kept: str | None = None


@dataclass(frozen=True)
class _Kind:
    name: str
    folder: str  # in the cache
    pattern: re.Pattern[str]  # of the names of its entries
    folders: bool = False  # whether they are folders


_KINDS = (
    _Kind("compiled programs", "programs", re.compile(rf".+-{_KEY}(\.so)?")),
    _Kind("MPI libraries of described machines", "programs", re.compile(f"mpi-{_KEY}"), folders=True),
    _Kind("objects that programs share", "programs/units", re.compile(rf".+-{_KEY}\.o|\..+-{_KEY}\.o\.lock")),
    _Kind("compilers found to work", "programs/trial", re.compile(_KEY)),
    _Kind("programs and objects of the test suite", "tests", re.compile(rf".+-{_KEY}(\.o)?")),
    _Kind("environments of checkouts that belong to others", "checkouts", re.compile("[0-9a-f]{16}"), folders=True),
)
_OWN_LIST = "own.json"


@functools.cache
def mark_in_use(folder: Path) -> None:
    """Note for this process's life that binaries of `folder`, which lies in a cache, are used.

    No message where a lock cannot be made.
    """
    for how in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):  # the latter in a cache of root's
        with contextlib.suppress(OSError):
            lock = os.open(folder.parent / _LOCK, how | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
            fcntl.flock(lock, fcntl.LOCK_SH)  # waits for one that removes
            return


def parts(cache: Path) -> list[Part]:
    """Give what lies in the cache, by kind; `kept` is the reason why something is not removed."""
    found, known = list[Part](), {Path(_OWN_LIST), Path(_LOCK)}
    for kind in _KINDS:
        entries = list(_entries(cache, kind))
        known |= {Path(kind.folder, each.name) for each in entries}
        used = [each for each in entries if kind.folders and _runs_from(Path(each.path))]
        for chosen, why in ((used, "in use"), ([each for each in entries if each not in used], None)):
            if chosen:
                count, size = _size(*(Path(each.path) for each in chosen))
                found.append(Part(kind.name, cache / kind.folder, count, size, why))
    own = cache / _OWN_LIST
    if own.is_file():
        found.append(Part("list of your own programs", own, *_size(own), "`assay build --remove NAME` forgets one"))
    others = [each for each in _not_known(cache, known) if not left_names.is_marked(each.name)]
    if others:
        found.append(Part("not made by Assay", cache, len(others), 0, f"such as {others[0].name}"))
    return found


def remove(cache: Path) -> list[Part]:
    """Remove what nothing uses; what was removed, by kind.

    InputError, with nothing removed, where the cache is not this user's, or where a process uses binaries of it.
    """
    if not cache.exists():
        return []
    trusted.check(cache)
    programs = cache / "programs"
    with _alone(cache):
        before = parts(cache)
        left_names.clear(cache, "exchange-")
        for folder in (programs, programs / "units", programs / "trial"):
            left_names.clear(folder, ".")
        for kind in _KINDS:
            for each in list(_entries(cache, kind)):
                path = Path(each.path)
                if not kind.folders:
                    path.unlink(missing_ok=True)
                elif not _runs_from(path):
                    shutil.rmtree(path)
        after = {(part.name, part.kept): part for part in parts(cache)}
    gone = []
    for part in before:
        left = after.get((part.name, part.kept), Part(part.name, part.folder, 0, 0))
        if part.files > left.files:
            gone.append(Part(part.name, part.folder, part.files - left.files, part.bytes - left.bytes))
    return gone


@contextlib.contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """Keep processes that would use binaries waiting meanwhile."""
    try:
        lock = os.open(cache / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=cache) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = _holders(os.fstat(lock))
            raise InputError(
                f"is in use{who}: nothing was removed", file=cache, accepted="a cache that no command works with"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(lock)


def _holders(about: os.stat_result) -> str:
    """The processes of this host that hold a lock of a file, as text; "" where the kernel does not list them."""
    numbers = set()
    with contextlib.suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if len(words) > 5 and words[5].endswith(f":{about.st_ino}") and words[4].isdigit():
                numbers.add(words[4])
    return f" by process {', '.join(sorted(numbers))}" if numbers else ""


def _entries(cache: Path, kind: _Kind) -> Iterator[os.DirEntry[str]]:
    """The entries of a kind that this user owns; what lies behind a symbolic link is not of the cache."""
    folder = cache / kind.folder
    if any(each.is_symlink() for each in (folder, *folder.parents) if cache in each.parents):
        return
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for each in entries:
            right = each.is_dir(follow_symlinks=False) if kind.folders else each.is_file(follow_symlinks=False)
            if right and kind.pattern.fullmatch(each.name) and each.stat(follow_symlinks=False).st_uid == os.geteuid():
                yield each


def _not_known(cache: Path, known: set[Path]) -> list[Path]:
    """What else lies in the cache and in its folders."""
    inside = {Path(kind.folder) for kind in _KINDS}
    found = []
    for folder in (Path(), *inside):
        with contextlib.suppress(OSError), os.scandir(cache / folder) as entries:
            for each in entries:
                here = folder / each.name
                if here not in known and here not in inside:
                    found.append(cache / here)
    return sorted(found)


def _size(*paths: Path) -> tuple[int, int]:
    """Count files, those in folders too, and their bytes on disk; links are not followed."""
    count, size = 0, 0
    for path in paths:
        for folder, _, names in os.walk(str(path)) if path.is_dir() else [(str(path.parent), [], [path.name])]:
            for name in names:
                with contextlib.suppress(OSError):
                    size += os.lstat(os.path.join(folder, name)).st_blocks * 512  # noqa: PTH118 - thousands of them
                    count += 1
    return count, size


def _runs_from(folder: Path) -> bool:
    """Whether a process of this host was started from below a folder, this one included."""
    wanted = os.fsencode(folder) + b"/"
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if wanted in each.read_bytes():
                return True
    return False


def binaries(what: str, cache: Path | None = None) -> Path:
    """The cache's folder for what is compiled, marked as in use; `cache`: else the user's own.

    MeasurementError where `what` cannot be stored there.
    """
    folder = (cache or cache_root()) / "programs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trusted.check(folder)
        mark_in_use(folder)
    except OSError as error:
        raise MeasurementError(f"{what} cannot be stored in {folder}: {error.strerror}; set ASSAY_CACHE") from None
    return folder
