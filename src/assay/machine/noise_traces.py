"""A node's noise as the program `noise` stored it: when each hardware thread was interrupted, and for how long.

The format is one JSON object a line, among the lines of a launch: `"event": "trace", "format": "assay noise 1"`, for
one thread over one block. All times are in seconds.

case         the program's parameters; `method` is work or time (fixed work quanta, fixed time quanta)
block        which block of the launch; thread, cpu: whose
t0           Unix time at which the watch began; seconds: how long it lasted
quantum      of fixed work: the median time of a piece; of fixed time: the length of a span
least        what is shorter is not called a detour
tick         the kernel's ticks per second, null where unknown
start        of each detour, from t0, ascending; length: of each, none overlapping the next
done         of fixed time: the units of work done in each span, in order; else empty
interrupts   how many of each row of /proc/interrupts this hardware thread took meanwhile (rows with none are omitted)
steal        time that the hypervisor took, in the kernel's ticks of some 10 ms
involuntary, voluntary    context switches of the thread

To replay it, let processor p do nothing from `start` to `start + length` of one thread's lines, again and again every
`seconds`. The simulator does so to the computing of its ranks (core/ranks/replayed_noise.hpp) where a description's
node has the key `noise`, as in `assay run overlap --on FILE --set machine.node.noise=runs/ID`; `processors`
gives it what it plays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from assay.errors import InputError

FORMAT = "assay noise 1"


@dataclass(frozen=True)
class Trace:
    """One thread's block; see the head of this file."""

    method: str
    block: int
    thread: int
    cpu: int
    t0: float
    seconds: float
    quantum: float
    least: float
    tick: float | None
    start: tuple[float, ...]
    length: tuple[float, ...]
    done: tuple[int, ...]
    interrupts: dict[str, int]
    steal: float
    involuntary: int
    voluntary: int
    host: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot have been: detours out of order, overlapping, or outside the watch."""
        if len(self.start) != len(self.length):
            raise ValueError("start and length differ in number")
        edge = 0.0
        for start, length in zip(self.start, self.length, strict=True):
            if start < edge - 1e-9 or length <= 0:
                raise ValueError(f"a detour at {start} s of {length} s is out of order")
            edge = start + length
        if not self.seconds > 0 or edge > self.seconds * (1 + 1e-9) + 1e-9:
            raise ValueError(f"detours reach to {edge} s of {self.seconds} s")

    @property
    def lost(self) -> float:
        """Share of the time that detours took."""
        return sum(self.length) / self.seconds


def read_traces(path: Path) -> Iterator[Trace]:
    """Read the traces of a program's file of lines, or of every launch in a run's folder.

    Lines of other kinds are passed over, and a last line that a kill cut short. InputError names file and line.
    """
    files = sorted((path / "launches").glob("*.jsonl")) if path.is_dir() else [path]
    for file in files:
        try:
            with file.open("rb") as lines:
                yield from traces_of(file, enumerate(lines, 1))
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", file=file) from None


def traces_of(file: Path, lines: Iterable[tuple[int, bytes]]) -> Iterator[Trace]:
    """Read the traces among numbered lines of a file. InputError names file and line."""
    host = ""
    for number, line in lines:
        if b'"launch"' in line[:40]:
            host = _host(line)
        if b'"trace"' in line[:40] and line.endswith(b"\n"):
            yield _trace(file, number, line, host)


def processors(path: Path) -> list[Trace]:
    """What the simulator plays: one trace per hardware thread of a run's folder or file, its blocks one after another.

    The traces of fixed work are taken, which hold every detour to its length; those of fixed time where there is no
    other. InputError where a file holds no trace, or a hardware thread had no time left.
    """
    found = list(read_traces(path))
    if not found:
        raise InputError("holds no trace of noise", file=path, accepted="the folder of a run of noise")
    methods = {trace.method for trace in found}
    by_cpu: dict[tuple[str, int], list[Trace]] = {}
    for trace in found:
        if trace.method == ("work" if "work" in methods else trace.method):
            by_cpu.setdefault((trace.host, trace.cpu), []).append(trace)
    joined = []
    for (host, cpu), traces in sorted(by_cpu.items()):
        traces.sort(key=lambda trace: trace.t0)
        offsets = [0.0, *accumulate(trace.seconds for trace in traces)]
        shifted = [start + at for trace, at in zip(traces, offsets, strict=False) for start in trace.start]
        whole = replace(
            traces[0],
            seconds=offsets[-1],
            start=tuple(shifted),
            length=tuple(length for trace in traces for length in trace.length),
        )
        if whole.lost >= 1:
            raise InputError(f"leaves hardware thread {cpu} of {host} no time at all", file=path)
        joined.append(whole)
    return joined


def _host(line: bytes) -> str:
    try:
        event = json.loads(line)
        return str(event.get("host") or event["placement"][0]["host"])
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return ""


def _trace(file: Path, number: int, line: bytes, host: str) -> Trace:
    try:
        event = json.loads(line)
        if event["format"] != FORMAT:
            raise InputError("is another format", file=file, line=number, value=event["format"], accepted=FORMAT)
        return Trace(
            method=str(event["case"]["method"]),
            block=int(event["block"]),
            thread=int(event["thread"]),
            cpu=int(event["cpu"]),
            t0=float(event["t0"]),
            seconds=float(event["seconds"]),
            quantum=float(event["quantum"]),
            least=float(event["least"]),
            tick=None if event["tick"] is None else float(event["tick"]),
            start=tuple(map(float, event["start"])),
            length=tuple(map(float, event["length"])),
            done=tuple(map(int, event["done"])),
            interrupts={str(k): int(v) for k, v in event["interrupts"].items()},
            steal=float(event["steal"]),
            involuntary=int(event["involuntary"]),
            voluntary=int(event["voluntary"]),
            host=str(event.get("host") or host),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is no trace of noise ({error})", file=file, line=number) from None
