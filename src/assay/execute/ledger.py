"""The ledger of folders that launches make for their files: what a kill left behind is removed at the next start.

A launch's program makes a folder of a random name in the folder that it was given and puts a file with a random token
into it, its mark (programs/files/own_folder.hpp). Before the launch begins, name, place and token are written here: one
file for each, in Assay's state folder, with the process that waits for the launch. The program removes its folder, also
on SIGINT, SIGTERM and other signals by which a process is ended. After a fault of the program (SIGSEGV) the waiting
process removes it, and if that was killed, too, the next start of Assay. On several nodes, which may share the place,
each makes its own, NAME-NODE, with the same mark. A folder is removed only where its mark has the token of the ledger;
symbolic links are removed, not followed.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from assay import versions
from assay.execute.folders import call_with_patience
from assay.execute.process_signals import began
from assay.stored.state import state_folder

MARK = ".assay-own"  # the file in a folder that names its owner
PREFIX = "assay-files-"
MAX_AGE = 30 * 86400.0  # s, that an entry stays whose file system is not mounted


@dataclass(frozen=True)
class Subfolder:
    """A folder `name` that a launch makes in `parent`; its mark holds `token`.

    `by_node`: each node makes its own there, with the node's name behind `name`.
    """

    parent: str
    name: str
    token: str
    by_node: bool = False

    @staticmethod
    def within(parent: str, by_node: bool = False) -> Subfolder:
        """One of a new random name."""
        return Subfolder(parent, PREFIX + secrets.token_hex(8), secrets.token_hex(16), by_node)

    @property
    def path(self) -> str:
        """Where it will be."""
        return f"{self.parent}/{self.name}"


@contextlib.contextmanager
def track_folders(subfolders: Sequence[Subfolder]) -> Iterator[None]:
    """Enter folders into the ledger before a launch makes them; remove what is left of them afterwards."""
    entries = [(_enter(each), each) for each in subfolders]
    try:
        yield
    finally:
        for entry, each in entries:
            done = call_with_patience(partial(remove, each))  # a file system that hangs keeps its files, and the entry
            if done is not None and done[0] is True and entry is not None:
                with contextlib.suppress(OSError):
                    entry.unlink()


def clear() -> list[str]:
    """Remove the folders of launches whose processes are gone; returns the paths of those that were there."""
    removed = []
    for entry in _entries():
        try:
            about = json.loads(entry.read_text(encoding="utf-8"))
            parent, name, token = (str(about[key]) for key in ("parent", "name", "token"))
            folder = Subfolder(parent, name, token, about.get("by_node") is True)
            if about[versions.KEY] != versions.LEDGER.version or not _safe(folder):
                continue
            if about["host"] != os.uname().nodename or _lives(about["process"], about["began"]):
                continue
            there = [name for name in _names(folder) if os.path.lexists(f"{folder.parent}/{name}")]
            unmounted = not there and not Path(folder.parent).is_dir() and time.time() - about["time"] < MAX_AGE
            if unmounted or not remove(folder):
                continue
            removed += [f"{folder.parent}/{name}" for name in there]
            entry.unlink()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # another start clears it now, or the entry was cut short before its folder was made
    return removed


def remove(folder: Subfolder) -> bool:
    """Remove a folder that carries its mark, or that is empty; whether nothing of it, or of its nodes', is left."""
    try:
        parent = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return not os.path.lexists(folder.path)
    try:
        gone = [_gone(parent, name, folder.token) for name in _names(folder)]
        return all(gone)
    finally:
        os.close(parent)


def _names(folder: Subfolder) -> list[str]:
    """Of the folder, and of those of the nodes that are there."""
    names = [folder.name]
    if folder.by_node:
        with contextlib.suppress(OSError):
            names += (each.name for each in Path(folder.parent).iterdir() if each.name.startswith(f"{folder.name}-"))
    return names


def _gone(parent: int, name: str, token: str) -> bool:
    try:
        return _removed(parent, name, token)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _removed(parent: int, name: str, token: str) -> bool:
    own = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        about = os.fstat(own)
        names = os.listdir(own)  # noqa: PTH208 - of what is open
        if about.st_uid != os.geteuid() or (names and not _marked(own, token)):
            return False
        empty(own, keep=MARK)
        if MARK in names:
            os.unlink(MARK, dir_fd=own)
    finally:
        os.close(own)
    os.rmdir(name, dir_fd=parent)
    return True


def _marked(own: int, token: str) -> bool:
    mark = os.open(MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=own)
    try:
        return stat.S_ISREG(os.fstat(mark).st_mode) and os.read(mark, 2 * len(token)).decode().strip() == token
    finally:
        os.close(mark)


def empty(folder: int, keep: str = "") -> None:
    """Remove all in a folder that is open, but `keep`; nothing outside it is reached."""
    for name in os.listdir(folder):
        if name == keep:
            continue
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                empty(below)
            finally:
                os.close(below)
            os.rmdir(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)


def _enter(folder: Subfolder) -> Path | None:
    """Write an entry, to the disk; None where the state folder cannot be written."""
    about = asdict(folder) | {"host": os.uname().nodename, "process": os.getpid(), "began": began(os.getpid())}
    about |= {"time": time.time()}
    try:
        _ledger().mkdir(parents=True, exist_ok=True)
        entry = _ledger() / f"{folder.name}.json"
        with entry.open("x", encoding="utf-8") as file:
            file.write(json.dumps(versions.marked(versions.LEDGER, about)) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return None
    return entry


def _safe(folder: Subfolder) -> bool:
    return folder.name.startswith(PREFIX) and "/" not in folder.name and folder.parent.startswith("/")


def _lives(process: int, since: int | None) -> bool:
    """Whether the process that entered a folder still runs; a number that another process has now does not count."""
    return since is not None and began(process) == since


def _entries() -> list[Path]:
    try:
        return sorted(_ledger().glob(f"{PREFIX}*.json"))
    except OSError:
        return []


def _ledger() -> Path:
    return state_folder() / "folders"
