"""Folders that benchmarks write files into: parameters of kind `path`, checked before anything is compiled or made.

A program writes nowhere but in a subfolder of its own making (programs/files/own_folder.hpp). A folder on a dead server
lets every system call on it hang, so the calls are made in a thread that may be abandoned.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from assay.benchmark.record import SCRATCH, Benchmark
from assay.errors import InputError
from assay.machine.filesystems import filesystems, mount_of

Answer = TypeVar("Answer")
PATIENCE = 5.0  # s, that a file system may take to answer
SHARE = 0.25  # of the space that is free, at most, for the files of a launch (programs/files/room.hpp)


@dataclass(frozen=True)
class Folder:
    """A folder for files, and what it lies on: `type` and `device` of its mount, None where that is not known."""

    path: str
    mount: str | None
    type: str | None
    device: str | None

    def to_dict(self) -> dict[str, object]:
        """Give it as plain data, for the circumstances of a launch."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The folder and its file system, for a person."""
        return f"{self.path} ({self.type} on {self.device})" if self.type else self.path


def folders(
    records: Iterable[Benchmark], settings: Mapping[str, str], *, here: bool = True
) -> dict[str, dict[str, Folder]]:
    """The folders of each of `records` that has any, by the parameters' names.

    `here`: the programs run on this host, so that a folder is checked: InputError where it is missing, no folder, not
    writable, or does not answer. On other nodes the programs find that out themselves.
    """
    found: dict[str, dict[str, Folder]] = {}
    for record in records:
        for name in record.paths:
            text = settings.get(name, str(record.parameters[name].default))
            found.setdefault(record.name, {})[name] = _scratch(name) if text == SCRATCH else _given(name, text, here)
    return found


def _scratch(name: str) -> Folder:
    """The first folder of `doctor`'s that can be written; one in memory only where there is no other."""
    known = [each for each in filesystems().scratch if each.writable]
    known.sort(key=lambda each: each.where == "memory")
    if not known:
        raise InputError(
            "`assay doctor` finds no folder for scratch files",
            key=f"parameter {name}",
            value=SCRATCH,
            accepted=f"--set {name}=FOLDER, or TMPDIR in the environment",
        )
    return _on_mount(known[0].path)


def _given(name: str, text: str, here: bool) -> Folder:
    path = os.path.normpath(Path(text).expanduser().absolute())
    if not here:
        return Folder(path, None, None, None)
    answer = call_with_patience(lambda: _problem(path))
    if answer is None:
        problem = f"its file system does not answer within {PATIENCE:g} s"
    elif answer[0] is None:
        return _on_mount(path)
    else:
        problem = answer[0]
    raise InputError(problem, key=f"parameter {name}", value=text, accepted="a folder that you may write in")


def _problem(path: str) -> str | None:
    """What is wrong with a folder; None where nothing is."""
    if not os.path.lexists(path):
        return "no such folder"
    if not Path(path).is_dir():
        return "is no folder"
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        return "lies on a file system that is mounted read-only"
    if not os.access(path, os.W_OK | os.X_OK):
        return "may not be written by this user"
    return None


def call_with_patience(ask: Callable[[], Answer], patience: float = PATIENCE) -> tuple[Answer | str] | None:
    """What `ask` returns, or the reason of its OSError, in a tuple; None where it does not return in `patience` s."""
    answer: list[Answer | str] = []

    def put() -> None:
        try:
            answer.append(ask())
        except OSError as error:
            answer.append(error.strerror or "cannot be read")

    thread = threading.Thread(target=put, daemon=True)
    thread.start()
    thread.join(patience)
    return (answer[0],) if answer else None


def free_bytes(folder: Folder) -> int | None:
    """Bytes that are free there; None where the file system does not report it."""

    def ask() -> int:
        room = os.statvfs(folder.path)
        return room.f_bavail * room.f_frsize

    answer = call_with_patience(ask)
    return answer[0] if answer is not None and isinstance(answer[0], int) else None


def _on_mount(path: str) -> Folder:
    on = mount_of(os.path.realpath(path))
    return Folder(path, *(on or (None, None, None)))
