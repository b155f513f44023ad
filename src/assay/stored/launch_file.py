"""One file of lines that a launch's program wrote: opened and read once, for damage, tables and figures.

What was read is cached as long as the file stays what it was (size, time of change, inode); a file that grew or was
replaced is read again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from assay import versions
from assay.program_lines import LaunchEvent, ProgramEvent, is_event
from assay.samples import Check, Circumstance, Launch, Measured, folded
from assay.stored.account import AccountLine, account_line
from assay.stored.device_states import DeviceStates, device_states
from assay.stored.lines import MISSING, LostLinesError, Signature, numbered_lines, signature, unicode
from assay.stored.node_looks import NodeLook, node_look
from assay.stored.over_time import TimeSlot, time_slot

OPENING = 8  # lines among which the launch line is looked for
NAMED = 40  # bytes at the start of a line that hold what kind of event it is

Folded = Measured | Check | Launch


@dataclass
class Content:
    """The content of a file.

    `rows`: what can be used; `faults`: "LINE: what is wrong"; `blocks`: finished ones, usable or not; `done`: the
    program reported its end; `opening`: the first launch line; `failed`: checks that did not pass; `where`: of a
    described machine, where each case's time went, and on how many `nodes` its ranks were; `over_time`: rate and
    latency by slot of time; `traces`: lines of noise traces, with the launch lines before them, by number; `pairs`:
    lines of all pairs' times, with the launch line before them; `looks`: at the counters of the nodes that it ran on;
    `accounts`: where an application's time went; `devices`: the state of each over time.
    """

    about: Circumstance
    signature: Signature
    rows: list[Folded] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    blocks: int = 0
    done: bool = False
    checksum: str = ""  # CRC-32 of its finished lines
    opening: LaunchEvent | None = None
    failed: list[dict[str, object]] = field(default_factory=list)
    where: list[dict[str, object]] = field(default_factory=list)
    nodes: list[dict[str, object]] = field(default_factory=list)
    over_time: list[TimeSlot] = field(default_factory=list)
    traces: list[tuple[int, bytes]] = field(default_factory=list)
    pairs: list[bytes] = field(default_factory=list)
    looks: list[NodeLook] = field(default_factory=list)
    accounts: list[AccountLine] = field(default_factory=list)
    devices: list[DeviceStates] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.signature[0]

    @property
    def usable(self) -> int:
        """Blocks that can be used."""
        return sum(isinstance(row, Measured) for row in self.rows)


def content(path: Path, about: Circumstance) -> Content:
    """Read a file, empty where there is none. OSError; InputError where a launch line is of a newer version."""
    read = Content(about, signature(path))
    if read.signature == MISSING:
        return read
    numbers: list[int] = []
    events: list[ProgramEvent] = []
    traced = False
    checksum = 0
    for number, line, event in numbered_lines(path):
        checksum = zlib.crc32(line, checksum)
        if isinstance(event, LostLinesError):
            read.faults.append(f"{number}: {event}")
            continue
        if not isinstance(event, dict):
            read.faults.append(f"{number}: is no line of a program ({event}); this line is not used")
            continue
        numbers.append(number)
        if is_event(event):
            events.append(event)
        kind = event.get("event")
        if kind == "launch":
            versions.current(versions.LAUNCH, event, versions.in_file(path, number))
            if number <= OPENING and not read.opening:
                read.opening = unicode(event, line)
        read.blocks += kind == "block"
        read.done |= kind == "done"
        if kind == "check" and not event.get("passed"):
            read.failed.append(event)
        elif kind == "where":
            read.where.append(event)
        elif kind == "nodes":
            read.nodes.append(event)
        elif kind == "over_time":
            try:
                read.over_time.append(time_slot(event, about))
            except ValueError as error:
                read.faults.append(f"{number}: event 'over_time': {error}; this line is not used")
        elif kind == "account":
            try:
                read.accounts.append(account_line(event, about))
            except ValueError as error:
                read.faults.append(f"{number}: event 'account': {error}; this line is not used")
        elif kind == "node":
            try:
                read.looks.append(node_look(event))
            except ValueError as error:
                read.faults.append(f"{number}: event 'node': {error}; this line is not used")
        elif kind == "device":
            try:
                read.devices.append(device_states(event))
            except ValueError as error:
                read.faults.append(f"{number}: event 'device': {error}; this line is not used")
        if b'"trace"' in line[:NAMED] or b'"launch"' in line[:NAMED]:
            read.traces.append((number, line))
            traced |= b'"trace"' in line[:NAMED]
        if kind == "pairs":
            read.pairs.append(line)

    def complain(place: int, text: str) -> None:
        read.faults.append(f"{numbers[place]}: {text}; this line is not used")

    read.checksum = f"{checksum:08x}"
    read.rows = list(folded(events, about, complain))
    read.traces = read.traces if traced else []
    return read


class LaunchFiles:
    """The files of a run's launches as read so far, by path."""

    def __init__(self) -> None:
        self._held: dict[Path, Content] = {}

    def content(self, path: Path, about: Circumstance) -> Content:
        """The content of a file, read where it was not, or has changed since. Errors as of `content`."""
        about = replace(about, superseded=False)
        held = self._held.get(path)
        if held is None or held.about != about or held.signature != signature(path):
            held = self._held[path] = content(path, about)
        return held

    def trim(self, most: int) -> None:
        """Empty the cache where it has more than `most` bytes of files."""
        if sum(held.size for held in self._held.values()) > most:
            self._held.clear()


@dataclass(frozen=True)
class LaunchFile:
    """A file of a task that was begun: what its rows have in common, and its content, read on first use."""

    about: Circumstance
    path: Path
    files: LaunchFiles = field(repr=False, compare=False)

    @cached_property
    def content(self) -> Content:
        """The content of the file. OSError, InputError."""
        return self.files.content(self.path, self.about)

    @cached_property
    def rows(self) -> list[Folded]:
        """What of it can be used; a launch that was done again is not complete."""
        if not self.about.superseded:
            return self.content.rows
        return [replace(row, complete=False) if isinstance(row, Launch) else row for row in self.content.rows]


Tasks = Iterable[tuple[Circumstance, LaunchFile]]
